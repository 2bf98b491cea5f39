// Makes column values that resemble observed ones, so that a large table is filled with plausible rows.

/** What a column keeps. */
export type Value = null | number | bigint | string | Uint8Array

/**
 * Learns a column from some of its values, and makes more of them. What is the same in all stays; in texts of the
 * length that most have, each position gets a character that was seen there, and in bytes of one length likewise; else
 * one of the values is taken.
 */
export function alike(seen: readonly Value[]): () => Value {
  const [first = null] = seen
  if (seen.every((value) => value === first)) return () => first
  const texts = seen.filter((value) => typeof value === 'string')
  if (texts.length === seen.length) {
    const pieces = piecesOf(ofCommonLength(texts))
    return () => pieces.reduce((text, choices) => text + one(choices), '')
  }
  const blobs = seen.filter((value) => value instanceof Uint8Array)
  if (blobs.length === seen.length && haveOneLength(blobs)) {
    return () => (blobs[0] ?? new Uint8Array()).map((_, position) => one(blobs)?.[position] ?? 0)
  }
  return () => one(seen) ?? null
}

const one = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(Math.random() * choices.length)]

const haveOneLength = (values: readonly { length: number }[]): boolean =>
  new Set(values.map(({ length }) => length)).size === 1

/** The texts of the length that most of them have. */
function ofCommonLength(texts: readonly string[]): string[] {
  const groups = Object.values(Object.groupBy(texts, ({ length }) => length))
  return groups.reduce<string[]>((most, group = []) => (group.length > most.length ? group : most), [])
}

/** The characters that were seen at a position, or the one text between two such positions. */
function piecesOf(texts: readonly string[]): string[][] {
  const pieces: string[][] = []
  for (let position = 0; position < (texts[0]?.length ?? 0); position++) {
    const choices = [...new Set(texts.map((text) => text.charAt(position)))]
    const last = pieces.at(-1)
    if (choices.length === 1 && last?.length === 1) last[0] += choices.join()
    else pieces.push(choices)
  }
  return pieces
}
