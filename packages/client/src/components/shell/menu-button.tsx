import { PanelLeft } from "lucide-react";
import { IconButton } from "../ui/button.tsx";

/** Brings the sessions back where they are not beside the page: on a phone, and where somebody hid them. */
export function MenuButton({ onClick }: { onClick: () => void }) {
  return (
    <IconButton
      icon={PanelLeft}
      label="Show the sessions"
      keys="modB"
      className="size-9 group-data-[sidebar=shown]/shell:hidden"
      onClick={onClick}
    />
  );
}
