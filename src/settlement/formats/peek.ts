// Looks at the first bytes of a stream, which is then read from its beginning.
import type { Bytes } from './entry.ts'

/** @returns the first `size` bytes, or all if there are fewer; and the stream with them */
export async function peek(bytes: Bytes, size: number): Promise<{ head: Uint8Array; all: Bytes }> {
  const chunks: Uint8Array[] = []
  let length = 0
  const rest = bytes[Symbol.asyncIterator]()
  while (length < size) {
    const { done, value } = await rest.next()
    if (done) break
    chunks.push(value)
    length += value.length
  }
  const head = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    head.set(chunk, at)
    at += chunk.length
  }
  return { head: head.subarray(0, size), all: joined(head, rest) }
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield head
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    // A reader that ends early ends the stream, too.
    await rest.return?.()
  }
}
