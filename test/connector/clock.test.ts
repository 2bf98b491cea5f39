// A clock that was ahead: when it is right again, what it has delayed or ended is done, while the connector runs and at a start.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { countExcess } from '../../connector/money/refund/comparison.ts'
import { bound, boundBy, charge, RAIFFEISEN, registerToken } from './bound.ts'
import {
  DAY,
  HOUR,
  launched,
  MINUTE,
  ofRefund,
  pay,
  type Running,
  refund,
  register,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'
import { runCommand } from './process.ts'

/** When a code of three days ends. */
const inThreeDays = (at: Surroundings) => new Date(at.clock.now + 3 * DAY).toISOString()
const longCode = (at: Surroundings, site: string) =>
  register(at, site, { ttl: 4_320, expiresOn: inThreeDays(at) })

/** Something that the connector has to do. */
interface Work {
  /** It fails, and is tried again. @returns whether it is done */
  begin: () => Promise<() => unknown>
  /** It can be done from now on. */
  heal: () => void
}

const WORK: Record<string, (at: Surroundings, running: Running) => Promise<Work>> = {
  'a report': async (at) => {
    const { qrcId } = await register(at, 'cafe')
    const begin = async () => {
      at.service.answerTo(qrcId, { status: 503, body: {} })
      await at.tbank.pay(qrcId)
      return () => at.service.site('cafe').payments.has(qrcId)
    }
    return { begin, heal: () => at.service.answerTo(qrcId, undefined) }
  },
  'a refund': async (at, { connector }) => {
    const link = await register(at, 'farm')
    await at.raiffeisen.pay(link.qrcId)
    await connector.settle()
    const begin = async () => {
      at.raiffeisen.fail('refund', { broken: 'after' })
      at.raiffeisen.fail('refund_status', { status: 502 }, 100)
      const asked = await refund(at, 'farm', link, '30.00')
      return () => ofRefund(at, asked)?.status === 'COMPLETED'
    }
    return { begin, heal: () => at.raiffeisen.heal() }
  },
  'the ask about a code': async (at) => {
    const { qrcId } = await longCode(at, 'cafe')
    const begin = async () => {
      at.tbank.fail('GetState', { status: 502 }, 100)
      await at.tbank.pay(qrcId, { times: 0 })
      return () => at.service.site('cafe').payments.has(qrcId)
    }
    return { begin, heal: () => at.tbank.heal() }
  },
  'a webhook': async (at, { core }) => {
    const { qrcId } = await register(at, 'cafe')
    const [code] = core.disk.codes.ofLink(qrcId)
    if (!code) throw new Error('no code')
    core.disk.codes.forget(code.id)
    const begin = async () => {
      await at.tbank.pay(qrcId)
      return () => at.service.site('cafe').payments.has(qrcId)
    }
    // Not by a list: what is learned from it wakes the webhook.
    const heal = () => {
      const { payload, reference, expiresAt } = code
      core.disk.codes.start({ ...code, key: null })
      core.disk.codes.finish(code.id, { qrcId, payload, reference: reference ?? '', expiresAt, dueAt: null })
    }
    return { begin, heal }
  },
  'a charge': async (at, { connector }) => {
    const token = await registerToken(at, 'cafe')
    await at.tbank.consent(token.qrcId, true)
    await connector.settle()
    const binding = boundBy(at, 'cafe', token.qrcId)
    const link = await longCode(at, 'cafe')
    const amount = { value: '100.00', currency: 'RUB' }
    const begin = async () => {
      at.tbank.fail('Init', { broken: 'before' }, 100)
      const asked = await charge(at, binding, link, { expiresOn: inThreeDays(at), amount })
      return () => asked.result()?.status === 'COMPLETED'
    }
    return { begin, heal: () => at.tbank.heal() }
  },
  'the ask about a binding': async (at) => {
    const { qrcId } = await registerToken(at, 'farm')
    const begin = async () => {
      at.raiffeisen.fail('subscription', { status: 502 }, 100)
      await at.raiffeisen.consent(qrcId, 'SUBSCRIBED', { times: 0 })
      return () => at.service.site('farm').bindings.size === 1
    }
    return { begin, heal: () => at.raiffeisen.heal() }
  },
  'a cancellation': async (at) => {
    const { qrcId, reference } = await longCode(at, 'farm')
    const begin = async () => {
      at.raiffeisen.fail('cancel', { status: 500 }, 100)
      await at.service.instruct('qrCode.cancel', { siteId: 'farm', qrcId, reference }, at.clock.now)
      return () => at.raiffeisen.codes.get(qrcId)?.isCancelled
    }
    return { begin, heal: () => at.raiffeisen.heal() }
  },
}

const cases = Object.entries(WORK).flatMap(([name, prepare]) =>
  [
    { begun: 'before', ahead: DAY, when: 'while the connector runs' },
    { begun: 'before', ahead: DAY, when: 'at a start' },
    { begun: 'meanwhile', ahead: 30 * MINUTE, when: 'while the connector runs' },
  ].map((each) => ({ name, prepare, ...each })),
)

it.each(cases)(
  '$name, begun $begun, that a clock $ahead ms ahead has delayed is done $when',
  async ({ begun, ahead, when, prepare }) => {
    const at = await surroundings()
    let running = await start(at)
    const { begin, heal } = await prepare(at, running)
    if (begun === 'meanwhile') at.clock.now += ahead
    const isDone = await begin()
    await running.connector.settle()
    if (begun === 'before') await running.later(ahead)
    expect(isDone()).toBeFalsy()
    heal()
    if (when === 'at a start') await running.stop()
    at.clock.now -= ahead
    if (when === 'at a start') running = await start(at)
    await running.connector.settle()
    expect(isDone()).toBe(true)
  },
)

it.each(['while the connector runs', 'at a start'])(
  'the log says how far the clock went back, and how many rows it had put off: %s',
  async (when) => {
    const at = await surroundings()
    let running = await start(at)
    await longCode(at, 'cafe')
    await running.later(DAY)
    if (when === 'at a start') await running.stop()
    at.clock.now -= DAY
    if (when === 'at a start') running = await start(at)
    await running.connector.settle()
    const fields = { seconds: 86_400, rows: 1 }
    expect(running.log).toContainEqual({ level: 'warning', message: 'the clock went back', fields })
  },
)

it.each([
  ['over', 'OPEN', 'tea'],
  ['cancelled', 'CANCELLED', 'farm'],
])('a code that is %s by a clock that was ahead is asked about again', async (_, state, site) => {
  const { at, connector, later, core } = await launched()
  const { qrcId, reference } = await register(at, site)
  if (state === 'CANCELLED')
    await at.service.instruct('qrCode.cancel', { siteId: site, qrcId, reference }, at.clock.now)
  await later(DAY)
  expect(core.disk.codes.countOpen()).toBe(0)
  at.clock.now -= DAY
  await connector.settle()
  expect(core.disk.codes.ofSite(site, qrcId)?.state).toBe(state)
  await pay(at, site, qrcId, { times: 0 })
  await later(MINUTE)
  expect(at.service.site(site).payments.has(qrcId)).toBe(true)
})

it.each([
  ['of less than a minute', 0, 30_000],
  ['to a time after the last ask', 30 * MINUTE, 20 * MINUTE],
])('a step back %s makes no bank be asked', async (_, pause, step) => {
  const { at, connector, later } = await launched()
  await longCode(at, 'cafe')
  await later(2 * HOUR)
  await later(pause)
  const asks = at.tbank.calls.length
  at.clock.now -= step
  await connector.settle()
  await later(2 * MINUTE)
  expect(at.tbank.calls).toHaveLength(asks)
})

it('an ask that was in flight when the clock went back delays the next one by a minute', async () => {
  const { at, connector, later } = await launched()
  const { qrcId } = await longCode(at, 'cafe')
  await connector.settle()
  at.clock.now += DAY
  at.tbank.beforeAnswer = async () => {
    at.tbank.beforeAnswer = async () => {}
    at.clock.now -= DAY
    connector.turn()
  }
  await connector.settle()
  await at.tbank.pay(qrcId, { times: 0 })
  await later(MINUTE)
  expect(at.service.site('cafe').payments.has(qrcId)).toBe(true)
})

describe('a counter', () => {
  async function counter(at: Surroundings) {
    const running = await start({ ...at, directory: join(at.directory, 'data') })
    const code = await register(at, 'tea', {
      ...{ type: 'COUNTER', amount: undefined, ttl: undefined, expiresOn: undefined },
    })
    const arm = async (saleUid: string) => {
      const expiresOn = new Date(at.clock.now + 5 * MINUTE).toISOString()
      const amount = { value: '5.00', currency: 'RUB' }
      const data = { siteId: 'tea', ...code, saleUid, ttl: 5, amount, expiresOn }
      expect((await at.service.instruct('sale.activate', data, at.clock.now)).status).toBe(200)
    }
    return { ...running, code, arm }
  }

  it('a sale that a clock two hours ahead has ended, and whose webhook is lost, is reported', async () => {
    const at = await surroundings()
    const { connector, core, code, arm } = await counter(at)
    await arm('s1')
    await connector.settle()
    at.clock.now += 2 * HOUR
    await connector.settle()
    expect(core.disk.sales.get('tea', code.qrcId, 's1')?.state).toBe('ENDED')
    at.clock.now -= 2 * HOUR
    await connector.settle()
    expect(core.disk.sales.get('tea', code.qrcId, 's1')?.state).toBe('OPEN')
    at.clock.now += MINUTE
    await at.tochka.pay(code.qrcId, { times: 0 })
    at.clock.now += MINUTE
    await connector.settle()
    expect(Array.from(at.service.site('tea').payments.values())).toMatchObject([{ saleUid: 's1' }])
  })

  it('a sale that is armed after the clock was a hundred days ahead is compared by `reconcile` in its own time', async () => {
    const at = await surroundings({ now: Date.now() - HOUR })
    const { connector, stop, code, arm } = await counter(at)
    at.clock.now += 100 * DAY
    await arm('s1')
    at.clock.now -= 100 * DAY
    await connector.settle()
    await arm('s2')
    await stop()
    await at.tochka.pay(code.qrcId, { times: 0 })
    const from = new Date(at.clock.now - DAY).toISOString()
    const { lines } = await runCommand(at, 'reconcile', '--from', from, '--to', new Date().toISOString())
    expect(lines).toContain(`tea ${code.qrcId} sale s2: paid at the bank, was not reported: it is now`)
  })

  it('the cancellation of a sale that was armed after a step back disarms the code', async () => {
    const at = await surroundings()
    const { core, code, arm } = await counter(at)
    await arm('s1')
    at.clock.now -= 30_000
    await arm('s2')
    const data = { siteId: 'tea', ...code, saleUid: 's2' }
    expect((await at.service.instruct('sale.deactivate', data, at.clock.now)).status).toBe(200)
    expect(at.tochka.codes.get(code.qrcId)?.arming).toBeUndefined()
    expect(core.disk.sales.latest('tea', code.qrcId).map(({ saleUid }) => saleUid)).toEqual(['s2', 's1'])
  })
})

it.each([
  ['behind', -96, 1],
  ['ahead', 300 * 24, 73],
])('a refund that was sent by a clock that was %s is held 72 hours after it came', async (_, wrong, age) => {
  const { at, connector, core } = await launched()
  const link = await register(at, 'farm')
  await at.raiffeisen.pay(link.qrcId)
  await connector.settle()
  at.raiffeisen.fail('refund', { broken: 'before' })
  at.raiffeisen.fail('refund_status', { status: 502 }, 1_000)
  const right = at.clock.now
  await refund(at, 'farm', link, '30.00')
  at.clock.now = right + wrong * HOUR
  await connector.settle(1)
  expect(at.raiffeisen.callsOf('refund')).toHaveLength(1)
  const held = []
  for (const hours of [0, age, 73]) {
    at.clock.now = right + hours * HOUR + MINUTE
    await connector.settle(1)
    held.push(core.disk.refunds.countHeld())
  }
  expect(held).toEqual([0, age > 72 ? 1 : 0, 1])
})

it('a charge that was sent by a clock that was behind is not held on the bank’s first word', async () => {
  const { at, running, binding, link } = await bound(RAIFFEISEN)
  const { connector, core } = running
  at.raiffeisen.fail('charge', { broken: 'before' })
  const right = at.clock.now
  await charge(at, binding, link)
  at.clock.now = right - 96 * HOUR
  await connector.settle()
  expect(at.raiffeisen.callsOf('charge')).toHaveLength(1)
  const held = []
  for (const minutes of [2, 63, 124]) {
    at.clock.now = right + minutes * MINUTE
    await connector.settle(1)
    held.push(core.disk.charges.held().length)
  }
  expect(held).toEqual([0, 1, 1])
})

it('what rests until somebody acts still rests', async () => {
  const { at, connector, core } = await launched()
  const { qrcId } = await register(at, 'cafe')
  core.disk.codes.forget(core.disk.codes.ofLink(qrcId)[0]?.id ?? '')
  await at.tbank.pay(qrcId)
  await connector.settle()
  const [webhook] = core.disk.webhooks.waiting()
  if (webhook) core.disk.webhooks.delay(webhook, { problem: 'NO_SITE' }, { now: at.clock.now, dueAt: 'REST' })
  const link = await register(at, 'tea')
  await at.tochka.pay(link.qrcId)
  await connector.settle()
  at.tochka.fail('refund', { broken: 'after' })
  await refund(at, 'tea', link, '1.00')
  await connector.settle()
  const resting = () => [
    core.disk.webhooks.waiting().map(({ rests }) => rests),
    rowsOf(at, 'refunds').map(({ state, rests }) => [state, rests]),
  ]
  const before = resting()
  expect(before).toEqual([[true], [['HELD', 1]]])
  at.clock.now -= DAY
  core.disk.dueTimes.correct(at.clock.now)
  expect(resting()).toEqual(before)
})

function rowsOf({ directory }: Surroundings, table: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(directory, 'connector.sqlite'))
  try {
    return database.prepare(`SELECT * FROM ${table}`).all()
  } finally {
    database.close()
  }
}

describe('a code that has ended', () => {
  async function ended() {
    const { at, running } = await launched()
    const code = await register(at, 'tea')
    await running.later(3 * HOUR)
    expect(running.core.disk.codes.countOpen()).toBe(0)
    return { at, ...running, code }
  }

  it('stays so where the clock goes back to a time before it: that clock is behind', async () => {
    const { at, connector, core } = await ended()
    at.clock.now -= 4 * HOUR
    await connector.settle()
    expect(core.disk.codes.countOpen()).toBe(0)
  })

  it('is not asked about again where its site is deleted', async () => {
    const { at, connector, core } = await ended()
    at.service.deleted.add('tea')
    core.disk.payerData.siteDeleted('tea', false)
    at.clock.now -= 2 * HOUR
    await connector.settle()
    expect(core.disk.codes.countOpen()).toBe(0)
  })
})

it('a consent that a clock a hundred days ahead has given up is asked for again', async () => {
  const { at, connector, later, core } = await launched()
  const { qrcId } = await registerToken(at, 'farm')
  await later(100 * DAY)
  expect(core.disk.bindings.countOpen()).toBe(0)
  at.clock.now -= 100 * DAY
  await at.raiffeisen.consent(qrcId, 'SUBSCRIBED', { times: 0 })
  await connector.settle()
  expect(at.service.site('farm').bindings.size).toBe(1)
})

describe('what the connector remembers of a clock that was ahead', () => {
  it('the lists of the service are read', async () => {
    const { at, connector, later } = await launched()
    await later(DAY)
    at.service.lists.length = 0
    at.clock.now -= DAY
    await connector.settle()
    expect(at.service.lists.length).toBeGreaterThan(0)
  })

  it('a bank that was down, and is when the clock is right, is asked as soon as ever', async () => {
    const { at, connector, later } = await launched()
    const codes = [await longCode(at, 'cafe'), await longCode(at, 'cafe'), await longCode(at, 'cafe')]
    at.tbank.fail('GetState', { status: 502 }, 100)
    await later(DAY)
    at.clock.now -= DAY
    for (let minute = 0; minute < 3; minute++) {
      await connector.settle()
      at.clock.now += MINUTE
    }
    at.tbank.heal()
    for (const { qrcId } of codes) await at.tbank.pay(qrcId, { times: 0 })
    await later(10 * MINUTE)
    expect(at.service.site('cafe').payments.size).toBe(3)
  })

  it.each(['while the connector runs', 'at a start'])('refunds are compared, %s', async (when) => {
    const at = await surroundings()
    let running = await start(at)
    const link = await register(at, 'farm')
    await at.raiffeisen.pay(link.qrcId)
    await running.connector.settle()
    await running.later(DAY)
    at.clock.now -= DAY
    at.raiffeisen.refundStatus = 'DECLINED'
    await refund(at, 'farm', link, '30.00')
    await running.connector.settle()
    for (const id of at.raiffeisen.refunds.keys()) at.raiffeisen.settleRefund(id, 'COMPLETED')
    if (when === 'at a start') {
      await running.stop()
      running = await start(at)
    }
    await running.later(6 * HOUR)
    expect(countExcess(running.core.disk)).toBe(1)
  })

  it('a key that Tochka has changed is fetched', async () => {
    const { at, connector } = await launched()
    const { qrcId } = await register(at, 'tea')
    at.clock.now += DAY
    await at.tochka.pay((await register(at, 'tea')).qrcId)
    at.clock.now -= DAY
    at.tochka.changeKey()
    await at.tochka.pay(qrcId)
    await connector.settle()
    expect(at.service.site('tea').payments.has(qrcId)).toBe(true)
  })

  it('payers’ data are erased', async () => {
    const at = await surroundings()
    Object.assign(at.config, { retentionDays: 30 })
    const { connector, later, core } = await start(at)
    await later(100 * DAY)
    at.clock.now -= 100 * DAY
    await at.tochka.pay((await register(at, 'tea')).qrcId)
    await connector.settle()
    const hasPayer = () => core.disk.reports.since(0).some(({ body }) => body.includes('payer'))
    expect(hasPayer()).toBe(true)
    await later(31 * DAY)
    expect(hasPayer()).toBe(false)
  })
})
