// Calls to one place: requests that come while one is under way share the next one.

/** How many inputs one call takes. */
const CAPACITY = 1000

/** Milliseconds after which nobody waits any more: the platform may end a request, and its call, without a word. */
const PATIENCE = 5000

export interface Calls<In, Out> {
  /** Calls a place for all of the inputs, and gives an output for each, in their order. */
  send(place: string, inputs: readonly In[]): Promise<readonly Out[]>
  sleep(milliseconds: number): Promise<void>
  /** Keeps the request at hand alive until the work is done, though its caller may hang up. */
  keepAlive(work: Promise<void>): void
}

interface Call<In, Out> {
  inputs: In[]
  /** What came of it, when it has ended. */
  result?: PromiseSettledResult<readonly Out[]>
}

interface Place<In, Out> {
  isBusy: boolean
  /** Takes inputs until it is sent. */
  next?: Call<In, Out> | undefined
}

/**
 * Makes a function that puts an input into the next call to a place, and gives its output, or undefined where too many
 * wait or it has waited too long. Who comes alone calls at once. What comes while a call is under way waits for its
 * end, and the first of those then makes one call for them all: the busier a place, the less of a call each costs.
 */
export function sharedCalls<In, Out>({ send, sleep, keepAlive }: Calls<In, Out>) {
  const places = new Map<string, Place<In, Out>>()

  /**
   * Waits for what another request does: by looking, at first every millisecond and then less and less often, because
   * one request's promise does not reliably wake another one.
   */
  async function until(isSo: () => boolean): Promise<boolean> {
    for (let waited = 0; waited < PATIENCE; ) {
      if (isSo()) return true
      const pause = 1 + Math.floor(waited / 8)
      await sleep(pause)
      waited += pause
    }
    return false
  }

  async function lead(name: string, place: Place<In, Out>, call: Call<In, Out>): Promise<void> {
    await until(() => !place.isBusy)
    if (place.next === call) place.next = undefined
    place.isBusy = true
    const [result] = await Promise.allSettled([answer(name, call.inputs)])
    call.result = result
    place.isBusy = false
    if (!place.next) places.delete(name)
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
    const place = places.get(name) ?? { isBusy: false }
    places.set(name, place)
    const { next } = place
    if (!next) {
      const call: Call<In, Out> = { inputs: [input] }
      place.next = call
      const work = lead(name, place, call)
      keepAlive(work)
      await work
      return outputOf(call, 0)
    }
    if (next.inputs.length >= CAPACITY) return undefined
    const index = next.inputs.push(input) - 1
    const hasEnded = await until(() => next.result !== undefined)
    // Whoever was to make the call is gone: the next one to come begins anew.
    if (!hasEnded && place.next === next) place.next = undefined
    return outputOf(next, index)
  }
}
