// Finds the known name that is nearest to an unknown one: "did you mean".

/** The known name that is nearest to a name, at most two edits away, case ignored; undefined if all are farther. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known
    .map((one) => ({ one, distance: distance(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.min(2, one.length - 1))
    .sort((a, b) => a.distance - b.distance)
  return nearest?.one
}

/** The Levenshtein distance; infinite if the lengths differ by more than two. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (const [i, char] of [...a].entries()) {
    const row = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const substitution = (previous[j] ?? 0) + (char === other ? 0 : 1)
      row.push(Math.min((row[j] ?? 0) + 1, (previous[j + 1] ?? 0) + 1, substitution))
    }
    previous = row
  }
  return previous.at(-1) ?? 0
}
