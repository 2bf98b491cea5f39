// Decodes a stream of bytes into lines. Of the file no more than a piece is in memory.
import { type Encoding, isUtf16 } from './characters.ts'
import { type Bytes, TooLarge } from './entry.ts'
import type { Faults } from './faults.ts'

export const MAX_BYTES = 32 * 1024 * 1024
export const MAX_LINE = 64 * 1024
/** What is decoded at once: it limits a batch, however large the pieces of the stream are. */
const MAX_PIECE = 64 * 1024

/** The bytes in pieces of at most 64 KiB. @throws TooLarge if they are too many */
export async function* piecesOf(bytes: Bytes): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > MAX_BYTES) throw new TooLarge(`the file is too large, must be at most ${MAX_BYTES} bytes`)
    for (let at = 0; at < chunk.length; at += MAX_PIECE) yield chunk.subarray(at, at + MAX_PIECE)
  }
}

/** The text of the bytes, in pieces. What is not of the encoding is U+FFFD, so that its line can be named. */
export async function* textOf(bytes: Bytes, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const piece of piecesOf(bytes)) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}

/** The lines, without what ends them, in the pieces in which they came; the last one may have no end. */
export async function* linesOf(bytes: Bytes, encoding: Encoding, faults: Faults): AsyncGenerator<string[]> {
  let rest = ''
  let count = 0
  for await (const text of textOf(bytes, encoding)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (count === 0 && isUtf16(lines[0] ?? rest)) faults.stop('file', `is UTF-16, must be ${encoding}`)
    const long = lines.concat(rest).findIndex((line) => line.length > MAX_LINE)
    if (long !== -1)
      faults.stop(`lines[${count + long + 1}]`, `is longer than ${MAX_LINE} characters, must be shorter`)
    count += lines.length
    if (lines.length > 0) yield lines.map(withoutReturn)
  }
  if (rest !== '') yield [withoutReturn(rest)]
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)
