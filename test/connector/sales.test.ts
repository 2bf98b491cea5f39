// Cashbox codes at Tochka: armed for each sale, paid once, disarmed; the other banks refuse them.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Answer } from '../support/network-service.ts'
import { arm, COUNTER } from './cashbox.ts'
import {
  deliver,
  HOUR,
  launched,
  MINUTE,
  register,
  registerData,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

async function counter() {
  const at = await surroundings()
  Object.assign(at.config.banks, { 'tochka-other': at.config.banks['tochka-main'] })
  const running = await start(at)
  return { at, ...running, code: await register(at, 'tea', COUNTER) }
}

const disarm = (at: Surroundings, code: { qrcId: string; reference: string }, saleUid: string) =>
  at.service.instruct('sale.deactivate', { siteId: 'tea', ...code, saleUid }, at.clock.now)

/** Kopecks for which the bank has armed the code. */
const armedFor = (at: Surroundings, { qrcId }: { qrcId: string }) =>
  at.tochka.codes.get(qrcId)?.arming?.amount

it('a sale is armed once, and its payment is reported under the bank’s id of the arming', async () => {
  const { at, connector, code } = await counter()
  const first = await arm(at, code, 's1')
  const paramsId = at.tochka.codes.get(code.qrcId)?.arming?.paramsId ?? ''
  expect(first).toEqual({
    status: 200,
    body: { reference: `${code.reference}:${paramsId}`, expiresOn: '2026-11-20T10:05:00.000Z' },
  })
  expect(await arm(at, code, 's1')).toEqual(first)
  expect(at.tochka.callsOf('arm')).toHaveLength(1)
  await at.tochka.pay(code.qrcId)
  await connector.settle()
  expect(Array.from(at.service.site('tea').payments)).toEqual([
    [
      paramsId,
      expect.objectContaining({
        saleUid: 's1',
        status: 'COMPLETED',
        amount: { value: '5.00', currency: 'RUB' },
      }),
    ],
  ])
})

describe('a saleUid that was armed before, of which the service has lost the answer', () => {
  it.each([
    ['for another amount', 0, '7.00'],
    ['after its end, for another amount', 6 * MINUTE, '7.00'],
    ['after its end', 6 * MINUTE, '5.00'],
  ])(
    'is refused %s, and the payment of its arming is reported with its own amount',
    async (_, time, value) => {
      const { at, later, code } = await counter()
      await arm(at, code, 's1')
      await at.tochka.pay(code.qrcId, { times: 0 })
      at.clock.now += time
      const { status, body } = await arm(at, code, 's1', value)
      expect([status, body.description]).toEqual([
        422,
        'the sale s1 was armed for 5.00 RUB until 2026-11-20T10:05:00.000Z, must be another saleUid',
      ])
      expect(armedFor(at, code)).toBeUndefined()
      expect((await arm(at, code, 's2', value)).status).toBe(200)
      await later(MINUTE)
      expect(Array.from(at.service.site('tea').payments.values())).toMatchObject([
        { saleUid: 's1', amount: { value: '5.00' } },
      ])
    },
  )

  it('is armed again where the bank’s answer was lost, and a payment of the first arming is not taken for it', async () => {
    const { at, connector, core, code } = await counter()
    at.tochka.fail('arm', { broken: 'after' })
    expect((await arm(at, code, 's1')).status).toBe(503)
    await at.tochka.pay(code.qrcId)
    at.clock.now += 6 * MINUTE
    expect((await arm(at, code, 's1', '7.00')).status).toBe(200)
    await connector.settle()
    expect(at.service.site('tea').payments.size).toBe(0)
    expect(core.disk.webhooks.waiting()).toMatchObject([{ problem: 'NO_SALE' }])
    await at.tochka.pay(code.qrcId)
    await connector.settle()
    expect(Array.from(at.service.site('tea').payments.values())).toMatchObject([
      { saleUid: 's1', amount: { value: '7.00' } },
    ])
    expect(core.disk.webhooks.waiting()).toHaveLength(1)
  })
})

it.each([{ qrcId: 'AS10000000000000000000000000OTHER' }, { amount: 1 }])(
  'an arming that the bank answers about something else is 503, and is armed again: %o',
  async (changes) => {
    const { at, code } = await counter()
    at.tochka.fail('arm', { changes })
    expect((await arm(at, code, 's1')).status).toBe(503)
    expect((await arm(at, code, 's1')).status).toBe(200)
  },
)

it('a paid sale whose amount the bank leaves out has the amount of its arming', async () => {
  const { at, later, code } = await counter()
  await arm(at, code, 's1', '5.00')
  await at.tochka.pay(code.qrcId, { times: 0 })
  at.tochka.fail('sale_status', { changes: { amount: undefined } })
  await later(MINUTE)
  expect(Array.from(at.service.site('tea').payments.values())).toMatchObject([
    { saleUid: 's1', amount: { value: '5.00' } },
  ])
})

it('a sale that was disarmed is not said to be armed: the bank is armed by another saleUid', async () => {
  const { at, code } = await counter()
  await arm(at, code, 's1')
  await disarm(at, code, 's1')
  expect((await arm(at, code, 's1')).status).toBe(422)
  expect(armedFor(at, code)).toBeUndefined()
  expect((await arm(at, code, 's2')).status).toBe(200)
})

it('a sale whose payment is recorded while the bank disarms its code stays paid', async () => {
  const { at, connector, core, code } = await counter()
  await arm(at, code, 's1')
  await at.tochka.pay(code.qrcId, { times: 0 })
  at.tochka.beforeAnswer = async (operation) => {
    if (operation !== 'disarm') return
    await deliver(at, 'tea', code.qrcId)
    await connector.settle(1)
  }
  await disarm(at, code, 's1')
  expect(at.tochka.callsOf('disarm')).toHaveLength(1)
  expect(core.disk.sales.get('tea', code.qrcId, 's1')).toMatchObject({ state: 'PAID', rests: true })
})

it('a sale whose webhook is lost is found, and a late one after another sale is not mixed up', async () => {
  const { at, later, code } = await counter()
  await arm(at, code, 's1', '5.00')
  await at.tochka.pay(code.qrcId, { times: 0 })
  await arm(at, code, 's2', '7.00')
  await at.tochka.pay(code.qrcId, { times: 0 })
  await later(MINUTE)
  const reported = Array.from(at.service.site('tea').payments.values(), ({ saleUid, amount }) => [
    saleUid,
    amount,
  ])
  expect(reported.toSorted()).toEqual([
    ['s1', { value: '5.00', currency: 'RUB' }],
    ['s2', { value: '7.00', currency: 'RUB' }],
  ])
})

it('a webhook that comes after its sale was found paid is done, also while another sale is armed', async () => {
  const { at, connector, later, core, code } = await counter()
  await arm(at, code, 's1')
  const ref = await at.tochka.pay(code.qrcId, { times: 0 })
  await later(MINUTE)
  expect(at.service.reports).toHaveLength(1)
  await arm(at, code, 's2')
  await at.tochka.deliver(ref)
  await connector.settle()
  expect(core.disk.webhooks.waiting()).toEqual([])
  expect(at.service.reports).toHaveLength(1)
})

it('a sale whose status the bank refuses is asked about as seldom as any other, then hourly, and named', async () => {
  const { at, later, core, code } = await counter()
  await arm(at, code, 's1')
  at.tochka.fail('sale_status', { status: 404 }, 1_000)
  for (let second = 0; second < 10 * 60; second += 15) {
    await later(15_000, 1, 1)
  }
  expect(at.tochka.callsOf('sale_status')).toHaveLength(6)
  expect(core.disk.sales.latest('tea', code.qrcId)).toMatchObject([{ state: 'OPEN' }])
  await later(HOUR, 80, 1)
  expect(at.tochka.callsOf('sale_status')).toHaveLength(5 + 72)
  expect(core.disk.lateAsks.unresolved()).toMatchObject([{ qrcId: code.qrcId, saleUid: 's1' }])
})

it('a sale whose status the bank refuses until after its end is found when it answers', async () => {
  const { at, connector, later, core, code } = await counter()
  await arm(at, code, 's1')
  await at.tochka.pay(code.qrcId, { times: 0 })
  at.tochka.fail('sale_status', { status: 404 }, 3)
  for (const time of [MINUTE, 5 * MINUTE, HOUR, HOUR]) {
    await later(time, 1, 1)
  }
  await connector.settle()
  expect(Array.from(at.service.site('tea').payments.values())).toMatchObject([{ saleUid: 's1' }])
  expect(core.disk.sales.latest('tea', code.qrcId)).toMatchObject([{ state: 'PAID' }])
})

it('a sale of another disk is learned from the service’s list, and its payment found', async () => {
  const { at, code, stop } = await counter()
  const armed = await arm(at, code, 's1')
  await stop()
  rmSync(join(at.directory, 'connector.sqlite'))
  const times = {
    createdOn: new Date(at.clock.now).toISOString(),
    expiresOn: new Date(at.clock.now + 5 * MINUTE).toISOString(),
  }
  const amount = { value: '5.00', currency: 'RUB' }
  const sale = { saleUid: 's1', status: 'ACTIVE', amount, reference: armed.body.reference, ...times }
  const { qrcId, reference } = code
  at.service.qrCodes.push({
    ...{ siteId: 'tea', qrcId, reference, type: 'COUNTER', status: 'CREATED' },
    ...{ createdOn: times.createdOn, sales: [sale] },
  })
  await at.tochka.pay(qrcId, { times: 0 })
  at.clock.now += MINUTE
  const { connector } = await start(at)
  await connector.settle()
  expect(Array.from(at.service.site('tea').payments.values())).toMatchObject([{ saleUid: 's1', amount }])
})

it('a sale that is disarmed cannot be paid; disarming an ended one leaves the next one armed', async () => {
  const { at, code } = await counter()
  await arm(at, code, 's1')
  for (let i = 0; i < 2; i++) expect((await disarm(at, code, 's1')).status).toBe(200)
  expect(armedFor(at, code)).toBeUndefined()
  expect(at.tochka.callsOf('disarm')).toHaveLength(1)
  await arm(at, code, 's2')
  expect((await disarm(at, code, 's1')).status).toBe(200)
  expect(armedFor(at, code)).toBe(500)
})

it('disarming a sale that expired leaves the next one armed', async () => {
  const { at, code } = await counter()
  await arm(at, code, 's1')
  at.clock.now += 5 * MINUTE
  await arm(at, code, 's2', '7.00')
  expect((await disarm(at, code, 's1')).status).toBe(200)
  expect(armedFor(at, code)).toBe(700)
})

it('disarming a sale leaves the next one armed whose answer was lost', async () => {
  const { at, code } = await counter()
  await arm(at, code, 's1')
  at.tochka.fail('arm', { broken: 'after' })
  at.clock.now += 1000
  expect((await arm(at, code, 's2', '7.00')).status).toBe(503)
  expect((await disarm(at, code, 's1')).status).toBe(200)
  expect(armedFor(at, code)).toBe(700)
})

describe('two calls about one code at once', () => {
  /** s1 is armed, and the bank is slow at the hook of the operation. */
  async function slowAt(operation: 'arm' | 'disarm', hook: 'beforeExecution' | 'beforeAnswer') {
    const { at, code } = await counter()
    const other = await register(at, 'tea', COUNTER)
    await arm(at, code, 's1')
    const held = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    at.tochka[hook] = async (called, { path }) => {
      if (called !== operation || !path.includes(code.qrcId)) return
      held.resolve()
      await released.promise
    }
    /** @param meanwhile what happens while the first call is held and the second one waits */
    const both = async (
      first: () => Promise<Answer>,
      second: () => Promise<Answer>,
      meanwhile: () => void = () => {},
    ) => {
      const answers = [first()]
      await held.promise
      answers.push(second())
      // Codes do not wait for each other; and the second call has had the time to reach the bank.
      expect((await arm(at, other, 's1')).status).toBe(200)
      meanwhile()
      released.resolve()
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    return { at, code, both }
  }

  it('arming waits for the disarming of the sale before, and stands', async () => {
    const { at, code, both } = await slowAt('disarm', 'beforeExecution')
    const statuses = await both(
      () => disarm(at, code, 's1'),
      () => arm(at, code, 's2', '7.00'),
    )
    expect([statuses, armedFor(at, code)]).toEqual([[200, 200], 700])
  })

  it.each(['beforeExecution', 'beforeAnswer'] as const)(
    'disarming the sale before waits for the arming, and leaves it: %s',
    async (hook) => {
      const { at, code, both } = await slowAt('arm', hook)
      const statuses = await both(
        () => arm(at, code, 's2', '7.00'),
        () => disarm(at, code, 's1'),
      )
      expect([statuses, armedFor(at, code)]).toEqual([[200, 200], 700])
      expect(at.tochka.callsOf('disarm')).toEqual([])
    },
  )

  it('disarming a sale waits for its own arming, and ends it', async () => {
    const { at, code, both } = await slowAt('arm', 'beforeExecution')
    const statuses = await both(
      () => arm(at, code, 's2', '7.00'),
      () => disarm(at, code, 's2'),
    )
    expect([statuses, armedFor(at, code)]).toEqual([[200, 200], undefined])
  })

  it('a third one waits for the second one, too', async () => {
    const { at, code } = await counter()
    const other = await register(at, 'tea', COUNTER)
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    const [first, second, third] = gates
    const waiting = [...gates]
    at.tochka.beforeExecution = async (_, { path }) => {
      if (path.includes(code.qrcId)) await waiting.shift()?.promise
    }
    const arming = arm(at, code, 's1')
    await vi.waitFor(() => expect(waiting).toHaveLength(2), { timeout: 30_000 })
    const disarming = disarm(at, code, 's1')
    await arm(at, other, 's1')
    first?.resolve()
    await arming
    const next = arm(at, code, 's2', '7.00')
    third?.resolve()
    // A call that does not wait has had the time to reach the bank.
    await arm(at, other, 's2')
    second?.resolve()
    expect([(await disarming).status, (await next).status, armedFor(at, code)]).toEqual([200, 200, 700])
  })

  it('arming one sale twice calls the bank once', async () => {
    const { at, code, both } = await slowAt('arm', 'beforeExecution')
    const again = () => arm(at, code, 's2', '7.00')
    expect(await both(again, again)).toEqual([200, 200])
    // s1, s2 and the sale of the other code.
    expect(at.tochka.callsOf('arm')).toHaveLength(3)
  })

  it('one whose turn comes when the service has stopped waiting is 503, and calls no bank', async () => {
    const { at, code, both } = await slowAt('arm', 'beforeExecution')
    const statuses = await both(
      () => arm(at, code, 's2', '7.00'),
      () => disarm(at, code, 's2'),
      () => {
        at.clock.now += 9_000
      },
    )
    expect([statuses, armedFor(at, code)]).toEqual([[200, 503], 700])
  })

  it('one that the bank has not answered when the service stops waiting is 503', async () => {
    const { at, code } = await counter()
    await arm(at, code, 's1')
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const waiting = [...gates]
    at.tochka.beforeExecution = async () => waiting.shift()?.promise
    const arming = arm(at, code, 's2', '7.00')
    await vi.waitFor(() => expect(waiting).toHaveLength(1), { timeout: 30_000 })
    const disarming = disarm(at, code, 's2')
    // Of its nine seconds the second call has the last tenth of one.
    at.clock.now += 8900
    gates[0]?.resolve()
    expect([(await arming).status, (await disarming).status]).toEqual([200, 503])
    gates[1]?.resolve()
  })
})

it('503 where the bank does not answer, and the same request arms', async () => {
  const { at, code } = await counter()
  at.tochka.fail('arm', { status: 500 })
  expect((await arm(at, code, 's1')).status).toBe(503)
  expect((await arm(at, code, 's1')).status).toBe(200)
})

it('the webhook of a payment whose arming had no answer waits, and is listed', async () => {
  const { at, connector, core, code } = await counter()
  await arm(at, code, 's1')
  await at.tochka.pay(code.qrcId)
  await connector.settle()
  at.tochka.fail('arm', { broken: 'after' })
  expect((await arm(at, code, 's2')).status).toBe(503)
  await at.tochka.pay(code.qrcId)
  await connector.settle()
  expect(core.disk.webhooks.waiting()).toMatchObject([{ problem: 'NO_SALE' }])
  expect(at.service.site('tea').payments.size).toBe(1)
})

it.each([
  ['that its schedule has found', MINUTE],
  ['that nothing has found yet', 0],
])(
  'the webhook of an arming without an answer is not taken for that of another sale, %s, whose webhook was lost',
  async (_, time) => {
    const { at, connector, later, core, code } = await counter()
    await arm(at, code, 's0', '5.00')
    await at.tochka.pay(code.qrcId, { times: 0 })
    await later(time)
    at.tochka.fail('arm', { broken: 'after' })
    expect((await arm(at, code, 's1', '9.00')).status).toBe(503)
    await at.tochka.pay(code.qrcId)
    await connector.settle()
    expect(Array.from(at.service.site('tea').payments.values())).toMatchObject([
      { saleUid: 's0', amount: { value: '5.00' } },
    ])
    expect(core.disk.webhooks.waiting()).toMatchObject([{ problem: 'NO_SALE' }])
  },
)

describe('two webhooks of one sum that are processed at once', () => {
  it.each([
    ['that nothing has found yet', 0],
    ['that its schedule has found', MINUTE],
  ])(
    'end by a payment each, %s: that of an arming without an answer waits, and is listed',
    async (_, time) => {
      const { at, connector, later, core, code } = await counter()
      await arm(at, code, 's1')
      const ref = await at.tochka.pay(code.qrcId, { times: 0 })
      await later(time)
      at.tochka.fail('arm', { broken: 'after' })
      expect((await arm(at, code, 's2')).status).toBe(503)
      await at.tochka.deliver(ref)
      await at.tochka.pay(code.qrcId)
      await connector.settle()
      expect(at.service.site('tea').payments.size).toBe(1)
      expect(core.disk.webhooks.waiting()).toMatchObject([{ problem: 'NO_SALE' }])
    },
  )

  it('report two sales, and both end', async () => {
    const { at, connector, core, code } = await counter()
    for (const saleUid of ['s1', 's2']) {
      await arm(at, code, saleUid)
      await at.tochka.pay(code.qrcId)
    }
    await connector.settle()
    const reported = Array.from(at.service.site('tea').payments.values(), ({ saleUid }) => saleUid)
    expect(reported.sort()).toEqual(['s1', 's2'])
    expect(core.disk.webhooks.waiting()).toEqual([])
  })
})

it('many webhooks of one counter do not delay that of another code', async () => {
  const { at, connector, code } = await counter()
  for (let sale = 0; sale < 20; sale++) {
    await arm(at, code, `s${sale}`)
    await at.tochka.pay(code.qrcId)
  }
  const other = await register(at, 'tea')
  await at.tochka.pay(other.qrcId)
  await connector.settle(1)
  expect(at.service.site('tea').payments.has(other.qrcId)).toBe(true)
})

it('a webhook that rests ends where the sale’s schedule finds its payment', async () => {
  const { at, connector, later, core, code } = await counter()
  await arm(at, code, 's1')
  at.tochka.fail('sale_status', { status: 502 }, 10)
  await at.tochka.pay(code.qrcId)
  await connector.settle(1)
  expect(core.disk.webhooks.waiting()).toHaveLength(1)
  const [row] = core.disk.webhooks.waiting()
  if (row) core.disk.webhooks.delay(row, { problem: 'NO_SALE' }, { now: at.clock.now, dueAt: 'REST' })
  at.tochka.heal()
  await later(MINUTE)
  expect(at.service.site('tea').payments.size).toBe(1)
  expect(core.disk.webhooks.waiting()).toEqual([])
})

it('two sets of credentials that the bank tells of one payment each end their webhook', async () => {
  const { at, connector, core, code } = await counter()
  await arm(at, code, 's1')
  const ref = await at.tochka.pay(code.qrcId)
  await connector.settle()
  const url = at.tochka.webhook?.url ?? ''
  at.tochka.webhook = {
    url: url.replace('tochka-main', 'tochka-other'),
    webhooksList: ['incomingSbpPayment'],
  }
  await at.tochka.deliver(ref)
  await connector.settle()
  expect(at.service.site('tea').payments.size).toBe(1)
  expect(core.disk.webhooks.waiting()).toEqual([])
})

it.each(['cafe', 'farm'])('%s: 422, the bank has no such codes', async (site) => {
  const { at } = await launched()
  const data = registerData(at, site, COUNTER)
  expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(422)
})

it('a sale is asked about before codes that became due after it', async () => {
  const { at, connector, later, code } = await counter()
  expect((await arm(at, code, 's1')).status).toBe(200)
  await at.tochka.pay(code.qrcId, { times: 0 })
  at.clock.now += 1_000
  for (let i = 0; i < 5; i++) await register(at, 'tea')
  await later(MINUTE, 1, 1)
  await connector.settle(1)
  expect(at.service.site('tea').payments.size).toBe(1)
  expect(at.tochka.callsOf('status').length).toBeGreaterThan(4)
})

it.each([0, -500])(
  'a sale of which the bank states the amount %d is told once its amount is known',
  async (amount) => {
    const { at, later, code } = await counter()
    await arm(at, code, 's1')
    await at.tochka.pay(code.qrcId, { times: 0 })
    at.tochka.fail('sale_status', { changes: { amount } })
    await later(MINUTE, 3)
    expect(Array.from(at.service.site('tea').payments.values())).toMatchObject([
      { saleUid: 's1', amount: { value: '5.00' } },
    ])
  },
)

it.each(['', 'a b', 'a:b', '\u0000', 'a'.repeat(65)])(
  '503 where the bank’s id of the arming is %j, and the same sale is armed again',
  async (paramsId) => {
    const { at, code } = await counter()
    at.tochka.fail('arm', { changes: { paramsId } })
    expect((await arm(at, code, 's1')).status).toBe(503)
    expect((await arm(at, code, 's1')).status).toBe(200)
  },
)
