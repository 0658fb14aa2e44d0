import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";

const LOOKS = {
  primary:
    "bg-accent-fill text-on-accent shadow-low enabled:hover:bg-accent-fill-hover disabled:bg-raised disabled:text-ink-muted disabled:shadow-none",
  plain: "border border-line-strong bg-surface text-ink shadow-low enabled:hover:bg-raised disabled:opacity-55",
  quiet: "text-ink-soft enabled:hover:bg-hover enabled:hover:text-ink disabled:opacity-45",
  danger: "border border-line-strong bg-surface text-bad shadow-low enabled:hover:bg-bad-soft disabled:opacity-55",
} as const;

const SIZES = { small: "h-7 rounded-md px-2.5 text-xs", normal: "h-8.5 rounded-lg px-3 text-sm" } as const;

const BASE =
  "inline-flex shrink-0 items-center justify-center gap-1.5 font-medium whitespace-nowrap transition-[background-color,color,scale] active:scale-[0.98]";

type Look = keyof typeof LOOKS;
type ButtonProps = ComponentProps<"button"> & { look?: Look; size?: keyof typeof SIZES; icon?: LucideIcon };

export function Button({
  look = "plain",
  size = "normal",
  icon: Icon,
  className = "",
  children,
  ...rest
}: ButtonProps) {
  return (
    <button type="button" className={`${BASE} ${LOOKS[look]} ${SIZES[size]} ${className}`} {...rest}>
      {Icon && <Icon aria-hidden="true" className="size-4" />}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  look?: Look;
  icon: LucideIcon;
  label: string;
  /** The keys that do the same. */
  keys?: string;
  iconClassName?: string;
};

/** A button that is only a picture: its name shows when it is pointed at. */
export function IconButton(props: IconButtonProps) {
  const { look = "quiet", icon: Icon, label, keys, className = "size-8", iconClassName = "size-4", ...rest } = props;
  return (
    <button
      type="button"
      aria-label={label}
      data-hint={label}
      data-keys={keys}
      className={`${BASE} rounded-lg ${LOOKS[look]} ${className}`}
      {...rest}
    >
      <Icon aria-hidden="true" className={iconClassName} />
    </button>
  );
}
