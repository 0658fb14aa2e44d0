/** Far above any form; values of thousands of levels cannot be copied, stored or sent on. */
export const LEVELS = 64;

export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
