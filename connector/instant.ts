// Compares two times of which a bank may have stated one with and one without the fraction of its second.

/** @param a, b Unix milliseconds */
export function isSameInstant(a: number, b: number): boolean {
  const isWhole = a % 1000 === 0 || b % 1000 === 0
  return a === b || (isWhole && Math.floor(a / 1000) === Math.floor(b / 1000))
}
