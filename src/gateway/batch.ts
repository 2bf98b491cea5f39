// Batches calls under load: while a call is in flight, inputs gather, and share the next one.

/** Calls in flight from which on inputs gather for the next one. */
export const MAX_IN_FLIGHT = 1
export const MAX_BATCH_SIZE = 200
/** A batch is sent at this age at the latest: an object far away does not delay it by the time of a whole call. */
export const MAX_BATCH_DELAY_MS = 10
/** A batch of this age that is not sent has lost its clients: it takes no more inputs. */
export const MAX_BATCH_AGE_MS = 1000
export const TIMEOUT_MS = 10_000

export interface BatchOptions<In, Out> {
  /** Sends a batch to the object of a key; resolves to an output for each input, in their order. */
  send(key: string, inputs: readonly In[]): Promise<readonly Out[]>
  /** Unix milliseconds. */
  now(): number
  sleep(milliseconds: number): Promise<void>
  /** Waits for a signal of another request, but no longer than that. */
  wait(signal: Promise<void>, milliseconds: number): Promise<void>
  /** Keeps the current request alive until the work is done, even if its client disconnects. */
  waitUntil(work: Promise<void>): void
  /** Infinity turns batching off. */
  maxInFlight?: number | undefined
}

interface Batch<In, Out> {
  createdAt: number
  inputs: In[]
  isSent: boolean
  /** Resolves when a call has returned, so that the batch can be sent: the first member waits for it. */
  turn: PromiseWithResolvers<void>
  /** Resolves when there is a result: the other members wait for it. */
  end: PromiseWithResolvers<void>
  result?: PromiseSettledResult<readonly Out[]>
}

interface Queue<In, Out> {
  /** Calls. */
  inFlight: number
  /** The batch that takes the next input; a full one is sent at once, and takes no more. */
  open?: Batch<In, Out> | undefined
}

/**
 * Makes a function that sends an input to the object of a key, and resolves to its output, or to undefined after
 * TIMEOUT_MS. Rejects where the call of its batch fails; other batches are not affected.
 *
 * The runtime loses one in some 20,000 wake-ups between requests, and a disconnected client sends nothing. So no member
 * relies on a signal: each looks again after MAX_BATCH_DELAY_MS, and whichever finds that the batch can be sent sends it.
 * The sender is a live request that waits for the batch itself.
 */
export function batched<In, Out>(options: BatchOptions<In, Out>) {
  const { send, now, sleep, wait, waitUntil, maxInFlight = MAX_IN_FLIGHT } = options
  const queues = new Map<string, Queue<In, Out>>()

  function join(queue: Queue<In, Out>, input: In): { batch: Batch<In, Out>; index: number } {
    const { open } = queue
    const isLive = open && now() - open.createdAt < MAX_BATCH_AGE_MS
    const batch = isLive ? open : newBatch<In, Out>(now())
    queue.open = batch
    return { batch, index: batch.inputs.push(input) - 1 }
  }

  const canBeSent = ({ inFlight }: Queue<In, Out>, { inputs, createdAt }: Batch<In, Out>): boolean =>
    inFlight < maxInFlight || inputs.length === MAX_BATCH_SIZE || now() - createdAt >= MAX_BATCH_DELAY_MS

  async function dispatch(key: string, queue: Queue<In, Out>, batch: Batch<In, Out>): Promise<void> {
    batch.isSent = true
    if (queue.open === batch) queue.open = undefined
    queue.inFlight += 1
    const nothing = sleep(TIMEOUT_MS).then(() => [])
    const [result] = await Promise.allSettled([Promise.race([outputsOf(key, batch.inputs), nothing])])
    batch.result = result
    queue.inFlight -= 1
    batch.end.resolve()
    queue.open?.turn.resolve()
    if (queue.inFlight === 0 && !queue.open) queues.delete(key)
  }

  async function outputsOf(key: string, inputs: readonly In[]): Promise<readonly Out[]> {
    const outputs = await send(key, inputs)
    if (outputs.length === inputs.length) return outputs
    throw new Error(`a batch of ${inputs.length} has ${outputs.length} outputs`)
  }

  return async (key: string, input: In): Promise<Out | undefined> => {
    const queue = queues.get(key) ?? { inFlight: 0 }
    queues.set(key, queue)
    const { batch, index } = join(queue, input)
    const joinedAt = now()
    for (let waited = 0; !batch.result && waited < TIMEOUT_MS; waited = now() - joinedAt) {
      if (batch.isSent || !canBeSent(queue, batch)) {
        const { promise } = index === 0 && !batch.isSent && waited === 0 ? batch.turn : batch.end
        await wait(promise, MAX_BATCH_DELAY_MS + Math.floor(waited / 8))
      } else {
        const work = dispatch(key, queue, batch)
        waitUntil(work)
        await work
      }
    }
    if (batch.result?.status === 'rejected') throw batch.result.reason
    return batch.result?.value[index]
  }
}

const newBatch = <In, Out>(createdAt: number): Batch<In, Out> => ({
  createdAt,
  inputs: [],
  isSent: false,
  turn: Promise.withResolvers<void>(),
  end: Promise.withResolvers<void>(),
})
