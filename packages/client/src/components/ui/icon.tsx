const PATHS = {
  plus: "M12 5v14M5 12h14",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
  chevron: "m9 6 6 6-6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  check: "m5 12.5 4.5 4.5L19 7.5",
  cross: "M7 7l10 10M17 7 7 17",
  trash: "M5 7h14M10 11v6M14 11v6M7 7l1 13h8l1-13M9.5 7V4h5v3",
  pencil: "M5 19l1-4L16 5l3 3L9 18zM13.5 7.5l3 3",
  spark: "M12 4l1.8 5.2L19 11l-5.2 1.8L12 18l-1.8-5.2L5 11l5.2-1.8z",
  question: "M9.2 9.3a2.9 2.9 0 1 1 4.3 2.5c-1 .6-1.5 1.1-1.5 2.2M12 17.2v.1",
  leave: "M14 5H6v14h8M11 12h9M17 9l3 3-3 3",
  retry: "M19 12a7 7 0 1 1-2.2-5.1M19 4v4h-4",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: the control around it carries the name. */
export function Icon({ name, className = "size-4" }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      className={`shrink-0 ${className}`}
      fill={name === "stop" ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
