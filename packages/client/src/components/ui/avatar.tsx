const HUES = [265, 205, 150, 35, 330, 15, 95, 290];

/** A person as a coloured letter; the same name has the same colour everywhere. */
export function Avatar({ name, className = "size-6 text-2xs" }: { name: string; className?: string }) {
  const hue = HUES[[...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % HUES.length];
  return (
    <span
      aria-hidden="true"
      className={`grid shrink-0 place-items-center rounded-full font-semibold uppercase ${className}`}
      style={{
        background: `light-dark(oklch(0.92 0.05 ${hue}), oklch(0.36 0.07 ${hue}))`,
        color: `light-dark(oklch(0.38 0.1 ${hue}), oklch(0.92 0.05 ${hue}))`,
      }}
    >
      {name.slice(0, 1)}
    </span>
  );
}
