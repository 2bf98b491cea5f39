// Calls to one place: requests that come while one is under way share the next one.

/** How many inputs may wait for one place: more than a data centre's share of a busy site sends in a second or so. */
const CAPACITY = 1000

/** Milliseconds that an input waits. The platform may end a request without a word, and the calls that it makes. */
const PATIENCE = 5000

export interface Calls<In, Out> {
  /** Calls a place for all of the inputs, and gives an output for each, in their order. */
  send(place: string, inputs: readonly In[]): Promise<readonly Out[]>
  /** Keeps the request at hand alive until the work is done, though its caller may hang up. */
  keepAlive(work: Promise<void>): void
  /** Runs a function after so many milliseconds, unless the function that is returned is called before. */
  after(milliseconds: number, run: () => void): () => void
}

interface Entry<In, Out> {
  input: In
  resolve(output: Out | undefined): void
  reject(error: unknown): void
}

interface Place<In, Out> {
  waiting: Entry<In, Out>[]
  isBusy: boolean
  /** Lets the first of those who wait go on, which makes the next call. */
  wake?: () => void
}

/**
 * Makes a function that puts an input into the next call to a place, and gives its output, or undefined where too many
 * wait or it has waited too long. Who comes alone calls at once. What comes while a call is under way waits for its
 * end, and the first of those then makes one call for them all: the busier a place, the less of a call each costs.
 */
export function sharedCalls<In, Out>({ send, keepAlive, after }: Calls<In, Out>) {
  const places = new Map<string, Place<In, Out>>()

  async function lead(name: string, place: Place<In, Out>): Promise<void> {
    if (place.isBusy) {
      await new Promise<void>((resolve) => {
        place.wake = resolve
      })
    }
    const entries = place.waiting
    place.waiting = []
    place.isBusy = true
    await serve(name, entries)
    place.isBusy = false
    if (place.waiting.length > 0) place.wake?.()
    else if (places.get(name) === place) places.delete(name)
  }

  async function serve(name: string, entries: readonly Entry<In, Out>[]): Promise<void> {
    try {
      const inputs = entries.map(({ input }) => input)
      const outputs = await send(name, inputs)
      if (outputs.length !== inputs.length)
        throw new Error(`${inputs.length} inputs had ${outputs.length} outputs`)
      for (const [index, { resolve }] of entries.entries()) resolve(outputs[index])
    } catch (error) {
      for (const { reject } of entries) reject(error)
    }
  }

  return async (name: string, input: In): Promise<Out | undefined> => {
    const place = places.get(name) ?? { waiting: [], isBusy: false }
    places.set(name, place)
    if (place.waiting.length >= CAPACITY) return undefined
    const { promise, resolve, reject } = Promise.withResolvers<Out | undefined>()
    place.waiting.push({ input, resolve, reject })
    if (place.waiting.length === 1) keepAlive(lead(name, place))
    if (place.waiting.length === 0) return promise

    // A request that waits for another one alone is taken for hung by the platform: a timer of its own prevents that.
    const cancel = after(PATIENCE, () => {
      if (places.get(name) === place) places.delete(name)
      resolve(undefined)
    })
    try {
      return await promise
    } finally {
      cancel()
    }
  }
}
