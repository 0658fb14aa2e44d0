import { setPreferences, type Theme, usePreferences } from "../../stores/preferences-store.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { Toggle } from "../ui/toggle.tsx";
import { ApiTokens } from "./api-tokens.tsx";
import { SettingsSection } from "./settings-section.tsx";

export function Settings({ onMenu }: { onMenu: () => void }) {
  const { theme, aiSdkByDefault, reasoningOpen } = usePreferences();
  return (
    <>
      <PageHeader title="Settings" onMenu={onMenu} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto max-w-2xl space-y-10 px-5 py-8">
          <SettingsSection title="Appearance" text="How this browser shows the app.">
            <ThemeChoice theme={theme} />
            <Toggle
              label="Keep reasoning open"
              hint="Otherwise it folds when the agent has thought."
              checked={reasoningOpen}
              onChange={(on) => setPreferences({ reasoningOpen: on })}
            />
          </SettingsSection>
          <SettingsSection title="Flags" text="Other ways to do the same.">
            <Toggle
              label="Chat through the AI SDK"
              hint="Sessions use the standard useChat hook over HTTP instead of the live connection. Each session’s menu can choose for itself."
              checked={aiSdkByDefault}
              onChange={(on) => setPreferences({ aiSdkByDefault: on, aiSdkSessions: {} })}
            />
          </SettingsSection>
          <ApiTokens />
        </div>
      </div>
    </>
  );
}

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

function ThemeChoice({ theme }: { theme: Theme }) {
  return (
    <fieldset className="inline-flex rounded-xl bg-raised p-1">
      <legend className="sr-only">Theme</legend>
      {THEMES.map(({ value, label }) => (
        <label
          key={value}
          className="cursor-pointer rounded-lg px-4 py-1.5 text-sm text-ink-soft has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-checked:shadow-low has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name="theme"
            value={value}
            checked={theme === value}
            onChange={() => setPreferences({ theme: value })}
            className="sr-only"
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
