// Webhooks of Tochka Pay Gateway: who may send them, what they say, in which order; and payments that are no money.
import { constants, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paymentShape } from '../support/banks/tochka-pay/records.ts'
import { arm, COUNTER } from './cashbox.ts'
import {
  HOUR,
  launched,
  MINUTE,
  type Running,
  register,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

const post = async ({ url }: Running, body: string) => {
  const response = await fetch(`${url}/webhooks/pay-club`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/plain' },
  })
  return { status: response.status, text: await response.text() }
}

const metricsOf = async ({ url }: Running): Promise<string> => (await fetch(`${url}/metrics`)).text()

/** The outcomes of webhooks that the connector has counted. */
const outcomesOf = async (running: Running) =>
  Object.fromEntries(
    Array.from(
      (await metricsOf(running)).matchAll(/^fps_connector_webhooks_total\{.*outcome="(.*)"\} (.*)$/gm),
      ([, outcome, count]) => [outcome, Number(count)],
    ),
  )

/** The bank's list of a code's payments. */
const listed = (payments: object[], totalPages = 1) => ({
  status: 200,
  body: { Data: payments, Meta: { totalPages } },
})

const reported = ({ service }: Surroundings) => Array.from(service.site('club').payments.values())

/** A connector, a code, and what the bank says once it is paid: the envelope of its webhook. */
async function paid(setUp: (at: Surroundings) => void = () => {}) {
  const at = await surroundings()
  setUp(at)
  const running = await start(at)
  const code = await register(at, 'club')
  const paymentUid = await at.tochkaPay.pay(code.qrcId, { times: 0 })
  const payload = paymentShape(at.tochkaPay.ledger.payment(paymentUid))
  const { siteUid, keys } = at.tochkaPay
  const envelope = {
    ...{ version: '1.0', siteUid, event: 'payment-updated', payloadType: 'payment' },
    ...{ createdAt: new Date(at.clock.now).toISOString(), payload },
  }
  return { at, running, code, paymentUid, payload, envelope, keys }
}

const partsOf = (header: object, claims: object) =>
  [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')

describe('only a JWT that the bank’s key has signed by RS256 is taken', () => {
  const [BANK, other] = [1, 2].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))
  if (!BANK || !other) throw new Error('there are no keys')
  const JWK = BANK.publicKey.export({ format: 'jwk' })
  const PEM = String(BANK.publicKey.export({ type: 'spki', format: 'pem' }))
  const pinned = ({ env }: Surroundings) => Object.assign(env, { PAY_WEBHOOK_KEY: JSON.stringify(JWK) })

  const signed = (header: object, claims: object, signatureOf: (text: Buffer) => Buffer) => {
    const text = partsOf(header, claims)
    return `${text}.${signatureOf(Buffer.from(text)).toString('base64url')}`
  }
  const hmac = (claims: object, key: string) =>
    signed({ alg: 'HS256' }, claims, (text) => createHmac('sha256', key).update(text).digest())
  const byBank = (alg: string, claims: object, digest = `sha${alg.slice(2)}`) => {
    const padding = alg.startsWith('PS') ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
    const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
    return signed({ alg }, claims, (text) =>
      sign(digest, text, { key: BANK.privateKey, padding, saltLength }),
    )
  }
  const byOther = (claims: object, header: object = {}) =>
    signed({ alg: 'RS256', ...header }, claims, (text) => sign('sha256', text, other.privateKey))

  it.each<[string, (envelope: object) => string]>([
    ['none', (envelope) => `${partsOf({ alg: 'none' }, envelope)}.`],
    ['HS256 by the public key as PEM', (envelope) => hmac(envelope, PEM)],
    ['HS256 by its n', (envelope) => hmac(envelope, String(JWK.n))],
    ['RS384', (envelope) => byBank('RS384', envelope)],
    ['RS512', (envelope) => byBank('RS512', envelope)],
    ['PS256', (envelope) => byBank('PS256', envelope)],
    ['a header of RS512 over RS256', (envelope) => byBank('RS512', envelope, 'sha256')],
    ['another key', (envelope) => byOther(envelope)],
    [
      'another key, which the header carries',
      (envelope) => byOther(envelope, { jwk: other.publicKey.export({ format: 'jwk' }) }),
    ],
    ['no signature', (envelope) => partsOf({ alg: 'RS256' }, envelope)],
    [
      'the signature of another payload',
      (envelope) => {
        const [head, , signature] = byBank('RS256', { ...envelope, siteUid: 'x' }).split('.')
        return [head, partsOf({}, envelope).split('.')[1], signature].join('.')
      },
    ],
    ['bare JSON', (envelope) => JSON.stringify(envelope)],
    ['nothing', () => ''],
  ])('%s is 401', async (_, bodyOf) => {
    const { at, running, envelope } = await paid(pinned)
    expect(await post(running, bodyOf(envelope))).toEqual({ status: 401, text: 'unauthorized' })
    await running.connector.settle()
    expect(reported(at)).toEqual([])
    expect(await outcomesOf(running)).toEqual({ unauthorized: 1 })
    expect((await post(running, byBank('RS256', envelope))).status).toBe(200)
  })

  it('the one that it has signed is reported, and a repeat of it is not', async () => {
    const { at, running, keys, envelope, paymentUid } = await paid()
    const later = { ...envelope, createdAt: '2026-11-20T11:00:00Z' }
    for (const each of [envelope, envelope, later]) {
      expect(await post(running, keys.jwt(each))).toEqual({ status: 200, text: '' })
    }
    await running.connector.settle()
    expect(reported(at)).toMatchObject([
      {
        ...{ status: 'COMPLETED', amount: { value: '100.00' }, networkUid: paymentUid },
        ...{ payer: { phone: '+79991234567' }, dateTime: '2026-11-20T10:00:00.000Z' },
      },
    ])
    expect(at.service.reports).toHaveLength(1)
    expect(await outcomesOf(running)).toEqual({ taken: 1, repeated: 2 })
  })
})

it('the charge of another program with this siteUid is looked for on disk alone, and given up after a day', async () => {
  const { at, running, keys, envelope, payload } = await paid()
  await running.connector.settle()
  const read = at.service.lists.length
  const charge = { ...payload, paymentUid: 'of-another', paymentMethod: { type: 'SBP_TOKEN' } }
  expect((await post(running, keys.jwt({ ...envelope, payload: charge }))).status).toBe(200)
  await running.connector.settle()
  const { webhooks } = running.core.disk
  expect(webhooks.waiting()).toMatchObject([{ problem: 'NO_CHARGE', rests: false }])
  expect(at.service.lists).toHaveLength(read)
  await running.later(23 * HOUR)
  expect(webhooks.countWaiting()).toBe(1)
  await running.later(HOUR, 2)
  expect(webhooks.countWaiting()).toBe(0)
})

describe('a genuine webhook', () => {
  it('of another site is 401', async () => {
    const { at, running, keys, envelope } = await paid()
    for (const siteUid of ['site-2', 'SITE-1', '', undefined])
      expect((await post(running, keys.jwt({ ...envelope, siteUid }))).status).toBe(401)
    await running.connector.settle()
    expect(reported(at)).toEqual([])
  })

  it.each(['payment-created', 'dispute-opened', '', 'constructor'])(
    'of the event “%s”, which is unknown, is 200, and counted',
    async (event) => {
      const { at, running, keys, envelope } = await paid()
      expect((await post(running, keys.jwt({ ...envelope, event }))).status).toBe(200)
      await running.connector.settle()
      expect(reported(at)).toEqual([])
      expect(await outcomesOf(running)).toEqual({ ignored: 1 })
    },
  )

  it.each([
    ...['1e2', '-100.00', '100,00', '100.001', ' 100.00', '0x64', '', 'Infinity'].map((amount) => ({
      amount: { amount, currency: 'RUB' },
    })),
    { amount: { amount: 100, currency: 'RUB' } },
    { amount: { amount: '100.00', currency: 'USD' } },
    { amount: undefined },
    { paymentUid: 'a/b' },
    { paymentUid: undefined },
    { isTest: undefined },
    { status: { value: 'COMPLETED', changedDateTime: 'today' } },
    { status: { value: 'COMPLETED' } },
    { paymentMethod: undefined },
  ])('with %o is 401, and nothing is stored', async (changes) => {
    const { at, running, keys, envelope, payload } = await paid()
    const body = keys.jwt({ ...envelope, payload: { ...payload, ...changes } })
    expect((await post(running, body)).status).toBe(401)
    await running.connector.settle()
    expect(reported(at)).toEqual([])
    expect(running.core.disk.webhooks.countWaiting()).toBe(0)
  })

  it('of 1 MB is 413, and nothing is stored', async () => {
    const { at, running, keys, envelope, payload } = await paid()
    const body = keys.jwt({ ...envelope, payload: { ...payload, metadata: 'x'.repeat(750_000) } })
    expect(body.length).toBeGreaterThan(1_000_000)
    expect((await post(running, body)).status).toBe(413)
    await running.connector.settle()
    expect(reported(at)).toEqual([])
  })

  it('of a card, which is no payment of a code, is 200 and reports nothing', async () => {
    const { at, running, keys, envelope, payload } = await paid()
    const card = { ...envelope, payload: { ...payload, paymentMethod: { type: 'CARD' } } }
    expect((await post(running, keys.jwt(card))).status).toBe(200)
    await running.connector.settle()
    expect(reported(at)).toEqual([])
  })
})

describe('an older event never undoes a newer state', () => {
  const T1 = '2026-11-20T10:00:00.000Z'
  const T2 = '2026-11-20T10:00:00.001Z'
  const declined = { reasonSource: 'ISSUER', reasonCode: 'INSUFFICIENT_FUNDS', reasonMessage: 'no' }

  it('completed, told after the decline that followed it, is not reported', async () => {
    const { at, running, keys, envelope, payload } = await paid()
    const status = { value: 'DECLINED', changedDateTime: T2, ...declined }
    at.tochkaPay.fail('code_payments', listed([{ ...payload, status }]), 9)
    for (const each of [status, { value: 'COMPLETED', changedDateTime: T1 }]) {
      await post(running, keys.jwt({ ...envelope, payload: { ...payload, status: each } }))
      await running.connector.settle()
    }
    expect(reported(at)).toMatchObject([{ status: 'DECLINED' }])
    expect(running.core.disk.webhooks.countWaiting()).toBe(0)
  })

  it.each(['WAITING', 'AUTHORIZED'])(
    'completed, told after a later %s, is reported where the list has a second page',
    async (value) => {
      const { at, running, keys, envelope, payload } = await paid()
      at.tochkaPay.fail('code_payments', listed([], 2), 99)
      for (const status of [
        { value, changedDateTime: T2 },
        { value: 'COMPLETED', changedDateTime: T1 },
      ]) {
        await post(running, keys.jwt({ ...envelope, payload: { ...payload, status } }))
        await running.connector.settle()
      }
      expect(reported(at)).toMatchObject([{ status: 'COMPLETED', dateTime: T1 }])
    },
  )

  it.each(['WAITING', 'AUTHORIZED'])(
    'completed, told after a later %s, is reported with its sale at once',
    async (value) => {
      const { at, running, keys, envelope, payload } = await paid()
      const { qrcId, reference } = await register(at, 'club', COUNTER)
      await arm(at, { qrcId, reference }, 's1', '100.00', { siteId: 'club' })
      const activationUid = at.tochkaPay.codes.salesOf(qrcId).open?.activationUid
      const paymentMethod = { type: 'SBP_CASH_REGISTER_QRC', qrcId, activationUid }
      for (const status of [
        { value, changedDateTime: T2 },
        { value: 'COMPLETED', changedDateTime: T1 },
      ]) {
        const changes = { paymentUid: 'of-the-sale', paymentMethod, status }
        await post(running, keys.jwt({ ...envelope, payload: { ...payload, ...changes } }))
        await running.connector.settle()
      }
      expect(reported(at)).toMatchObject([{ saleUid: 's1', status: 'COMPLETED' }])
    },
  )

  it('in any order, with repeats, one payment is completed in the end, and stays completed', {
    timeout: 60_000,
  }, async () => {
    const { at, running, keys, envelope, payload } = await paid()
    const states = [
      { value: 'WAITING', changedDateTime: '2026-11-20T09:59:59+00:00' },
      { value: 'DECLINED', changedDateTime: T1, ...declined },
      { value: 'COMPLETED', changedDateTime: T2 },
    ]
    let number = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(2), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (order, isHasty) => {
          const { qrcId } = await register(at, 'club')
          const paymentUid = `payment-${++number}`
          const paymentMethod = { type: 'SBP', qrcId }
          const stated = (status: object) => ({ ...payload, paymentUid, paymentMethod, status })
          // The bank states the newest.
          at.tochkaPay.failAt(`/${qrcId}/payments`, listed([stated(states[2] ?? {})]))
          const statuses: unknown[] = []
          for (const index of [...order, 2, ...order]) {
            await post(running, keys.jwt({ ...envelope, payload: stated(states[index] ?? {}) }))
            if (!isHasty) await running.connector.settle()
            statuses.push(at.service.site('club').payments.get(qrcId)?.status)
          }
          await running.connector.settle()
          expect(at.service.site('club').payments.get(qrcId)).toMatchObject({
            ...{ status: 'COMPLETED', networkUid: paymentUid },
          })
          const known = statuses.slice(statuses.indexOf('COMPLETED'))
          if (statuses.includes('COMPLETED')) expect(new Set(known)).toEqual(new Set(['COMPLETED']))
          expect(running.core.disk.webhooks.countWaiting()).toBe(0)
        },
      ),
      { seed: 1, numRuns: 40 },
    )
  })
})

describe('a payment', () => {
  it('is found without its webhook, with the bank’s own number and time', async () => {
    const { at, running, code, paymentUid } = await paid()
    await running.later(MINUTE)
    expect(Array.from(at.service.site('club').payments)).toMatchObject([
      [code.qrcId, { networkUid: paymentUid, dateTime: '2026-11-20T10:00:00.000Z' }],
    ])
  })

  it('that is declined is told with the reason that the bank states', async () => {
    const { at, running } = await launched()
    const { qrcId } = await register(at, 'club')
    await at.tochkaPay.pay(qrcId, { status: 'INSUFFICIENT_FUNDS' })
    await running.connector.settle()
    expect(reported(at)).toMatchObject([{ status: 'DECLINED', reason: 'Отказ' }])
  })

  it('of a code that takes digital roubles is reported', async () => {
    const at = await surroundings()
    Object.assign(at.config.sites.club, { digitalRouble: true })
    const running = await start(at)
    const { qrcId } = await register(at, 'club')
    await at.tochkaPay.pay(qrcId, { method: 'DIGITAL_RUBLE' })
    await running.connector.settle()
    expect(reported(at)).toMatchObject([{ status: 'COMPLETED', amount: { value: '100.00' } }])
  })

  it('with a status that the document lacks decides nothing, and is asked about', async () => {
    const { at, running, payload, keys, envelope } = await paid()
    const authorized = {
      ...payload,
      status: { value: 'AUTHORIZED', changedDateTime: '2026-11-20T10:00:00Z' },
    }
    at.tochkaPay.fail('code_payments', listed([authorized]), 3)
    await post(running, keys.jwt({ ...envelope, payload: authorized }))
    await running.later(MINUTE)
    expect(reported(at)).toEqual([])
    await running.later(MINUTE, 2)
    expect(reported(at)).toMatchObject([{ status: 'COMPLETED' }])
  })

  it('that is a charge is none of the code that bound the account, which lists it', async () => {
    const { at, running, code, payload } = await paid()
    const charge = { ...payload, paymentMethod: { type: 'SBP_TOKEN', qrcId: code.qrcId } }
    at.tochkaPay.fail('code_payments', listed([charge]), 9)
    await running.later(MINUTE, 3)
    expect(reported(at)).toEqual([])
  })

  it('of another code in the list is no answer', async () => {
    const { at, running, payload } = await paid()
    const other = { ...payload, paymentMethod: { type: 'SBP', qrcId: 'AD100000000000000000000000000000' } }
    at.tochkaPay.fail('code_payments', listed([other]))
    await running.later(MINUTE)
    expect(reported(at)).toEqual([])
    await running.later(MINUTE)
    expect(reported(at)).toHaveLength(1)
  })
})

it('a list with more pages reports what it has, and never says that the code is over', async () => {
  const { at, running } = await launched()
  const { qrcId } = await register(at, 'club')
  const paymentUid = await at.tochkaPay.pay(qrcId, { status: 'LIMIT_EXCEEDED', times: 0 })
  const payment = paymentShape(at.tochkaPay.ledger.payment(paymentUid))
  at.tochkaPay.failAt(`/${qrcId}/payments`, listed([payment], 2))
  await running.later(HOUR, 3)
  expect(reported(at)).toMatchObject([{ status: 'DECLINED', networkUid: paymentUid }])
  expect(running.core.disk.codes.ofSite('club', qrcId)?.state).toBe('OPEN')
  at.tochkaPay.heal()
  await running.later(HOUR)
  expect(running.core.disk.codes.ofSite('club', qrcId)?.state).toBe('ENDED')
})

it('the webhook of a refund has its result asked for at once', async () => {
  const { at, running, code, paymentUid } = await paid()
  await running.later(MINUTE)
  at.tochkaPay.ledger.refundResult = 'WAITING'
  const { qrcId, reference } = code
  await at.service.instruct(
    'refund.create',
    {
      ...{
        siteId: 'club',
        qrcId,
        paymentUid: qrcId,
        refundUid: 'refund-1',
        reference,
        networkUid: paymentUid,
      },
      amount: { value: '100.00', currency: 'RUB' },
    },
    at.clock.now,
  )
  await running.connector.settle()
  expect(at.service.site('club').refunds.size).toBe(0)
  const [call] = at.tochkaPay.callsOf('refund')
  const { refundUid } = Object(call?.body).Data
  await at.tochkaPay.finishRefund(refundUid, 'COMPLETED')
  await running.connector.settle()
  expect(Array.from(at.service.site('club').refunds.values())).toMatchObject([{ status: 'COMPLETED' }])
})

describe('a payment of the bank’s test', () => {
  /** Paid in its test, told of and asked about. */
  async function tested(changes: object) {
    const at = await surroundings()
    at.tochkaPay.codes.isTest = true
    Object.assign(at.config.banks['pay-club'], changes)
    const running = await start(at)
    const { qrcId } = await register(at, 'club')
    await at.tochkaPay.pay(qrcId, { times: 2 })
    await running.later(MINUTE, 3)
    return { at, running, qrcId }
  }

  it('is not reported, and the operator is told once, and before that of the code', async () => {
    const { at, running, qrcId } = await tested({})
    expect(reported(at)).toEqual([])
    expect(running.log.filter(({ level }) => level === 'error')).toMatchObject([
      {
        message: 'a bank has registered a code of its test, by which nobody can pay money',
        fields: { bank: 'pay-club', qrcId },
      },
      {
        message: 'a bank states a payment of its test, which is not reported',
        fields: { bank: 'pay-club' },
      },
    ])
    expect(await metricsOf(running)).toContain('\nfps_connector_test_payments_total 2\n')
  })

  it.each([{}, COUNTER])('is expected at the registration of a code: %o', async (changes) => {
    const at = await surroundings()
    at.tochkaPay.codes.isTest = true
    const account = { cashRegisterQrcIds: at.tochkaPay.codes.reserve(1) }
    Object.assign(at.config.sites.club, account)
    const running = await start(at)
    await register(at, 'club', changes)
    expect(running.log.filter(({ level }) => level === 'error')).toHaveLength(1)
    expect(await metricsOf(running)).toContain('\nfps_connector_test_payments_total 1\n')
  })

  it('is reported where the credentials are for tests', async () => {
    const { at, running } = await tested({ test: true })
    expect(reported(at)).toMatchObject([{ status: 'COMPLETED' }])
    expect(await metricsOf(running)).toContain('\nfps_connector_test_payments_total 0\n')
  })
})
