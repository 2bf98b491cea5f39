// Sends answers of any length, one part at a time, so that memory does not depend on their size.

/** A part of a file; a text is sent in UTF-8. */
export type Chunk = string | Uint8Array<ArrayBuffer>

/**
 * The parts as a body. The first one is made before the answer begins, so that a refusal is an answer of its own.
 * @param failed takes what a later one failed with. The connection is broken off then, so that the client does not take a
 * part for the whole
 * @throws what the first one fails with
 */
export async function streamOf(
  parts: AsyncGenerator<Chunk, void>,
  failed: (error: unknown) => void,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder()
  let read: IteratorResult<Chunk, void> | undefined = await parts.next()
  return new ReadableStream<Uint8Array>(
    {
      // Called when the client has taken what was sent before.
      async pull(controller) {
        try {
          for (;;) {
            const { done, value } = read ?? (await parts.next())
            read = undefined
            if (done) return controller.close()
            // An empty chunk would end the body.
            if (value.length > 0)
              return controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
          }
        } catch (error) {
          failed(error)
          controller.error(error)
        }
      },
      async cancel() {
        await parts.return()
      },
    },
    { highWaterMark: 0 },
  )
}
