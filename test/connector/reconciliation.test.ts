// Reconciliation: webhooks get lost, connectors are down, banks are slow; every payment is found.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { arm, COUNTER } from './cashbox.ts'
import {
  DAY,
  FAKES,
  HOUR,
  launched,
  MINUTE,
  pay,
  register,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

const SITES = FAKES.map(({ site }) => site)

describe.each(SITES)('%s', (site) => {
  it('a connector that was down over a weekend asks for all that ended meanwhile', async () => {
    const { at, running: first } = await launched()
    const paid = await register(at, site)
    const unpaid = await register(at, site)
    await first.stop()
    await pay(at, site, paid.qrcId, { times: 0 })
    at.clock.now += 3 * DAY
    const next = await start(at)
    await next.connector.settle()
    expect(Array.from(at.service.site(site).payments.keys())).toEqual([paid.qrcId])
    expect(next.core.disk.codes.countOpen()).toBe(0)
    // Once: nobody is asked again about what has ended.
    const calls = FAKES.flatMap(({ of }) => of(at).calls).length
    await next.later(DAY)
    expect(FAKES.flatMap(({ of }) => of(at).calls)).toHaveLength(calls)
    expect(at.service.site(site).payments.has(unpaid.qrcId)).toBe(false)
  })

  it.each([
    ['payable', MINUTE],
    ['ended over a weekend', 3 * DAY],
  ])('a connector on a new disk asks about the codes of the service’s list that are %s', async (_, time) => {
    const { at, running: first } = await launched()
    const { qrcId, reference } = await register(at, site)
    await first.loseDisk()
    const code = {
      siteId: site,
      qrcId,
      reference,
      type: 'DYNAMIC',
      amount: { value: '100.00', currency: 'RUB' },
    }
    const times = { createdOn: '2026-11-20T13:00:00+03:00', expiresOn: '2026-11-20T14:00:00+03:00' }
    at.service.qrCodes.push({ ...code, ...times, status: 'CREATED' })
    await pay(at, site, qrcId, { times: 0 })
    at.clock.now += time
    const { connector } = await start(at)
    await connector.settle()
    expect(at.service.site(site).payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
  })
})

it('asks Tochka for the status in the first day, and for its list of payments afterwards', async () => {
  const { at, later } = await launched()
  await register(at, 'tea', { ttl: 4_320, expiresOn: new Date(at.clock.now + 3 * DAY).toISOString() })
  await later(MINUTE)
  expect(at.tochka.calls.map(({ operation }) => operation)).toEqual(['register', 'status'])
  await later(2 * DAY)
  expect(at.tochka.calls.at(-1)).toMatchObject({ operation: 'payments', query: { fromDate: '2026-11-20' } })
})

it('an ended code that Tochka’s answer leaves out is looked for in its list of payments', async () => {
  const { at, later } = await launched()
  const { qrcId } = await register(at, 'tea')
  await at.tochka.pay(qrcId, { times: 0 })
  at.tochka.fail('status', { status: 200, body: { Data: { paymentList: [] } } }, 100)
  await later(62 * MINUTE)
  expect(at.service.site('tea').payments.get(qrcId)?.status).toBe('COMPLETED')
})

it('a payment in progress at the end of its code is waited for', async () => {
  const { at, later } = await launched()
  const { qrcId } = await register(at, 'tea')
  const ref = await at.tochka.pay(qrcId, { status: 'InProgress' })
  await later(62 * MINUTE)
  expect(at.service.reports).toEqual([])
  at.tochka.finish(ref, 'Accepted')
  await later(MINUTE)
  expect(at.service.site('tea').payments.get(qrcId)?.status).toBe('COMPLETED')
})

/** What each bank answers where a gateway, or anything else in its place, does not know the address. */
const refuse = (at: Surroundings, site: string, times: number) => {
  for (const operation of ['status', 'payments']) at.tochka.fail(operation, { status: 404 }, times)
  for (const operation of ['status', 'code']) at.raiffeisen.fail(operation, { status: 404 }, times)
  at.tochkaPay.fail('code_payments', { status: 404 }, times)
  at.tbank.refuseNext('GetState', site === 'cafe' ? times : 0)
}

const heal = (at: Surroundings) => {
  for (const { of } of FAKES) of(at).heal()
  at.tbank.refuseNext('GetState', 0)
}

describe.each(SITES)('%s, whose webhook is lost', (site) => {
  /** A code of a minute, which the bank refuses to state until long after its end. */
  async function refused() {
    const { at, running } = await launched()
    const { qrcId } = await register(at, site, {
      ttl: 1,
      expiresOn: new Date(at.clock.now + MINUTE).toISOString(),
    })
    const pass = async (time: number) => {
      await running.later(time)
    }
    return { at, ...running, qrcId, pass }
  }

  it('a payment is found after refusals until after the end of its code', async () => {
    const { at, qrcId, pass } = await refused()
    await pay(at, site, qrcId, { times: 0 })
    refuse(at, site, 1_000)
    for (let minute = 0; minute < 5; minute++) await pass(MINUTE)
    expect(at.service.reports).toEqual([])
    heal(at)
    await pass(HOUR)
    expect(at.service.site(site).payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
  })

  it('a code that the bank refuses for 72 hours is named, and asked about by reconcile alone', async () => {
    const { at, later, core, log, qrcId, pass } = await refused()
    refuse(at, site, 1_000)
    for (let hour = 0; hour <= 73; hour++) {
      await later(HOUR, 1, 1)
    }
    expect(core.disk.lateAsks.unresolved()).toEqual([{ site, qrcId, saleUid: '' }])
    expect(core.disk.codes.countOpen()).toBe(0)
    const named = log.filter(({ level }) => level === 'error')
    expect(named).toMatchObject([
      { message: 'a bank does not state whether a code was paid', fields: { site, qrcId } },
    ])
    heal(at)
    await pass(DAY)
    expect(core.disk.lateAsks.countUnresolved()).toBe(1)
  })

  it('a payment that the bank does not state a minute after the end yet is found an hour after the end', async () => {
    const { at, core, qrcId, pass } = await refused()
    await pass(3 * MINUTE)
    expect([core.disk.codes.countOpen(), at.service.reports]).toEqual([1, []])
    await pay(at, site, qrcId, { times: 0 })
    await pass(HOUR)
    expect(at.service.site(site).payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
  })

  it('an unpaid code is over when the bank states so an hour after its end, and never named', async () => {
    const { at, core, log, pass } = await refused()
    await pass(3 * MINUTE)
    await pass(HOUR)
    expect(core.disk.codes.countOpen()).toBe(0)
    expect(core.disk.lateAsks.unresolved()).toEqual([])
    const calls = FAKES.flatMap(({ of }) => of(at).calls).length
    for (let day = 0; day < 5; day++) await pass(DAY)
    expect(FAKES.flatMap(({ of }) => of(at).calls)).toHaveLength(calls)
    expect(log.filter(({ level }) => level === 'error')).toEqual([])
  })
})

it.each([
  ['without its number of pages', { Data: { Payments: [] } }],
  [
    'of other codes',
    {
      Data: {
        Payments: [{ qrcId: 'AD_OTHER', status: 'Accepted', message: 'ok', refTransactionId: 'another' }],
      },
      Meta: { totalPages: 1 },
    },
  ],
])('a list of Tochka %s does not end a code', async (_, body) => {
  const { at, connector, later } = await launched()
  const { qrcId } = await register(at, 'tea')
  await pay(at, 'tea', qrcId, { times: 0 })
  at.clock.now += 3 * DAY
  at.tochka.fail('payments', { status: 200, body })
  await connector.settle(1)
  expect(at.service.reports).toEqual([])
  await later(HOUR)
  expect(at.service.site('tea').payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
})

it('a payment that Raiffeisenbank states with its code alone is waited for', async () => {
  const { at, later, core } = await launched()
  const { qrcId } = await register(at, 'farm')
  await pay(at, 'farm', qrcId, { times: 0 })
  at.raiffeisen.hidePayments = true
  await later(2 * HOUR)
  expect(core.disk.codes.countOpen()).toBe(1)
  at.raiffeisen.hidePayments = false
  await later(HOUR)
  expect(at.service.site('farm').payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
})

/** A code of Raiffeisenbank, whose payment is in progress until the bank is well again. */
async function paymentInProgress() {
  const { at, connector, later, core, log } = await launched()
  const { qrcId, reference } = await register(at, 'farm')
  const info = { amount: 100, order: reference.split(':')[1], sbpMerchantId: 'MA0000000552' }
  at.raiffeisen.fail('status', { status: 200, body: { ...info, paymentStatus: 'IN_PROGRESS' } }, 1_000)
  return { at, connector, later, core, log, qrcId }
}

it('a payment that stays in progress is named to the operator after three days, and asked about as before', async () => {
  const { at, connector, later, core, log, qrcId } = await paymentInProgress()
  await later(HOUR, 70, 1)
  expect(core.disk.lateAsks.unresolved()).toEqual([])
  await later(HOUR, 30, 1)
  expect(core.disk.lateAsks.unresolved()).toMatchObject([{ qrcId }])
  const message = 'a bank does not state whether a code was paid'
  expect(log.filter((line) => line.message === message)).toHaveLength(1)
  at.raiffeisen.heal()
  await pay(at, 'farm', qrcId, { times: 0 })
  await later(HOUR, 1, 1)
  await connector.settle()
  expect(at.service.site('farm').payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
  expect(core.disk.lateAsks.unresolved()).toEqual([])
})

it('a code whose payment was in progress for long, and was not made, is named no longer', async () => {
  const { at, later, core } = await paymentInProgress()
  await later(HOUR, 80, 1)
  expect(core.disk.lateAsks.countUnresolved()).toBe(1)
  at.raiffeisen.heal()
  await later(HOUR)
  expect(core.disk.codes.countOpen()).toBe(0)
  expect(core.disk.lateAsks.countUnresolved()).toBe(0)
})

it('a payment that was in progress for long is found after one ask without an answer', async () => {
  const { at, later, core, qrcId } = await paymentInProgress()
  await later(HOUR, 80, 1)
  at.raiffeisen.heal()
  at.raiffeisen.fail('status', { status: 502 })
  await later(HOUR, 1, 1)
  expect(core.disk.codes.countOpen()).toBe(1)
  expect(core.disk.lateAsks.countUnresolved()).toBe(1)
  await pay(at, 'farm', qrcId, { times: 0 })
  await later(HOUR)
  expect(at.service.site('farm').payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
  expect(core.disk.lateAsks.unresolved()).toEqual([])
})

it('a list that the service never gives does not make the others long', async () => {
  const at = await surroundings()
  at.service.charges = undefined
  const { connector, later } = await start(at)
  await connector.settle()
  const first = at.service.lists.filter(({ name }) => name === 'qrCodes' || name === 'bindings')
  at.service.lists.length = 0
  await later(HOUR)
  const next = at.service.lists.filter(({ name }) => name === 'qrCodes' || name === 'bindings')
  expect(next).toHaveLength(first.length)
  expect(Math.min(...first.map(({ endedFrom }) => endedFrom))).toBeLessThan(at.clock.now - 80 * DAY)
  for (const { endedFrom } of next) expect(endedFrom).toBeGreaterThanOrEqual(at.clock.now - 2 * DAY)
})

it('the first start after an upgrade reads the lists from where the older version was', async () => {
  const { at, connector, core } = await launched()
  for (const site of core.sites.keys())
    core.disk.meta.set(`learnedAt:${site}`, String(at.clock.now - 3 * DAY))
  await connector.settle()
  const lists = at.service.lists.filter(({ name }) => name === 'qrCodes' || name === 'bindings')
  expect(lists.length).toBeGreaterThanOrEqual(2 * core.sites.size)
  for (const { endedFrom } of lists) expect(endedFrom).toBeGreaterThanOrEqual(at.clock.now - 4 * DAY)
})

it('a state of another payment is none of this code', async () => {
  const { at, later } = await launched()
  await register(at, 'cafe')
  const other = await register(at, 'cafe')
  await pay(at, 'cafe', other.qrcId, { times: 0 })
  const { paymentId } = at.tbank.session(other.qrcId)
  const body = { Success: true, ErrorCode: '0', Status: 'CONFIRMED', PaymentId: paymentId, Amount: 10_000 }
  at.tbank.fail('GetState', { status: 200, body }, 2)
  await later(MINUTE)
  expect(at.tbank.callsOf('GetState')).toHaveLength(2)
  expect(Array.from(at.service.site('cafe').payments.keys())).toEqual([other.qrcId])
})

it('a page of Tochka’s list that is empty does not end the list, nor make it endless', async () => {
  const { at, connector, later, core } = await launched()
  const { qrcId } = await register(at, 'tea')
  await pay(at, 'tea', qrcId, { times: 0 })
  at.clock.now += 3 * DAY
  const body = { Data: { Payments: [] }, Meta: { totalPages: 1_000_000_000 } }
  at.tochka.fail('payments', { status: 200, body })
  await connector.settle(1)
  expect([at.tochka.callsOf('payments').length, core.disk.codes.countOpen()]).toEqual([1, 1])
  await later(HOUR)
  expect(at.service.site('tea').payments.has(qrcId)).toBe(true)
})

it('a cancelled code with a payment that Raiffeisenbank does not number is not over', async () => {
  const { at, later, core } = await launched()
  const { qrcId } = await register(at, 'farm', { type: 'STATIC', ttl: undefined, expiresOn: undefined })
  await at.service.instruct('qrCode.cancel', { siteId: 'farm', qrcId }, at.clock.now)
  const order = core.disk.codes.ofSite('farm', qrcId)?.reference?.split(':')[1]
  const info = { amount: 100, order, sbpMerchantId: 'MA0000000552', paymentStatus: 'SUCCESS' }
  at.raiffeisen.fail('status', { status: 200, body: info }, 3)
  await pay(at, 'farm', qrcId, { times: 0 })
  for (let hour = 0; hour < 3; hour++) {
    await later(HOUR, 1, 1)
    expect(core.disk.codes.countOpen()).toBe(1)
  }
  await later(HOUR)
  expect(at.service.site('farm').payments.size).toBe(1)
})

it('a code cancelled at the bank is asked about until the bank states it as cancelled', async () => {
  const { at, later, core } = await launched()
  const { qrcId } = await register(at, 'farm', { type: 'STATIC', ttl: undefined, expiresOn: undefined })
  at.clock.now += MINUTE
  await at.service.instruct('qrCode.cancel', { siteId: 'farm', qrcId }, at.clock.now)
  at.raiffeisen.fail('code', { status: 404 }, 2)
  for (const open of [1, 1, 0]) {
    await later(HOUR)
    expect(core.disk.codes.countOpen()).toBe(open)
  }
})

it.each([{ status: 404 }, { status: 500 }, { broken: 'before' }] as const)(
  'one code without an answer pauses no other: %j',
  async (fault) => {
    const { at, connector, later } = await launched()
    const bad = await register(at, 'tea')
    const good = await register(at, 'tea')
    await pay(at, 'tea', good.qrcId, { times: 0 })
    at.tochka.failAt(bad.qrcId, fault)
    await later(MINUTE, 1, 1)
    await connector.settle(1)
    expect(at.service.site('tea').payments.has(good.qrcId)).toBe(true)
    await later(MINUTE, 5)
    const asked = at.tochka.callsOf('status').filter(({ path }) => path.includes(bad.qrcId))
    expect(asked).toHaveLength(6)
  },
)

it.each([404, 503])('many codes that get %i leave the bank’s other codes their turn', async (status) => {
  const { at, connector } = await launched()
  for (let i = 0; i < 20; i++) at.tochka.failAt((await register(at, 'tea')).qrcId, { status })
  const good = await register(at, 'tea')
  await pay(at, 'tea', good.qrcId, { times: 0 })
  const began = at.clock.now
  for (let second = 60; second <= 30 * 60; second += 5) {
    at.clock.now = began + second * 1000
    await connector.settle(1)
  }
  expect(at.service.site('tea').payments.has(good.qrcId)).toBe(true)
})

it.each(['code', 'sale'])(
  'a %s whose state cannot be recorded is asked about at its interval',
  async (kind) => {
    const { at, running } = await launched()
    const changes = kind === 'sale' ? COUNTER : { type: 'STATIC', amount: undefined, ttl: undefined }
    const code = await register(at, 'tea', { ...changes, expiresOn: undefined })
    if (kind === 'sale') await arm(at, code, 's1', '100.00')
    await at.tochka.pay(code.qrcId, { amount: 10_000 })
    await running.connector.settle()
    expect(at.service.site('tea').payments.size).toBe(1)
    if (kind === 'sale') await arm(at, code, 's2', '100.00')
    const database = new DatabaseSync(join(at.directory, 'connector.sqlite'))
    database.exec(`UPDATE payments SET status = 'UNREADABLE'`)
    database.close()
    await at.tochka.pay(code.qrcId, { amount: 10_000, times: 0 })
    at.clock.now += MINUTE
    await running.connector.settle(1)
    const failures = () => running.log.filter(({ message }) => message.endsWith('was not recorded')).length
    const first = failures()
    expect(first).toBeGreaterThan(0)
    await running.later(1_000, 10, 1)
    expect(failures()).toBe(first)
  },
)

it('a bank that is down is asked less and less, and the others as before', async () => {
  const { at, connector } = await launched()
  for (let i = 0; i < 6; i++) await register(at, 'tea')
  await register(at, 'cafe')
  at.tochka.fail('status', { status: 503 }, 1_000)
  const began = at.clock.now
  for (let second = 60; second <= 15 * 60; second += 5) {
    at.clock.now = began + second * 1000
    await connector.settle(1)
  }
  // Of 84 asks of a bank that is well.
  expect(at.tochka.callsOf('status').length).toBeLessThan(30)
  expect(at.tbank.callsOf('GetState').length).toBeGreaterThanOrEqual(14)
  // What is due stays due: when the bank is back, each code is asked about.
  at.tochka.heal()
  at.clock.now += 10 * MINUTE
  const before = at.tochka.callsOf('status').length
  await connector.settle()
  expect(at.tochka.callsOf('status').length - before).toBe(6)
})

it('a bank that is down for a week leaves nothing to the operator', async () => {
  const { at, later, core } = await launched()
  const codes = []
  for (let i = 0; i < 6; i++) codes.push(await register(at, 'tea'))
  for (const { qrcId } of codes) await pay(at, 'tea', qrcId, { times: 0 })
  at.tochka.fail('*', { status: 503 }, 10_000)
  await later(HOUR, 7 * 24, 1)
  expect(core.disk.lateAsks.unresolved()).toEqual([])
  at.tochka.heal()
  await later(HOUR)
  expect(at.service.site('tea').payments.size).toBe(6)
})

it('a bank that answers 429 is asked again when it says', async () => {
  const { at, connector } = await launched()
  await register(at, 'tea')
  at.tochka.fail('status', { status: 429, retryAfter: 90 })
  const asked: number[] = []
  const began = at.clock.now
  for (let second = 60; second <= 5 * 60; second += 5) {
    at.clock.now = began + second * 1000
    const before = at.tochka.callsOf('status').length
    await connector.settle(1)
    if (at.tochka.callsOf('status').length > before) asked.push(second)
  }
  expect(asked).toEqual([60, 150, 210, 270])
})

it('a bank that demands a wait of years is asked again within an hour', async () => {
  const { at, later } = await launched()
  const { qrcId } = await register(at, 'tea')
  await pay(at, 'tea', qrcId, { times: 0 })
  at.tochka.fail('status', { status: 429, retryAfter: 1e12 + 0.5 })
  for (let minute = 0; minute <= 62; minute++) {
    await later(MINUTE, 1, 1)
  }
  expect(at.service.site('tea').payments.has(qrcId)).toBe(true)
})

it('a list without the payment that the status tells of is asked again', async () => {
  const { at, later } = await launched()
  const { qrcId } = await register(at, 'tea')
  await at.tochka.pay(qrcId, { times: 0 })
  at.tochka.fail('payments', { status: 500 })
  await later(MINUTE)
  expect(at.service.reports).toEqual([])
  await later(MINUTE)
  expect(at.service.site('tea').payments.size).toBe(1)
})

describe('reports', () => {
  it.each([401, 404, 409, 429, 500, 503])(
    'a report that got %i is sent until it is accepted',
    async (status) => {
      const { at, connector, later, core } = await launched()
      const { qrcId } = await register(at, 'tea')
      at.service.failures.push(status, status)
      await at.tochka.pay(qrcId)
      await connector.settle()
      expect(core.disk.reports.notAccepted()).toMatchObject([{ attempts: 1 }])
      await later(MINUTE, 1, 1)
      await later(MINUTE)
      expect(core.disk.reports.notAccepted()).toEqual([])
      expect(at.service.site('tea').payments.get(qrcId)?.status).toBe('COMPLETED')
    },
  )

  it('a deleted site is not asked about any more, and its reports stay listed', async () => {
    const { at, connector, core } = await launched()
    const { qrcId } = await register(at, 'tea')
    await register(at, 'tea')
    at.service.deleted.add('tea')
    await at.tochka.pay(qrcId)
    await connector.settle()
    at.clock.now += DAY
    const before = at.tochka.calls.length
    await connector.settle()
    expect(core.disk.reports.notAccepted()).toMatchObject([{ path: expect.stringContaining(qrcId) }])
    expect(core.disk.codes.countOpen()).toBe(0)
    expect(at.tochka.calls.length).toBe(before)
  })

  it('those of one site that get no answer delay those of no other', async () => {
    const { at, connector, core } = await launched()
    const silence = Promise.withResolvers<void>()
    onTestFinished(() => silence.resolve())
    const { fetch } = core.platform
    Object.assign(core.platform, {
      fetch: async (...[url, init]: Parameters<typeof fetch>) => {
        if (String(url).includes('/sites/tea/qrCodes/silent')) await silence.promise
        return fetch(url, init)
      },
    })
    for (let i = 0; i < 20; i++)
      core.disk.reports.put({ site: 'tea', path: `qrCodes/silent${i}/payments/p`, body: {} }, at.clock.now)
    const path = 'qrCodes/q/payments/p'
    core.disk.reports.put({ site: 'cafe', path, body: { status: 'COMPLETED' } }, at.clock.now)
    connector.turn()
    await expect.poll(() => at.service.site('cafe').payments.size).toBe(1)
    expect(at.service.site('tea').payments.size).toBe(0)
    silence.resolve()
  })

  it.each([
    ['90', 90_000],
    ['1000000000000', HOUR],
    ['Fri, 31 Dec 1999 23:59:59 GMT', 5_000],
  ])(
    'a service that demands a wait of %s gets the report again after %d ms: after an hour at the latest',
    async (retryAfter, wait) => {
      const { at, connector, later, core } = await launched()
      const { fetch } = core.platform
      const busy = new Response('', { status: 429, headers: { 'retry-after': retryAfter } })
      Object.assign(core.platform, { fetch: async () => busy })
      core.disk.reports.put({ site: 'cafe', path: 'qrCodes/q/payments/p', body: {} }, at.clock.now)
      await connector.settle(1)
      Object.assign(core.platform, { fetch })
      await later(wait - 1, 1, 1)
      expect(core.disk.reports.notAccepted()).toMatchObject([{ attempts: 1 }])
      await later(1, 1, 1)
      expect(core.disk.reports.notAccepted()).toEqual([])
    },
  )

  it('a service that is down loses nothing', async () => {
    const { at, connector, core } = await launched()
    const { qrcId } = await register(at, 'cafe')
    await at.service.close()
    await at.tbank.pay(qrcId)
    await connector.settle()
    expect(core.disk.reports.notAccepted()).toMatchObject([
      { attempts: 1, answer: expect.stringMatching(/^0 /) },
    ])
  })
})
