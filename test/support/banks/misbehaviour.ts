// How a bank misbehaves, by a seed: any call can be executed or not, whatever its answer says.
import type { Random } from '../random.ts'
import type { Fault } from './fake-bank.ts'

/** What happens to one call. `failure`: in the bank's own shape, with a code that its document does not give. */
export interface Trouble {
  isExecuted: boolean
  answer: 'cut' | 'failure' | 'stale' | { status: number; body: string }
}

/** What a bank is like for some time. */
export interface Mood {
  /** Which calls it concerns. */
  of: 'all' | 'reads' | 'writes'
  /** The part of these calls that go wrong. */
  rate: number
  /** The same each time, as while a gateway is down; by default each call has its own. */
  trouble?: Trouble
}

/** What gateways and proxies answer instead of a bank. */
const STATUSES = [404, 404, 400, 401, 403, 409, 422, 429, 500, 502, 503] as const
const BODIES = ['<html><body><h1>Gateway</h1></body></html>', '', '{"error":"no upstream"}', 'null'] as const

export function troubleOf(random: Random): Trouble {
  const isExecuted = random.chance(0.5)
  const answer = random.weighted({ cut: 3, failure: 4, stale: 2, gateway: 4, nonsense: 1 })
  if (answer === 'gateway') {
    return { isExecuted, answer: { status: random.pick(STATUSES), body: random.pick(BODIES) } }
  }
  if (answer === 'nonsense') return { isExecuted, answer: { status: 200, body: random.pick(BODIES) } }
  return { isExecuted, answer }
}

/** A mood at random: often there is none. */
export function moodOf(random: Random): Mood | undefined {
  const kind = random.weighted({ well: 5, careless: 4, down: 3 })
  if (kind === 'well') return
  const of = random.pick(['all', 'reads', 'writes'])
  if (kind === 'careless') return { of, rate: random.pick([0.1, 0.3, 0.6]) }
  return { of, rate: 1, trouble: troubleOf(random) }
}

export class Misbehaviour {
  mood: Mood | undefined
  /** What goes wrong instead: the calls that the mood concerns have the fault that it gives. */
  faultOf: ((random: Random, operation: string) => Fault | undefined) | undefined
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** What happens to the next call; undefined: what should. */
  next(isRead: boolean): Trouble | undefined {
    const { mood } = this
    if (!this.faultOf && this.#concerns(isRead)) return mood?.trouble ?? troubleOf(this.#random)
  }

  /** The fault of the next call, where there are faults. */
  fault(isRead: boolean, operation: string): Fault | undefined {
    if (this.faultOf && this.#concerns(isRead)) return this.faultOf(this.#random, operation)
  }

  #concerns(isRead: boolean): boolean {
    const { mood } = this
    if (!mood || (mood.of === 'reads' && !isRead) || (mood.of === 'writes' && isRead)) return false
    return this.#random.chance(mood.rate)
  }
}
