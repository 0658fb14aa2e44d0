const NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether the host name of a URL means this machine. */
export function isLoopback(hostname: string): boolean {
  return NAME.test(hostname);
}
