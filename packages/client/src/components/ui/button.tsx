import type { ComponentProps } from "react";
import { Icon, type IconName } from "./icon.tsx";

const LOOKS = {
  primary: "bg-accent text-on-accent enabled:hover:bg-accent-strong disabled:bg-raised disabled:text-ink-muted",
  plain: "border border-line-strong bg-surface text-ink hover:bg-hover",
  quiet: "text-ink-soft hover:bg-hover hover:text-ink",
  danger: "border border-line-strong bg-surface text-bad hover:bg-bad-soft",
} as const;

const BASE =
  "inline-flex items-center justify-center gap-1.5 rounded-lg font-medium transition-colors disabled:opacity-60";

type ButtonProps = ComponentProps<"button"> & { look?: keyof typeof LOOKS; icon?: IconName };

export function Button({ look = "plain", icon, className = "", children, ...rest }: ButtonProps) {
  return (
    <button type="button" className={`${BASE} ${LOOKS[look]} h-9 px-3.5 text-sm ${className}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  look?: keyof typeof LOOKS;
  icon: IconName;
  label: string;
};

export function IconButton({ look = "quiet", icon, label, className = "size-9", ...rest }: IconButtonProps) {
  return (
    <button type="button" aria-label={label} title={label} className={`${BASE} ${LOOKS[look]} ${className}`} {...rest}>
      <Icon name={icon} />
    </button>
  );
}
