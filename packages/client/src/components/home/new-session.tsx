import { LIMITS } from "@agent-ops/shared/limits";
import type { FormEvent } from "react";
import { useAgents } from "../../hooks/use-agents.ts";
import type { NewSession as Wanted } from "../../lib/api.ts";
import { createSession, useSessions } from "../../stores/sessions-store.ts";
import { Button } from "../ui/button.tsx";
import { Modal } from "../ui/dialog.tsx";
import { Choice, Field, Input, TextArea } from "../ui/field.tsx";

type NewSessionProps = { onClose: () => void; onCreated: (sessionId: string) => void };

export function NewSession({ onClose, onCreated }: NewSessionProps) {
  const creating = useSessions((state) => state.creating);
  const agents = useAgents();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const session = await createSession(read(new FormData(event.currentTarget)));
    if (session) onCreated(session.id);
  };
  return (
    <Modal
      open
      onClose={onClose}
      title="New session"
      description="It goes on when you close the page, and everyone you share it with sees the same."
    >
      <form onSubmit={(event) => void submit(event)} className="space-y-4">
        <Field label="Title" optional>
          {(ids) => <Input {...ids} name="title" maxLength={LIMITS.titleChars} placeholder="Named by its first task" />}
        </Field>
        <Field label="Agent">
          {(ids) => (
            <Choice {...ids} name="agent" required>
              {agents.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </Choice>
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Workspace" optional hint="A folder or a git address.">
            {(ids) => <Input {...ids} name="workspace" autoComplete="off" />}
          </Field>
          <Field label="Model" optional hint="As the agent names it.">
            {(ids) => <Input {...ids} name="model" autoComplete="off" />}
          </Field>
        </div>
        <Field label="Instructions" optional hint="For agents that take them.">
          {(ids) => <TextArea {...ids} name="system" maxLength={LIMITS.systemChars} rows={2} />}
        </Field>
        <div className="flex justify-end gap-2 pt-1">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={creating}>
            Start session
          </Button>
        </div>
      </form>
    </Modal>
  );
}

/** What was filled in; what was left empty is left out. */
function read(form: FormData): Wanted {
  const entries = ["title", "workspace", "model", "system"].flatMap((name) => {
    const value = form.get(name);
    return typeof value === "string" && value.trim() !== "" ? [[name, value.trim()]] : [];
  });
  return { agent: String(form.get("agent")).trim(), ...Object.fromEntries(entries) };
}
