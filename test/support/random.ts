// Random numbers that a seed determines, so that a history that fails can run again.

/** As `Math.random`, of a seed. */
export type Random = ReturnType<typeof randomOf>

/** @param seed any integer; each has another sequence (mulberry32) */
export function randomOf(seed: number) {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  /** An integer from 0 to below `end`. */
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    chance: (probability: number): boolean => next() < probability,
    pick<const T>(values: readonly [T, ...T[]]): T {
      return values[below(values.length)] ?? values[0]
    },
    /** One of the names, by their weights. */
    weighted<T extends string>(weights: Partial<Record<T, number>>): T {
      const all = Object.entries(weights) as [T, number][]
      let rest = next() * all.reduce((sum, [, weight]) => sum + weight, 0)
      const found = all.find(([, weight]) => {
        rest -= weight
        return rest < 0
      })
      if (!found) throw new Error('there is nothing to choose from')
      return found[0]
    },
  }
}
