// Webhooks: what is refused, what is kept, what is confirmed before it is reported.
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { BANKS } from '../../connector/banks/banks.ts'
import { readConfig } from '../../connector/config/config.ts'
import { SOURCES } from '../../connector/config/fields.ts'
import { reload } from '../../connector/config/reload.ts'
import {
  DAY,
  HOUR,
  launched,
  MINUTE,
  type Running,
  register,
  registerData,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

const post = async (url: string, body: string, headers: Record<string, string> = {}) =>
  (await fetch(url, { method: 'POST', body, headers })).status

/** A code of the list that the service gives, as a disk that is lost had registered it. */
const listed = (at: Surroundings, siteId: string, qrcId: string, reference: string) => ({
  ...{
    siteId,
    qrcId,
    reference,
    type: 'DYNAMIC',
    amount: { value: '100.00', currency: 'RUB' },
    status: 'CREATED',
  },
  createdOn: new Date(at.clock.now - MINUTE).toISOString(),
  expiresOn: new Date(at.clock.now + 60 * MINUTE).toISOString(),
})

it('401 for what is unsigned, altered or of another customer, and nothing of it is kept or reported', async () => {
  const { at, url, connector, core } = await launched()
  const tea = await register(at, 'tea')
  const cafe = await register(at, 'cafe')
  const farm = await register(at, 'farm')
  const ref = await at.tochka.pay(tea.qrcId, { times: 0 })
  await at.tbank.pay(cafe.qrcId, { times: 0 })
  await at.raiffeisen.pay(farm.qrcId, { times: 0 })
  const claims = at.tochka.claimsOf(ref)
  const { signature } = at.raiffeisen.callbackOf(farm.qrcId)
  const cases: [string, string, Record<string, string>?][] = [
    ['tochka-main', JSON.stringify(claims)],
    ['tochka-main', at.tochka.sign({ ...claims, customerCode: '300000093' })],
    [
      'tbank-cafe',
      JSON.stringify({ ...at.tbank.notificationOf(at.tbank.session(cafe.qrcId).paymentId), Amount: 1 }),
    ],
    ['tbank-cafe', '{}'],
    ['raif-farm', at.raiffeisen.callbackOf(farm.qrcId).body],
    [
      'raif-farm',
      at.raiffeisen.callbackOf(farm.qrcId).body.replace('100.00', '100.01'),
      { 'x-api-signature-sha256': signature },
    ],
  ]
  for (const [bank, body, headers] of cases)
    expect(await post(`${url}/webhooks/${bank}`, body, headers)).toBe(401)
  expect(await post(`${url}/webhooks/no-bank`, '{}')).toBe(404)
  expect(await post(`${url}/webhooks/tbank-cafe`, 'x'.repeat(262_145))).toBe(413)
  await connector.settle()
  expect(core.disk.webhooks.waiting()).toEqual([])
  expect(at.service.reports).toEqual([])
})

it('a signed webhook of another merchant than its code is ended, and not reported', async () => {
  const at = await surroundings()
  const { url, connector, core, log } = await start(at)
  const { qrcId } = await register(at, 'tea')
  const ref = await at.tochka.pay(qrcId, { times: 0 })
  const foreign = at.tochka.sign({ ...at.tochka.claimsOf(ref), merchantId: 'MF0000000099' })
  expect(await post(`${url}/webhooks/tochka-main`, foreign)).toBe(200)
  await connector.settle()
  expect(core.disk.webhooks.waiting()).toEqual([])
  expect(at.service.reports).toEqual([])
  expect(log).toContainEqual(expect.objectContaining({ message: 'a webhook is of another merchant' }))
})

it('a webhook that is too large ends its connection: a next request on it would get no answer', async () => {
  const { url } = await start(await surroundings())
  const { status, headers } = await fetch(`${url}/webhooks/tbank-cafe`, {
    method: 'POST',
    body: 'x'.repeat(300_000),
  })
  expect([status, headers.get('connection')]).toEqual([413, 'close'])
})

it('the success answer comes after the disk: without a key of the bank it is 503, and nothing is lost', async () => {
  const { at, connector } = await launched()
  const { qrcId } = await register(at, 'tea')
  at.tochka.fail('key', { status: 500 })
  const ref = await at.tochka.pay(qrcId)
  expect(at.tochka.webhookAnswers.map(({ status }) => status)).toEqual([503])
  await at.tochka.deliver(ref)
  await connector.settle()
  expect(at.service.reports).toHaveLength(1)
})

it('each webhook is counted by what became of it', async () => {
  const { at, url } = await launched()
  const { qrcId } = await register(at, 'tea')
  const claims = at.tochka.claimsOf(await at.tochka.pay(qrcId, { times: 0 }))
  at.tochka.fail('key', { status: 500 })
  const signed = at.tochka.sign(claims)
  const cases: [bank: string, outcome: string, body: string][] = [
    ['tochka-main', 'failed', signed],
    ['tochka-main', 'taken', signed],
    ['tochka-main', 'repeated', signed],
    ['tochka-main', 'ignored', at.tochka.sign({ ...claims, webhookType: 'outgoingPayment' })],
    ['tochka-main', 'unauthorized', JSON.stringify(claims)],
    ['raif-farm', 'ignored', JSON.stringify({ event: 'subscription', subscription: { id: 'unknown' } })],
  ]
  for (const [bank, , body] of cases) await post(`${url}/webhooks/${bank}`, body)
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics.match(/^fps_connector_webhooks_total.*$/gm)).toEqual(
    cases.map(([bank, outcome]) => `fps_connector_webhooks_total{bank="${bank}",outcome="${outcome}"} 1`),
  )
})

it('a webhook on disk is reported by the next process', async () => {
  const { at, running: first } = await launched()
  const { qrcId } = await register(at, 'tea')
  await at.tochka.pay(qrcId)
  expect(at.tochka.webhookAnswers).toEqual([{ status: 200, text: '' }])
  await first.stop()
  expect(at.service.reports).toEqual([])
  const second = await start(at)
  await second.connector.settle()
  expect(at.service.site('tea').payments.get(qrcId)?.status).toBe('COMPLETED')
})

it('a connector that has stopped begins nothing, whatever requests came last', async () => {
  const { connector, log, stop } = await launched()
  const take = () => connector.app.request('/webhooks/no-bank', { method: 'POST', body: '{}' })
  connector.start()
  await take()
  await stop()
  await take()
  await new Promise(setImmediate)
  expect(log.filter(({ message }) => message === 'the work that is due was not started')).toEqual([])
})

it('a webhook before the answer of its own register is reported afterwards', async () => {
  const { at, connector } = await launched()
  let paid: Promise<unknown> = Promise.resolve()
  at.tochka.beforeAnswer = async (operation) => {
    if (operation !== 'register') return
    at.tochka.beforeAnswer = async () => {}
    const [qrcId = ''] = at.tochka.codes.keys()
    paid = at.tochka.pay(qrcId)
    await paid
    await connector.settle()
  }
  const { qrcId } = await register(at, 'tea')
  await paid
  expect(at.tochka.webhookAnswers).toEqual([{ status: 200, text: '' }])
  await connector.settle()
  expect(at.service.site('tea').payments.get(qrcId)?.status).toBe('COMPLETED')
})

it('a register lets the webhooks of its own code be tried again, and no other', async () => {
  const { at, connector, core } = await launched()
  const forget = (qrcId: string) => core.disk.codes.forget(core.disk.codes.ofLink(qrcId)[0]?.id ?? '')
  const [tea, cafe] = [await register(at, 'tea'), await register(at, 'cafe')]
  for (const { qrcId } of [tea, cafe]) forget(qrcId)
  await at.tochka.pay(tea.qrcId)
  await at.tbank.pay(cafe.qrcId)
  await connector.settle()
  const attempts = () => core.disk.webhooks.waiting().map(({ attempts }) => attempts)
  expect(attempts()).toEqual([1, 1])
  await register(at, 'farm')
  await connector.settle()
  expect(attempts()).toEqual([1, 1])
  const due = () => core.disk.webhooks.queue.lanes(at.clock.now).toSorted()
  core.disk.webhooks.wake({ qrcId: tea.qrcId, reference: 'another' }, at.clock.now)
  expect(due()).toEqual(['tochka-main'])
  core.disk.webhooks.wake({ qrcId: 'another', reference: cafe.reference.split(':')[1] }, at.clock.now)
  expect(due()).toEqual(['tbank-cafe', 'tochka-main'])
})

it('a bank that does not answer delays no payment that another reports', async () => {
  const { at, connector } = await launched()
  const silence = Promise.withResolvers<void>()
  at.raiffeisen.beforeExecution = (operation) =>
    operation === 'status' ? silence.promise : Promise.resolve()
  for (let i = 0; i < 20; i++) {
    const { qrcId } = await register(at, 'farm')
    await at.raiffeisen.pay(qrcId)
  }
  connector.turn()
  await expect.poll(() => at.raiffeisen.callsOf('status').length).toBe(16)
  const { qrcId } = await register(at, 'cafe')
  await at.tbank.pay(qrcId)
  await expect
    .poll(() => {
      connector.turn()
      return at.service.site('cafe').payments.get(qrcId)?.status
    })
    .toBe('COMPLETED')
  expect(at.service.site('farm').payments.size).toBe(0)
  silence.resolve()
})

describe('many webhooks that no site’s code explains', () => {
  const add = ({ core }: Running, id: string, qrcId: string) =>
    core.disk.webhooks.insert({ bank: 'tbank-cafe', id, content: JSON.stringify({ qrcId }) }, 0)

  it.each([
    ['of one code', () => 'STICKER'],
    ['of many codes, which were tried before,', (i: number) => `CODE${i}`],
  ])('%s delay no other webhook of their bank', async (_, qrcIdOf) => {
    const { at, running } = await launched()
    const { connector, core } = running
    for (let i = 0; i < 150; i++) add(running, `old-${i}`, qrcIdOf(i))
    for (const row of core.disk.webhooks.waiting().slice(1))
      core.disk.webhooks.delay(row, {}, { now: 0, dueAt: 0 })
    const { qrcId } = await register(at, 'cafe')
    await at.tbank.pay(qrcId)
    await connector.settle(2)
    expect(at.service.site('cafe').payments.get(qrcId)?.status).toBe('COMPLETED')
  })

  it('each of one code is tried in its turn', async () => {
    const { running } = await launched()
    for (let i = 0; i < 5; i++) add(running, `old-${i}`, 'STICKER')
    await running.connector.settle(5)
    expect(running.core.disk.webhooks.waiting().map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1])
  })
})

describe('a code that the disk does not know', () => {
  it('is searched for in the lists of all sites; until one has it, the webhook is kept and reported to nobody', async () => {
    const { at, connector, later, core } = await launched()
    const { qrcId, reference } = await register(at, 'tea')
    core.disk.codes.forget(core.disk.codes.ofLink(qrcId)[0]?.id ?? '')
    await at.tochka.pay(qrcId)
    await connector.settle()
    expect(at.service.reports).toEqual([])
    expect(core.disk.webhooks.waiting()).toMatchObject([{ bank: 'tochka-main', problem: 'NO_SITE' }])
    // The path of the webhook says nothing of the site: it is the one whose list has the code.
    at.service.qrCodes.push(listed(at, 'farm', qrcId, reference))
    await later(60 * MINUTE)
    expect(at.service.site('farm').payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
    expect(core.disk.webhooks.waiting()).toEqual([])
  })

  it.each([
    ['cafe', (at: Surroundings, qrcId: string) => at.tbank.pay(qrcId)],
    ['farm', (at: Surroundings, qrcId: string) => at.raiffeisen.pay(qrcId)],
  ])('is found by its reference for %s', async (site, pay) => {
    const { at, connector, core } = await launched()
    const { qrcId, reference } = await register(at, site)
    core.disk.codes.forget(core.disk.codes.ofLink(qrcId)[0]?.id ?? '')
    at.service.qrCodes.push(listed(at, site, qrcId, reference))
    await pay(at, qrcId)
    await connector.settle()
    expect(at.service.site(site).payments.get(qrcId)).toMatchObject({ status: 'COMPLETED' })
  })

  it('and turns out to be another merchant’s is not reported', async () => {
    const { at, connector, core } = await launched()
    const { qrcId } = await register(at, 'tea')
    core.disk.codes.forget(core.disk.codes.ofLink(qrcId)[0]?.id ?? '')
    const reference = 'tochka-main:MF0000000099:40702810500000000001/044525104'
    at.service.qrCodes.push(listed(at, 'tea', qrcId, reference))
    // The bank itself would tell of no payment of another merchant.
    at.tochka.fail('status', { status: 404 }, 10)
    await at.tochka.pay(qrcId)
    await connector.settle()
    expect(at.service.reports).toEqual([])
    expect(core.disk.webhooks.waiting()).toEqual([])
  })
})

describe('a webhook that nothing confirms for a week', () => {
  const unknown = async (at: Surroundings, { core }: Running) => {
    const { qrcId, reference } = await register(at, 'tea')
    core.disk.codes.forget(core.disk.codes.ofLink(qrcId)[0]?.id ?? '')
    const payment = await at.tochka.pay(qrcId)
    return {
      add: () => void at.service.qrCodes.push(listed(at, 'tea', qrcId, reference)),
      repeat: () => at.tochka.deliver(payment),
    }
  }
  const ofNoSale = async (at: Surroundings) => {
    const { qrcId, reference } = await register(at, 'tea', { type: 'COUNTER', amount: undefined })
    const sale = { siteId: 'tea', qrcId, reference, saleUid: 's1', ttl: 5 }
    const amount = { value: '5.00', currency: 'RUB' }
    const expiresOn = new Date(at.clock.now + 5 * MINUTE).toISOString()
    at.tochka.fail('arm', { broken: 'after' })
    await at.service.instruct('sale.activate', { ...sale, amount, expiresOn }, at.clock.now)
    const payment = await at.tochka.pay(qrcId)
    return { repeat: () => at.tochka.deliver(payment) }
  }
  const ofNoPayment = async (at: Surroundings) => {
    const { qrcId } = await register(at, 'farm')
    await at.raiffeisen.pay(qrcId)
    const { signature, body } = at.raiffeisen.callbackOf(qrcId)
    const payment = at.raiffeisen.codes.get(qrcId)?.payment
    Object.assign(payment ?? {}, { transactionDate: new Date(at.clock.now - MINUTE).toISOString() })
    const callback = () =>
      post(at.raiffeisen.callbackUrl ?? '', body, { 'x-api-signature-sha256': signature })
    await callback()
    return { repeat: callback }
  }

  it.each([
    ['no site has this code', 'NO_SITE', unknown],
    ['the bank tells of no paid sale of this code', 'NO_SALE', ofNoSale],
    ['the bank tells of no payment of that time', 'NO_PAYMENT', ofNoPayment],
  ])(
    '%s: it is kept, and asked about only after a start, or where the bank repeats it',
    async (_, problem, prepare) => {
      const { at, running } = await launched()
      const { repeat } = await prepare(at, running)
      const { core, connector, stop } = running
      const attempts = []
      for (let day = 0; day < 10; day++) {
        await connector.settle(1)
        attempts.push(core.disk.webhooks.waiting()[0]?.attempts)
        at.clock.now += DAY
      }
      expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8, 8])
      expect(core.disk.webhooks.waiting()).toMatchObject([{ problem }])
      await stop()
      const next = await start(at)
      await next.connector.settle()
      const { webhooks } = next.core.disk
      expect(webhooks.waiting()).toMatchObject([{ problem, attempts: 9 }])
      await repeat()
      for (let day = 0; day < 10; day++) {
        await next.connector.settle(1)
        at.clock.now += DAY
      }
      expect(webhooks.waiting()).toMatchObject([{ problem, attempts: 8 }])
    },
  )

  it('is reported once a site has its code: the list is read, and a reload asks once more', async () => {
    const { at, running } = await launched()
    const { add } = await unknown(at, running)
    const { core, connector, later } = running
    for (let day = 0; day < 9; day++) {
      await connector.settle(1)
      at.clock.now += DAY
    }
    const { webhooks } = core.disk
    expect(webhooks.waiting()).toMatchObject([{ attempts: 8 }])
    reload(core, () => readConfig(JSON.stringify(at.config), BANKS, { ...SOURCES, env: at.env }))
    await connector.settle()
    expect(webhooks.waiting()).toMatchObject([{ attempts: 9 }])
    add()
    await later(HOUR)
    expect(webhooks.waiting()).toEqual([])
    expect(at.service.site('tea').payments.size).toBe(1)
  })

  it('a list that the service does not give is asked for once a day; once it has the code, the payment is reported', async () => {
    const { at, running } = await launched()
    const { core, connector } = running
    const { add } = await unknown(at, running)
    at.service.qrCodes.push({ siteId: 'cafe' })
    at.clock.now += 8 * DAY
    const attempts = []
    for (let hour = 0; hour < 47; hour++) {
      await connector.settle(1)
      attempts.push(core.disk.webhooks.waiting()[0]?.attempts)
      at.clock.now += HOUR
    }
    expect(attempts).toEqual([...Array(24).fill(1), ...Array(23).fill(2)])
    at.service.qrCodes.length = 0
    add()
    await connector.settle()
    expect(core.disk.webhooks.waiting()).toEqual([])
    expect(at.service.site('tea').payments.size).toBe(1)
  })

  it('a bank that does not answer is asked on', async () => {
    const { at, core, connector } = await launched()
    const { qrcId } = await register(at, 'farm')
    at.raiffeisen.fail('status', { status: 503 }, 1_000)
    await at.raiffeisen.pay(qrcId)
    for (let day = 0; day < 9; day++) {
      await connector.settle(1)
      at.clock.now += DAY
    }
    expect(core.disk.webhooks.waiting()[0]?.attempts).toBeGreaterThanOrEqual(9)
  })
})

describe('Raiffeisenbank, whose signature leaves fields open', () => {
  it('altered unsigned fields change nothing: the bank is asked', async () => {
    const { at, connector } = await launched()
    const { qrcId } = await register(at, 'farm')
    const other = await register(at, 'farm', { amount: { value: '5.00', currency: 'RUB' } })
    const transactionId = await at.raiffeisen.pay(qrcId, { times: 0 })
    await at.raiffeisen.deliver(qrcId, {}, { qrId: other.qrcId, transactionId: 999, currency: 'USD' })
    await connector.settle()
    expect(at.service.reports.map(({ body }) => body)).toMatchObject([
      { amount: { value: '100.00', currency: 'RUB' }, networkUid: String(transactionId) },
    ])
    expect(at.service.site('farm').payments.get(qrcId)?.status).toBe('COMPLETED')
  })

  it('a second payment of one link has the bank’s number; one that the bank does not state yet is kept', async () => {
    const { at, connector, core } = await launched()
    const { qrcId } = await register(at, 'farm')
    await at.raiffeisen.pay(qrcId)
    await connector.settle()
    at.clock.now += MINUTE
    const second = await at.raiffeisen.pay(qrcId, { times: 0 })
    const late = at.raiffeisen.callbackOf(qrcId)
    at.clock.now += MINUTE
    const third = await at.raiffeisen.pay(qrcId)
    await connector.settle()
    expect(Array.from(at.service.site('farm').payments.keys())).toEqual([qrcId, String(third)])
    const headers = { 'x-api-signature-sha256': late.signature }
    expect(await post(at.raiffeisen.callbackUrl ?? '', late.body, headers)).toBe(200)
    await connector.settle()
    expect(at.service.site('farm').payments.has(String(second))).toBe(false)
    expect(core.disk.webhooks.waiting()).toMatchObject([{ problem: 'NO_PAYMENT' }])
  })
})

it('a deleted site does not keep the webhooks of the others', async () => {
  const { at, connector, core } = await launched()
  const { qrcId, reference } = await register(at, 'farm')
  core.disk.codes.forget(core.disk.codes.ofLink(qrcId)[0]?.id ?? '')
  at.service.qrCodes.push(listed(at, 'farm', qrcId, reference))
  at.service.deleted.add('tea')
  await at.raiffeisen.pay(qrcId)
  await connector.settle()
  expect(at.service.site('farm').payments.get(qrcId)?.status).toBe('COMPLETED')
})

it('a payment of Raiffeisenbank whose number comes later stays one payment', async () => {
  const { at, connector, later } = await launched()
  const { qrcId } = await register(at, 'farm')
  const transactionId = await at.raiffeisen.pay(qrcId, { times: 0 })
  const payment = at.raiffeisen.codes.get(qrcId)?.payment
  Reflect.deleteProperty(payment ?? {}, 'transactionId')
  await later(MINUTE)
  Object.assign(payment ?? {}, { transactionId })
  await at.raiffeisen.deliver(qrcId)
  await connector.settle()
  expect(Array.from(at.service.site('farm').payments.keys())).toEqual([qrcId])
})

it('a second payment of a Tochka link is reported under its own number', async () => {
  const { at, connector } = await launched()
  const { qrcId } = await register(at, 'tea')
  const first = await at.tochka.pay(qrcId)
  const second = await at.tochka.pay(qrcId)
  await at.tochka.deliver(first)
  await connector.settle()
  const payments = at.service.site('tea').payments
  expect(Array.from(payments, ([uid, { networkUid }]) => [uid, networkUid])).toEqual([
    [qrcId, first],
    [second, second],
  ])
})

it('a declined attempt is reported, and a payment that follows wins, in any order', async () => {
  const { at, connector } = await launched()
  const { qrcId } = await register(at, 'cafe')
  await at.tbank.pay(qrcId, { status: 'REJECTED' })
  await connector.settle()
  expect(at.service.site('cafe').payments.get(qrcId)?.status).toBe('DECLINED')
  const declined = JSON.stringify(at.tbank.notificationOf(at.tbank.session(qrcId).paymentId))
  await at.tbank.pay(qrcId)
  await post(at.tbank.session(qrcId).notificationUrl, declined)
  await connector.settle()
  expect(at.service.site('cafe').payments.get(qrcId)?.status).toBe('COMPLETED')
  expect(at.service.reports).toHaveLength(2)
})

it('the payer’s telephone number goes to the service and never into the log', async () => {
  const { at, connector, log } = await launched()
  const { qrcId } = await register(at, 'tea')
  await at.tochka.pay(qrcId)
  await connector.settle()
  expect(at.service.site('tea').payments.get(qrcId)?.payer).toEqual({ phone: '+79991234567' })
  expect(log.length).toBeGreaterThan(0)
  expect(JSON.stringify(log)).not.toMatch(/79991234567|a-jwt-of-tochka|usaf8fw8fsw21g|whsec_/)
})

it('two sites on one set of credentials get their own payments', async () => {
  const at = await surroundings()
  Object.assign(at.config.sites, { farm: { token: { env: 'FARM_TOKEN' }, bank: 'tbank-cafe' } })
  const { connector } = await start(at)
  const links = [await register(at, 'cafe'), await register(at, 'farm')]
  for (const { qrcId } of links) await at.tbank.pay(qrcId)
  await connector.settle()
  expect(Array.from(at.service.site('cafe').payments.keys())).toEqual([links[0]?.qrcId])
  expect(Array.from(at.service.site('farm').payments.keys())).toEqual([links[1]?.qrcId])
})

it('a code of a site that has changed its bank is reported, also if the register never was answered', async () => {
  const { at, running: first } = await launched()
  const link = await register(at, 'tea')
  const lost = registerData(at, 'tea')
  at.tochka.fail('register', { broken: 'after' })
  expect((await at.service.instruct('qrCode.register', lost, at.clock.now)).status).toBe(503)
  await first.stop()
  Object.assign(at.config.sites, { tea: { token: { env: 'TEA_TOKEN' }, bank: 'raif-farm' } })
  const { connector } = await start(at)
  await at.tochka.pay(link.qrcId)
  const again = await at.service.instruct('qrCode.register', lost, at.clock.now)
  expect(again.body.reference).toMatch(/^raif-farm:/)
  await connector.settle()
  expect(at.service.site('tea').payments.get(link.qrcId)?.status).toBe('COMPLETED')
})

it.each([
  ['a length', 'Content-Length: 1000\r\n\r\n{"a'],
  ['chunks', 'Transfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n'],
])(
  'a webhook with %s that breaks off in its body is no error that the operator must act on',
  async (_, rest) => {
    const { log, url } = await launched()
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await new Promise((resolve) =>
      socket.write(`POST /webhooks/tochka-main HTTP/1.1\r\nHost: a\r\n${rest}`, resolve),
    )
    // It is answered when the body of the first one is being read.
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    socket.destroy()
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(log.filter(({ level }) => level === 'error')).toEqual([])
  },
)
