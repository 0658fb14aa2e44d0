import { constants } from "node:os";

/**
 * Runs a program, passes SIGTERM on to it, and kills it when this shell's own input ends. The shell stays to the
 * program's end, so that nothing is left for others to collect. A signal interrupts `wait`, hence the loop.
 */
const SCRIPT = `
exec 3<&0
trap 'told=1; [ -z "$child" ] || kill -TERM $child' TERM
"$@" </dev/null 3<&- &
child=$!
[ -z "$told" ] || kill -TERM $child
( while read -r _ <&3; do :; done; kill -KILL $child ) 2>/dev/null &
watcher=$!
wait $child
code=$?
while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
kill -KILL $watcher 2>/dev/null
wait $watcher 2>/dev/null
exit $code`;

/** A shell tells the signal that ended a program as a code above this. */
const SIGNALLED = 128;

/**
 * A server would outlive a runner that is killed. On a leash it ends with whoever holds the other end of its input,
 * however that one ended.
 */
export function onLeash(program: string, args: string[]): { command: string; args: string[] } {
  return { command: "/bin/sh", args: ["-c", SCRIPT, "agent", program, ...args] };
}

/** How a program on a leash ended, in words. */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal) return `signal ${signal}`;
  const number = (code ?? 0) - SIGNALLED;
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return name ? `signal ${name}` : `exit code ${code}`;
}
