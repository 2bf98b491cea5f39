// Batches calls under load: while few inputs are in flight, each has a call of its own; above that, inputs share a call.

/** From this many inputs in flight, others wait for a batch: a lone call is faster than a timer, several keep an object busy. */
export const MAX_IN_FLIGHT = 4
export const MAX_BATCH_SIZE = 200
/** A batch is sent at this age at the latest: an object far away does not delay it by the time of a whole call. */
export const MAX_BATCH_DELAY_MS = 10
/** A batch of this age that is not sent has lost its clients: it takes no more inputs. */
export const MAX_BATCH_AGE_MS = 1000
/** The first poll; later ones wait an eighth of the time that has passed, because each costs a timer. */
export const POLL_MS = 1
export const TIMEOUT_MS = 10_000

export interface BatchOptions<In, Out> {
  /** Sends a batch to the object of a key; resolves to an output for each input, in their order. */
  send(key: string, inputs: readonly In[]): Promise<readonly Out[]>
  /** Unix milliseconds. */
  now(): number
  sleep(milliseconds: number): Promise<void>
  /** What the work resolves to, or undefined after a time. */
  within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined>
  /** Keeps the current request alive until the work is done, even if its client disconnects. */
  waitUntil(work: Promise<void>): void
  /** Infinity turns batching off. */
  maxInFlight?: number | undefined
}

interface Batch<In, Out> {
  createdAt: number
  inputs: In[]
  isSent: boolean
  result?: PromiseSettledResult<readonly Out[] | undefined>
}

interface Queue<In, Out> {
  inFlight: number
  /** The batch that takes the next input; a full one is sent at once, and takes no more. */
  open?: Batch<In, Out> | undefined
}

/**
 * Makes a function that sends an input to the object of a key, and resolves to its output, or to undefined if a batch
 * of several has none after TIMEOUT_MS. Rejects where the call of its batch fails; other batches are not affected.
 *
 * No promise crosses from one request to another, because the runtime does not reliably wake the other request: every
 * member of a batch polls, and whichever finds that the batch can be sent sends it. So the sender is a live request that
 * waits for the batch itself, and a disconnected client stops nobody.
 */
export function batched<In, Out>(options: BatchOptions<In, Out>) {
  const { send, now, sleep, within, waitUntil, maxInFlight = MAX_IN_FLIGHT } = options
  const queues = new Map<string, Queue<In, Out>>()

  function join(queue: Queue<In, Out>, input: In): { batch: Batch<In, Out>; index: number } {
    const { open } = queue
    const isLive = open && now() - open.createdAt < MAX_BATCH_AGE_MS
    const batch = isLive ? open : { createdAt: now(), inputs: [], isSent: false }
    queue.open = batch
    return { batch, index: batch.inputs.push(input) - 1 }
  }

  const canBeSent = ({ inFlight }: Queue<In, Out>, { inputs, createdAt }: Batch<In, Out>): boolean =>
    inFlight < maxInFlight || inputs.length === MAX_BATCH_SIZE || now() - createdAt >= MAX_BATCH_DELAY_MS

  async function dispatch(key: string, queue: Queue<In, Out>, batch: Batch<In, Out>): Promise<void> {
    batch.isSent = true
    if (queue.open === batch) queue.open = undefined
    queue.inFlight += batch.inputs.length
    const work = outputsOf(key, batch.inputs)
    // One that is alone waits for its own call, as all other operations do: a timer would cost it more than batching saves.
    const [result] = await Promise.allSettled([batch.inputs.length > 1 ? within(TIMEOUT_MS, work) : work])
    batch.result = result
    queue.inFlight -= batch.inputs.length
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
        await sleep(POLL_MS + Math.floor(waited / 8))
      } else {
        const work = dispatch(key, queue, batch)
        waitUntil(work)
        await work
      }
    }
    if (batch.result?.status === 'rejected') throw batch.result.reason
    return batch.result?.value?.[index]
  }
}
