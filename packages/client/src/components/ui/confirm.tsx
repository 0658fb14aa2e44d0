import { Button } from "./button.tsx";
import { Modal } from "./dialog.tsx";

type ConfirmProps = {
  open: boolean;
  title: string;
  text: string;
  action: string;
  onClose: () => void;
  onConfirm: () => void;
};

/** Asks before something that cannot be taken back. */
export function Confirm({ open, title, text, action, onClose, onConfirm }: ConfirmProps) {
  return (
    <Modal open={open} onClose={onClose} title={title} description={text} className="sm:max-w-sm">
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="danger"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </Button>
      </div>
    </Modal>
  );
}
