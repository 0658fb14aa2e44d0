import { Compass } from "lucide-react";
import { goTo } from "../../hooks/use-route.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { PageHeader } from "./page-header.tsx";

export function NotFound({ onMenu }: { onMenu: () => void }) {
  return (
    <>
      <PageHeader onMenu={onMenu} />
      <EmptyState icon={Compass} level="page" title="There is nothing here" text="The address leads nowhere.">
        <Button onClick={() => goTo("/")}>Back to your sessions</Button>
      </EmptyState>
    </>
  );
}
