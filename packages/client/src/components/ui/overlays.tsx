import { type ComponentProps, lazy, Suspense, useState } from "react";
import { fresh } from "../../lib/fresh.ts";
import type { Confirm as LoadedConfirm } from "./confirm.tsx";
import type { Sheet as LoadedSheet } from "./dialog.tsx";

const LazySheet = lazy(fresh(() => import("./dialog.tsx").then((module) => ({ default: module.Sheet }))));
const LazyConfirm = lazy(fresh(() => import("./confirm.tsx").then((module) => ({ default: module.Confirm }))));

/** The same as in `dialog.tsx`, loaded when it is opened for the first time. */
export function Sheet(props: ComponentProps<typeof LoadedSheet>) {
  return (
    useOpenedOnce(props.open) && (
      <Suspense fallback={null}>
        <LazySheet {...props} />
      </Suspense>
    )
  );
}

export function Confirm(props: ComponentProps<typeof LoadedConfirm>) {
  return (
    useOpenedOnce(props.open) && (
      <Suspense fallback={null}>
        <LazyConfirm {...props} />
      </Suspense>
    )
  );
}

/** It stays when it closes, so that it can go as it came. */
function useOpenedOnce(open: boolean): boolean {
  const [opened, setOpened] = useState(open);
  if (open && !opened) setOpened(true);
  return opened || open;
}
