// Sends answers of any length, one part at a time, so that memory does not depend on their size.

/**
 * The texts as a body. The first one is made before the answer begins, so that a refusal is an answer of its own.
 * @param failed takes what a later text failed with. The connection is broken off then, so that the client does not take a
 * part for the whole
 * @throws what the first text fails with
 */
export async function streamOf(
  texts: AsyncGenerator<string, void>,
  failed: (error: unknown) => void,
): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder()
  let read: IteratorResult<string, void> | undefined = await texts.next()
  return new ReadableStream<Uint8Array>(
    {
      // Called when the client has taken what was sent before.
      async pull(controller) {
        try {
          for (;;) {
            const { done, value } = read ?? (await texts.next())
            read = undefined
            if (done) return controller.close()
            // An empty chunk would end the body.
            if (value) return controller.enqueue(encoder.encode(value))
          }
        } catch (error) {
          failed(error)
          controller.error(error)
        }
      },
      async cancel() {
        await texts.return()
      },
    },
    { highWaterMark: 0 },
  )
}
