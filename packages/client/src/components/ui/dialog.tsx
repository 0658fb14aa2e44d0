import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";

const BACKDROP = "pop fixed inset-0 z-40 bg-shade [scale:1]!";

type ModalProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: string;
  children: ReactNode;
  className?: string;
};

/** A dialog in the middle of the screen; on a phone it stands at the bottom, near the thumb. */
export function Modal({ open, onClose, title, description, children, className = "sm:max-w-md" }: ModalProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={BACKDROP} />
        <Dialog.Popup
          className={`pop fixed z-50 flex max-h-[88dvh] flex-col border border-line bg-overlay shadow-high outline-none max-sm:inset-x-0 max-sm:bottom-0 max-sm:rounded-t-2xl sm:top-[14vh] sm:left-1/2 sm:w-[calc(100vw-2rem)] sm:-translate-x-1/2 sm:rounded-2xl ${className}`}
        >
          <header className="flex items-start gap-3 px-5 pt-4.5">
            <div className="min-w-0 flex-1">
              <Dialog.Title className="text-base font-semibold tracking-tight">{title}</Dialog.Title>
              {description !== undefined && (
                <Dialog.Description className="mt-0.5 text-sm text-ink-muted">{description}</Dialog.Description>
              )}
            </div>
            <Dialog.Close render={<IconButton icon={X} label="Close" className="-mt-1 -mr-2 size-8" />} />
          </header>
          <div className="min-h-0 overflow-y-auto px-5 pt-4 pb-5">{children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

type SheetProps = { open: boolean; onClose: () => void; title: string; side: "left" | "right"; children: ReactNode };

/** A panel over the page from one of its sides, for narrow screens. */
export function Sheet({ open, onClose, title, side, children }: SheetProps) {
  const place = side === "left" ? "slide-left left-0 w-[19rem]" : "slide-right right-0 w-full sm:w-[28rem]";
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={BACKDROP} />
        <Dialog.Popup
          className={`pop fixed inset-y-0 z-50 flex max-w-[100vw] flex-col bg-canvas shadow-high outline-none ${place}`}
        >
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
