import { Lock } from "lucide-react";
import { goTo } from "../../hooks/use-route.ts";
import { MenuButton } from "../shell/menu-button.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";

export function NoAccess({ onMenu }: { onMenu: () => void }) {
  return (
    <>
      <header className="flex h-13 items-center px-2">
        <MenuButton onClick={onMenu} />
      </header>
      <EmptyState
        icon={Lock}
        level="page"
        title="This session is not here"
        text="It was deleted, or it is not shared with you."
      >
        <Button onClick={() => goTo("/")}>Back to your sessions</Button>
      </EmptyState>
    </>
  );
}
