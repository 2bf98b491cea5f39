// The life of a QR code against a model of it: whatever is done in whatever order, the events explain the state.

import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cancel, eventsOf, type Fresh, fresh, report, statusOf } from '../support/qr-codes.ts'
import { tokenOf } from '../support/service.ts'

const FAR = { exp: 4_000_000_000 }
const TTL = 10
let token: string

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  token = await tokenOf(FAR)
})
afterEach(() => vi.useRealTimers())

/** What the contract says of it, told without the code under test. */
interface Model {
  history: string[]
  minutes: number
  payments: Map<string, string>
}

const PAYABLE = ['CREATED', 'DECLINED']
const stateOf = (model: Model) => {
  const last = model.history.at(-1) ?? ''
  return PAYABLE.includes(last) && model.minutes >= TTL ? 'EXPIRED' : last
}
function happens(model: Model, status: string): void {
  if (stateOf(model) === 'EXPIRED' && model.history.at(-1) !== 'EXPIRED') model.history.push('EXPIRED')
  model.history.push(status)
}

class Pay implements fc.AsyncCommand<Model, Fresh> {
  readonly uid: string
  constructor(uid: string) {
    this.uid = uid
  }
  check = () => true
  async run(model: Model, real: Fresh) {
    const { status } = await report(real, {}, `${real.uid}-${this.uid}`, FAR)
    const known = model.payments.get(this.uid)
    const may = known !== 'COMPLETED' && stateOf(model) !== 'PAYED'
    expect(status).toBe(known === 'COMPLETED' || may ? 200 : 409)
    if (!may) return
    happens(model, 'PAYED')
    model.payments.set(this.uid, 'COMPLETED')
  }
  toString = () => `pay(${this.uid})`
}

class Decline implements fc.AsyncCommand<Model, Fresh> {
  readonly uid: string
  constructor(uid: string) {
    this.uid = uid
  }
  check = () => true
  async run(model: Model, real: Fresh) {
    const { status } = await report(real, { status: 'DECLINED' }, `${real.uid}-${this.uid}`, FAR)
    const known = model.payments.get(this.uid)
    const may = known === undefined && PAYABLE.includes(stateOf(model))
    expect(status).toBe(known === 'DECLINED' || may ? 200 : 409)
    if (!may) return
    happens(model, 'DECLINED')
    model.payments.set(this.uid, 'DECLINED')
  }
  toString = () => `decline(${this.uid})`
}

class Cancel implements fc.AsyncCommand<Model, Fresh> {
  check = () => true
  async run(model: Model, real: Fresh) {
    const { status } = await cancel(real, { token })
    const state = stateOf(model)
    expect(status).toBe(PAYABLE.includes(state) || state === 'CANCELLED' ? 200 : 409)
    if (PAYABLE.includes(state)) happens(model, 'CANCELLED')
  }
  toString = () => 'cancel'
}

class Pass implements fc.AsyncCommand<Model, Fresh> {
  readonly minutes: number
  constructor(minutes: number) {
    this.minutes = minutes
  }
  check = () => true
  async run(model: Model) {
    model.minutes += this.minutes
    vi.setSystemTime(Date.now() + this.minutes * 60_000)
  }
  toString = () => `pass(${this.minutes})`
}

class Alarm implements fc.AsyncCommand<Model, Fresh> {
  check = () => true
  async run() {
    await runDurableObjectAlarm(env.SITES.getByName('demo'))
  }
  toString = () => 'alarm'
}

class Look implements fc.AsyncCommand<Model, Fresh> {
  check = () => true
  async run(model: Model, real: Fresh) {
    expect(await statusOf(real, { token })).toBe(stateOf(model))
    const shown = (await eventsOf(real, { token })).map(({ status }) => status)
    const expected = [...model.history]
    if (stateOf(model) !== expected.at(-1)) expected.push(stateOf(model))
    expect(shown).toEqual(expected)
  }
  toString = () => 'look'
}

it('the events explain the state, after any history', async () => {
  const uid = fc.constantFrom('a', 'b', 'c')
  const commands = fc.commands(
    [
      uid.map((one) => new Pay(one)),
      uid.map((one) => new Decline(one)),
      fc.constant(new Cancel()),
      fc.integer({ min: 1, max: TTL }).map((minutes) => new Pass(minutes)),
      fc.constant(new Alarm()),
      fc.constant(new Look()),
    ],
    { size: '+1' },
  )
  await fc.assert(
    fc.asyncProperty(commands, async (history) => {
      const setup = async () => ({
        model: { history: ['CREATED'], minutes: 0, payments: new Map<string, string>() },
        real: await fresh({}, { ttl: TTL }, { token }),
      })
      await fc.asyncModelRun(setup, [...history, new Look()])
    }),
    { numRuns: 60 },
  )
})
