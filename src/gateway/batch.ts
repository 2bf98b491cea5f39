// Calls to one place: requests that come while others are about share them.
import { setBounded } from './bounded-map.ts'

/** How many inputs one call takes. */
const CAPACITY = 200

/** Milliseconds that a call waits, for the one under way and for more inputs: a slow one is not waited for. */
const GATHERING = 5

/** Milliseconds that a call takes inputs. It is sent long before, unless the platform ended the request that sends it. */
const OPEN = 1000

/** Milliseconds that an output is waited for. */
const PATIENCE = 10_000

/** Places that are remembered, those asked for last: more than are busy in one data centre at a time. */
const REMEMBERED = 1000

export interface Calls<In, Out> {
  /** Calls a place for all of the inputs, and gives an output for each, in their order. */
  send(place: string, inputs: readonly In[]): Promise<readonly Out[]>
  /** Unix milliseconds. */
  now(): number
  sleep(milliseconds: number): Promise<void>
  /** Keeps the request at hand alive until the work is done, though its caller may hang up. */
  waitUntil(work: Promise<void>): void
}

interface Call<In, Out> {
  since: number
  inputs: In[]
  isSent: boolean
  /** What came of it, when it has ended. */
  result?: PromiseSettledResult<readonly Out[]>
}

interface Place<In, Out> {
  /** Inputs that were about when the last call ended: its own, and those that waited. As many may come again. */
  expected: number
  /** The latest call that was sent and has not ended. */
  underWay?: Call<In, Out> | undefined
  /** Takes inputs until it is sent. */
  next?: Call<In, Out> | undefined
}

/**
 * Makes a function that puts an input into the next call to a place, and gives its output, or undefined where none came
 * in time. Who comes alone calls at once. Who comes while others are about shares: a call is made when the last one has
 * ended and as many inputs are there as then were about, or no more come, and after a few milliseconds at any rate. So
 * the busier a place, the less of a call each input costs.
 */
export function sharedCalls<In, Out>({ send, now, sleep, waitUntil }: Calls<In, Out>) {
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

  const isFull = (place: Place<In, Out>, call: Call<In, Out>): boolean =>
    !place.underWay && call.inputs.length >= Math.min(place.expected, CAPACITY)

  /** Until the call is to be sent: it is full, or one look finds no more inputs than the look before. */
  async function gather(place: Place<In, Out>, call: Call<In, Out>): Promise<void> {
    let seen = 0
    const isOver = () => {
      const isQuiet = !place.underWay && call.inputs.length === seen
      seen = call.inputs.length
      return call.isSent || isQuiet || isFull(place, call)
    }
    await until(isOver, GATHERING)
  }

  async function make(name: string, place: Place<In, Out>, call: Call<In, Out>): Promise<void> {
    call.isSent = true
    if (place.next === call) place.next = undefined
    place.underWay = call
    const [result] = await Promise.allSettled([answer(name, call.inputs)])
    call.result = result
    // A slow one says nothing about those that came after it.
    if (place.underWay !== call) return
    place.underWay = undefined
    place.expected = call.inputs.length + (place.next?.inputs.length ?? 0)
    if (place.expected === 1 && !place.next && places.get(name) === place) places.delete(name)
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

  /** The call that takes the next input. */
  function nextCall(place: Place<In, Out>): Call<In, Out> {
    const { next } = place
    if (next && next.inputs.length < CAPACITY && now() - next.since < OPEN) return next
    place.next = { since: now(), inputs: [], isSent: false }
    return place.next
  }

  return async (name: string, input: In): Promise<Out | undefined> => {
    const place = places.get(name) ?? { expected: 1 }
    setBounded(places, name, place, REMEMBERED)
    const call = nextCall(place)
    const index = call.inputs.push(input) - 1
    // Whoever makes the call full sends it; the first sends it where nobody does.
    const isFirst = index === 0
    if (isFirst || isFull(place, call)) {
      const work = (async () => {
        if (isFirst) await gather(place, call)
        if (!call.isSent) await make(name, place, call)
      })()
      waitUntil(work)
      await work
    }
    await until(() => call.result !== undefined, PATIENCE)
    return outputOf(call, index)
  }
}
