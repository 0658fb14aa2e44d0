import { Switch } from "@base-ui/react/switch";

type ToggleProps = { label: string; hint?: string; checked: boolean; onChange: (checked: boolean) => void };

export function Toggle({ label, hint, checked, onChange }: ToggleProps) {
  return (
    <div className="flex items-start gap-4">
      <div className="min-w-0 flex-1">
        <p className="text-sm font-medium">{label}</p>
        {hint !== undefined && <p className="text-sm text-ink-muted">{hint}</p>}
      </div>
      <Switch.Root
        aria-label={label}
        checked={checked}
        onCheckedChange={onChange}
        className="relative mt-0.5 h-5 w-9 shrink-0 rounded-full bg-line-strong transition-colors data-[checked]:bg-accent-fill"
      >
        <Switch.Thumb className="block size-4 translate-x-0.5 rounded-full bg-white shadow-low transition-transform data-[checked]:translate-x-4.5" />
      </Switch.Root>
    </div>
  );
}
