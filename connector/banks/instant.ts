// Compares two times of which one can be in whole seconds: a bank states the same time with milliseconds and without.

/** @param a, b Unix milliseconds */
export function isSameInstant(a: number, b: number): boolean {
  const isWhole = a % 1000 === 0 || b % 1000 === 0
  return a === b || (isWhole && Math.floor(a / 1000) === Math.floor(b / 1000))
}
