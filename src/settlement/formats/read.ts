// Reads a file of lines: hands each of them to its format, and gives out entries in batches until there is a fault.
import type { Encoding } from './characters.ts'
import type { Bytes, Entry, Summary } from './entry.ts'
import { Faults } from './faults.ts'
import { linesOf } from './lines.ts'
import { type FileKind, otherFile } from './signatures.ts'
import { Tally } from './tally.ts'

/** So many empty lines can follow each other. */
const MAX_EMPTY = 1000

/** A format that has lines. */
export interface LineFormat {
  /** @param number from 1. Empty lines at the end of the file are not given. */
  line(text: string, number: number): void
  /** After the last line of a file that is not empty: what the file as a whole must have. */
  end(): void
}

/** What a format is made of for each file. */
export interface Reading {
  faults: Faults
  tally: Tally
}

export async function* read(
  bytes: Bytes,
  { kind, encoding }: { kind: FileKind; encoding: Encoding },
  formatFor: (reading: Reading) => LineFormat,
): AsyncGenerator<Entry[], Summary> {
  const faults = new Faults()
  const tally = new Tally(faults)
  const format = formatFor({ faults, tally })
  let number = 0
  let given = 0
  for await (const lines of linesOf(bytes, encoding, faults)) {
    for (const line of lines) {
      number++
      if (line === '') {
        if (number - given > MAX_EMPTY)
          faults.stop(`lines[${number}]`, `is empty, as ${MAX_EMPTY} lines before it`)
        continue
      }
      const other = given === 0 ? otherFile(line, kind) : undefined
      if (other !== undefined) faults.stop('file', other)
      while (given < number - 1) format.line('', ++given)
      format.line(line, ++given)
    }
    const batch = tally.take()
    if (batch.length > 0 && faults.count === 0) yield batch
  }
  if (given > 0) format.end()
  faults.end()
  const batch = tally.take()
  if (batch.length > 0) yield batch
  return tally.summary()
}
