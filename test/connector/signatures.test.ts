// The signatures of webhooks, against values that were not made here and against forgeries.
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { Unauthorized } from '../../connector/banks/bank-errors.ts'
import { signatureOf, verifyCallback } from '../../connector/banks/raiffeisen/callback.ts'
import { rawFieldsOf } from '../../connector/banks/raw-json.ts'
import { isSigned, tokenOf } from '../../connector/banks/tbank/token.ts'
import { TochkaWebhooks } from '../../connector/banks/tochka/webhook.ts'
import { EXAMPLE_JWT, EXAMPLE_KEY } from './fixtures/tochka-example.ts'

const OWN = generateKeyPairSync('rsa', { modulusLength: 2048 })
const OTHER = generateKeyPairSync('rsa', { modulusLength: 2048 })
const CLAIMS = {
  ...{ operationId: 'A1', qrcId: 'AD10001', amount: '100.50', merchantId: 'MF0000000042' },
  ...{ webhookType: 'incomingSbpPayment', customerCode: '300000092', refTransactionId: 'ref-1' },
  payerMobileNumber: '+79991234567',
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
function jwt(claims: object, { key = OWN.privateKey, alg = 'RS256', signature = '' } = {}): string {
  const signed = `${part({ typ: 'JWT', alg })}.${part(claims)}`
  return `${signed}.${signature || createSign('RSA-SHA256').update(signed).sign(key).toString('base64url')}`
}

/** The verifier of a customer, the bank publishing the given keys one after the other. */
function tochkaOf(customerCode: string, ...keys: object[]) {
  const state = { now: 0, fetched: 0, isSlow: false }
  const webhooks = new TochkaWebhooks(customerCode, {
    baseUrl: 'https://bank.example/uapi',
    now: () => state.now,
    call: async ({ url }, { executed }) => {
      expect(url).toBe('https://bank.example/doc/openapi/static/keys/public')
      const key = keys[Math.min(state.fetched++, keys.length - 1)]
      if (state.isSlow) await gate.promise
      return executed.body.parse(key)
    },
  })
  const gate = Promise.withResolvers<void>()
  return { state, answer: gate.resolve, verify: (body: string) => webhooks.verify({ headers: {}, body }) }
}
const own = OWN.publicKey.export({ format: 'jwk' })
const other = OTHER.publicKey.export({ format: 'jwk' })

describe('Tochka', () => {
  it('takes the example of the bank’s documentation, signed by the bank’s own key', async () => {
    await expect(tochkaOf('300123123', EXAMPLE_KEY).verify(EXAMPLE_JWT)).resolves.toEqual({
      id: 'cb1ef10b-39e9-4e55-aef9-d6bcc396ff0f:33',
      qrcId: 'AS10006DPRTEFPFS9HJ9SQSDSVRHJD3L',
      owner: 'MF0000000001:',
      payment: {
        ...{ status: 'COMPLETED', number: 'cb1ef10b-39e9-4e55-aef9-d6bcc396ff0f', amount: 33 },
        payer: { phone: '+99991234567' },
      },
    })
  })

  it('answers the example as the test that it is, for any other customer', async () => {
    await expect(tochkaOf('300000092', EXAMPLE_KEY).verify(EXAMPLE_JWT)).resolves.toBeUndefined()
  })

  it('refuses the example with one character of the payload changed', async () => {
    const [header, payload = '', signature] = EXAMPLE_JWT.split('.')
    const changed = Buffer.from(payload, 'base64url').toString().replace('"0.33"', '"9.33"')
    const forged = [header, Buffer.from(changed).toString('base64url'), signature].join('.')
    await expect(tochkaOf('300123123', EXAMPLE_KEY).verify(forged)).rejects.toThrow(Unauthorized)
  })

  it('takes a JWT of its shape, from a key and from a set of keys', async () => {
    const expected = { id: 'ref-1:10050', qrcId: 'AD10001', payment: { amount: 10_050, number: 'ref-1' } }
    await expect(tochkaOf('300000092', own).verify(jwt(CLAIMS))).resolves.toMatchObject(expected)
    await expect(tochkaOf('300000092', { keys: [other, own] }).verify(jwt(CLAIMS))).resolves.toMatchObject(
      expected,
    )
  })

  const pem = OWN.publicKey.export({ format: 'pem', type: 'spki' })
  const hmac = (key: string | Buffer) => {
    const signed = `${part({ typ: 'JWT', alg: 'HS256' })}.${part(CLAIMS)}`
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
  }
  it.each([
    ['alg none', `${part({ typ: 'JWT', alg: 'none' })}.${part(CLAIMS)}.`],
    ['alg none with a signature', jwt(CLAIMS, { alg: 'none' })],
    ['HS256 by the public key in PEM', hmac(pem)],
    ['HS256 by the public key in DER', hmac(OWN.publicKey.export({ format: 'der', type: 'spki' }))],
    ['HS256 by the modulus', hmac(String(own.n))],
    ['another key', jwt(CLAIMS, { key: OTHER.privateKey })],
    ['RS512 in the header', jwt(CLAIMS, { alg: 'RS512' })],
    ['an empty signature', jwt(CLAIMS, { signature: ' ' }).trim()],
    ['no JWT', 'not a token'],
    ['an empty body', ''],
    ['another customer', jwt({ ...CLAIMS, customerCode: '300000093' })],
    ['no customer', jwt({ ...CLAIMS, customerCode: undefined })],
    ['a malformed amount', jwt({ ...CLAIMS, amount: '1e5' })],
    ['an amount of nothing', jwt({ ...CLAIMS, amount: '0.00' })],
    ['an empty refTransactionId', jwt({ ...CLAIMS, refTransactionId: '' })],
  ])('refuses %s', async (_, token) => {
    await expect(tochkaOf('300000092', own).verify(token)).rejects.toThrow(Unauthorized)
  })

  it('takes a new key when the bank changes it, and asks for keys once a minute at most', async () => {
    const { state, verify } = tochkaOf('300000092', own, other)
    await verify(jwt(CLAIMS))
    await expect(verify(jwt(CLAIMS, { key: OTHER.privateKey }))).rejects.toThrow(Unauthorized)
    expect(state.fetched).toBe(1)
    state.now += 60_000
    await expect(verify(jwt(CLAIMS, { key: OTHER.privateKey }))).resolves.toMatchObject({ id: 'ref-1:10050' })
    expect(state.fetched).toBe(2)
    await expect(verify(jwt(CLAIMS))).rejects.toThrow(Unauthorized)
    expect(state.fetched).toBe(2)
  })

  it('takes a webhook whose verification by the old key ends after another webhook has fetched the new key', async () => {
    const { state, answer, verify } = tochkaOf('300000092', own, other)
    await verify(jwt(CLAIMS))
    state.now += 60_000
    state.isSlow = true
    const first = verify(jwt(CLAIMS, { key: OTHER.privateKey }))
    await vi.waitFor(() => expect(state.fetched).toBe(2))
    const second = verify(jwt({ ...CLAIMS, refTransactionId: 'ref-2' }, { key: OTHER.privateKey }))
    answer()
    await expect(first).resolves.toMatchObject({ id: 'ref-1:10050' })
    await expect(second).resolves.toMatchObject({ id: 'ref-2:10050' })
    expect(state.fetched).toBe(2)
  })

  it('fetches the keys once for webhooks that come at once', async () => {
    const { state, answer, verify } = tochkaOf('300000092', own)
    state.isSlow = true
    const verified = Promise.all([verify(jwt(CLAIMS)), verify(jwt(CLAIMS))])
    await vi.waitFor(() => expect(state.fetched).toBeGreaterThan(0))
    answer()
    await verified
    expect(state.fetched).toBe(1)
  })

  it('ignores other events of the customer', async () => {
    const claims = { webhookType: 'incomingPayment', customerCode: '300000092' }
    await expect(tochkaOf('300000092', own).verify(jwt(claims))).resolves.toBeUndefined()
  })
})

describe('T-Bank', () => {
  it('computes the Token of the request in the bank’s documentation', () => {
    const fields = {
      ...{ TerminalKey: 'MerchantTerminalKey', Amount: 19_200, OrderId: '21090' },
      Description: 'Подарочная карта на 1000 рублей',
      ...{ DATA: { Phone: '+71234567890' }, Receipt: { Items: [] }, Token: 'ignored' },
    }
    expect(tokenOf(fields, 'usaf8fw8fsw21g')).toBe(
      '0024a00af7c350a3a67ca168ce06502aa72772456662e38696d48b56ee9c97d9',
    )
  })

  const notification = `{"TerminalKey":"1321054611234DEMO","OrderId":"201709","Success":true,"Status":"AUTHORIZED",
    "PaymentId":8742591,"ErrorCode":"0","Amount":9855,"CardId":322264,"Pan":"430000******0777","ExpDate":"1122",
    "RebillId":101709,"Data":{"Source":"cards"},
    "Token":"b906d28e76c6428e37b25fcf86c0adc52c63d503013fdd632e300593d165766b"}`
  const isGenuine = (text: string) => isSigned(rawFieldsOf(text) ?? {}, 'Dfsfh56dgKl')

  it('takes the notification of the bank’s documentation', () => {
    expect(isGenuine(notification)).toBe(true)
  })

  it.each([
    ['another amount', notification.replace('9855', '9856')],
    ['another status', notification.replace('AUTHORIZED', 'CONFIRMED')],
    ['another Success', notification.replace('true', 'false')],
    ['another number of the same value', notification.replace('9855', '9855.0')],
    ['a field more', notification.replace('{', '{"Zone":"1",')],
    ['no Token', notification.replace('"Token"', '"Tokens"')],
    ['an empty Token', notification.replace(/b906[0-9a-f]+/, '')],
    ['a number as the Token', notification.replace(/"b906[0-9a-f]+"/, '1')],
  ])('refuses it with %s', (_, text) => expect(isGenuine(text)).toBe(false))
})

describe('Raiffeisenbank', () => {
  const settings = { sbpMerchantId: 'MA0000000552', secretKey: 'secret' }
  const body = (amount = '10.00', merchant = 'MA0000000552') =>
    `{"transactionId":41,"sbpMerchantId":"${merchant}","order":"order-1","amount":${amount},"paymentStatus":"SUCCESS",
      "transactionDate":"2020-01-15T16:01:49.043924+03:00","nested":{"amount":1}}`
  const sign = (text: string) => ({ 'x-api-signature-sha256': signatureOf(text, 'secret') })
  const signed = sign('10.00|MA0000000552|order-1|SUCCESS|2020-01-15T16:01:49.043924+03:00')

  it('computes HMAC-SHA-256 as any other tool does', () => {
    // printf '10|MA|o|SUCCESS|d' | openssl dgst -sha256 -hmac secret
    expect(signatureOf('10|MA|o|SUCCESS|d', 'secret')).toBe(
      '2f97838a3d0b41c818740bed92786fe13540b9d56097e8d8dfb7866d25cf3875',
    )
  })

  it('takes the amount as it is written', () => {
    expect(verifyCallback({ headers: signed, body: body() }, settings)).toEqual({
      id: '10.00|MA0000000552|order-1|SUCCESS|2020-01-15T16:01:49.043924+03:00',
      reference: 'order-1',
      order: 'order-1',
      paidAt: '2020-01-15T16:01:49.043924+03:00',
    })
  })

  it.each([
    ['the same amount, written otherwise', { headers: signed, body: body('10.0') }],
    ['no signature', { headers: {}, body: body() }],
    [
      'half of the signature',
      { headers: { 'x-api-signature-sha256': signed['x-api-signature-sha256'].slice(0, 32) }, body: body() },
    ],
    ['no JSON', { headers: signed, body: 'amount' }],
    ['a list', { headers: signed, body: '[]' }],
    [
      'another merchant, genuinely signed',
      {
        headers: sign('10.00|MA0000000553|order-1|SUCCESS|2020-01-15T16:01:49.043924+03:00'),
        body: body('10.00', 'MA0000000553'),
      },
    ],
  ])('refuses %s', (_, request) => expect(() => verifyCallback(request, settings)).toThrow(Unauthorized))
})
