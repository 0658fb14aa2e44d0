import { useEffect, useState } from "react";
import type { Questions } from "./chat-context.tsx";

type AnnouncerProps = { running: boolean; questions: Questions };

/** Tells a screen reader what changes, once each; the conversation itself grows far too fast to be read out. */
export function Announcer({ running, questions }: AnnouncerProps) {
  const [words, setWords] = useState("");
  const [wasRunning, setWasRunning] = useState(running);
  const open = Object.values(questions).find((asked) => asked.resolution === undefined);
  if (wasRunning !== running) {
    setWasRunning(running);
    setWords(running ? "The agent is working." : "The agent is done.");
  }
  const prompt = running ? open?.question.prompt : undefined;
  useEffect(() => {
    if (prompt !== undefined) setWords(`The agent asks: ${prompt}`);
  }, [prompt]);
  return (
    <p aria-live="polite" className="sr-only">
      {words}
    </p>
  );
}
