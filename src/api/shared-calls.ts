// Calls to one place: requests that come while one is under way share the next one.

/** How many inputs one call takes. */
const CAPACITY = 200

/** Milliseconds that the next call is held back for the one under way: a slow one is not waited for. */
const GATHERING = 5

/** Milliseconds that a call takes inputs. It is sent long before, unless the platform ended the request that sends it. */
const OPEN = 1000

/** Milliseconds that an output is waited for. */
const PATIENCE = 10_000

export interface Calls<In, Out> {
  /** Calls a place for all of the inputs, and gives an output for each, in their order. */
  send(place: string, inputs: readonly In[]): Promise<readonly Out[]>
  /** Unix milliseconds. */
  now(): number
  sleep(milliseconds: number): Promise<void>
  /** Keeps the request at hand alive until the work is done, though its caller may hang up. */
  keepAlive(work: Promise<void>): void
}

interface Call<In, Out> {
  since: number
  inputs: In[]
  /** What came of it, when it has ended. */
  result?: PromiseSettledResult<readonly Out[]>
}

interface Place<In, Out> {
  /** The latest call that was sent and has not ended. */
  underWay?: Call<In, Out> | undefined
  /** Takes inputs until it is sent. */
  next?: Call<In, Out> | undefined
}

/**
 * Makes a function that puts an input into the next call to a place, and gives its output, or undefined where none came
 * in time. Who comes alone calls at once. What comes while a call is under way waits for its end, a few milliseconds at
 * most, and the first of those then makes one call for them all: the busier a place, the less of a call each costs.
 */
export function sharedCalls<In, Out>({ send, now, sleep, keepAlive }: Calls<In, Out>) {
  const places = new Map<string, Place<In, Out>>()

  /**
   * Waits for what another request does: by looking, at first every millisecond and then less and less often, because
   * one request's promise does not reliably wake another one.
   */
  async function until(isSo: () => boolean, milliseconds: number): Promise<void> {
    for (let waited = 0; waited < milliseconds && !isSo(); ) {
      const pause = 1 + Math.floor(waited / 8)
      await sleep(pause)
      waited += pause
    }
  }

  async function lead(name: string, place: Place<In, Out>, call: Call<In, Out>): Promise<void> {
    await until(() => place.underWay === undefined, GATHERING)
    if (place.next === call) place.next = undefined
    place.underWay = call
    const [result] = await Promise.allSettled([answer(name, call.inputs)])
    call.result = result
    if (place.underWay === call) place.underWay = undefined
    if (!place.underWay && !place.next && places.get(name) === place) places.delete(name)
  }

  async function answer(name: string, inputs: readonly In[]): Promise<readonly Out[]> {
    const outputs = await send(name, inputs)
    if (outputs.length === inputs.length) return outputs
    throw new Error(`${inputs.length} inputs had ${outputs.length} outputs`)
  }

  function outputOf({ result }: Call<In, Out>, index: number): Out | undefined {
    if (result?.status === 'rejected') throw result.reason
    return result?.value[index]
  }

  return async (name: string, input: In): Promise<Out | undefined> => {
    const place = places.get(name) ?? {}
    places.set(name, place)
    const { next } = place
    if (next && next.inputs.length < CAPACITY && now() - next.since < OPEN) {
      const index = next.inputs.push(input) - 1
      await until(() => next.result !== undefined, PATIENCE)
      return outputOf(next, index)
    }
    const call: Call<In, Out> = { since: now(), inputs: [input] }
    place.next = call
    const work = lead(name, place, call)
    keepAlive(work)
    await work
    return outputOf(call, 0)
  }
}
