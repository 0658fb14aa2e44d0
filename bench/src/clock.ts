/** Microseconds of a clock that all processes of this machine share. */
export function micros(): number {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1e6 + nanos / 1e3;
}
