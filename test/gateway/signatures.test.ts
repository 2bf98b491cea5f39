import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { paymentNotification } from '../../src/contract/notifications/compose.ts'
import { notificationSignature, webhookHeaders } from '../../src/gateway/signatures.ts'

const keyOf = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`
const KEY = keyOf(new Uint8Array(32).map((_, index) => 7 * index))
const OTHER_KEY = keyOf(new Uint8Array(32).fill(255))

const { body: BODY, signedValues: SIGNED } = paymentNotification(
  {
    paymentUid: 'A6325171030000001',
    qrCodeUid: 'заказ-1001',
    createdAt: 1_790_000_000,
    amount: { minorUnits: 500, currency: 'RUB' },
    status: 'COMPLETED',
    changedAt: 1_790_000_000,
    applied: true,
  },
  { siteId: 'shop-1', utcOffset: '+03:00' },
)
const now = () => Math.floor(Date.now() / 1000)

describe('Signature', () => {
  it('has the check value of the contract', () => {
    expect(notificationSignature('skey', ['4226144', '2019-10-02T18:10:12+03:00', '2.00'])).toBe(
      '0572c2153b1b57b1eddb9124ca6b8868e57eb3dce29220417922f18e7788285c',
    )
  })

  it('is made under the text of the key after whsec_, not under its bytes', () => {
    const text = KEY.slice('whsec_'.length)
    const expected = createHmac('sha256', text).update(SIGNED.join('|')).digest('hex')
    expect(notificationSignature(KEY, SIGNED)).toBe(expected)
    expect(notificationSignature(text, SIGNED)).toBe(expected)
  })

  it('can be verified with the digits of the body alone', () => {
    const digits = /"amount":\{"value":([\d.]+),/.exec(BODY)?.[1] ?? ''
    const { payment } = JSON.parse(BODY) as { payment: { paymentId: string; createdDateTime: string } }
    expect(notificationSignature(KEY, SIGNED)).toBe(
      notificationSignature(KEY, [payment.paymentId, payment.createdDateTime, digits]),
    )
  })
})

describe('the headers of Standard Webhooks', () => {
  it('are the three of the specification', () => {
    expect(webhookHeaders([KEY], 'id-1', 1_790_000_000, '{}')).toEqual({
      'webhook-id': 'id-1',
      'webhook-timestamp': '1790000000',
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    })
  })

  it('are accepted by the package standardwebhooks, for every key, id and body', () => {
    const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(keyOf)
    const id = fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/)
    const body = fc.oneof(fc.constant(BODY), fc.json(), fc.string({ unit: 'grapheme', minLength: 1 }))
    fc.assert(
      fc.property(key, id, body, (key, id, body) => {
        new Webhook(key).verify(body, webhookHeaders([key], id, now(), body), { jsonParse: false })
      }),
    )
  })

  it('are accepted by the owner of either key, if there are two', () => {
    const headers = webhookHeaders([KEY, OTHER_KEY], 'id-1', now(), BODY)
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2)
    for (const key of [KEY, OTHER_KEY]) {
      expect(new Webhook(key).verify(BODY, headers)).toMatchObject({ type: 'PAYMENT' })
    }
    expect(() => new Webhook(keyOf(new Uint8Array(32))).verify(BODY, headers)).toThrow(
      'No matching signature',
    )
  })

  it.each<[string, Partial<ReturnType<typeof webhookHeaders>>, string, string]>([
    ['another id', { 'webhook-id': 'id-2' }, BODY, 'No matching signature'],
    ['another time', { 'webhook-timestamp': `${now() - 1}` }, BODY, 'No matching signature'],
    ['an old time', { 'webhook-timestamp': `${now() - 301}` }, BODY, 'too old'],
    ['another amount', {}, BODY.replace('5.00', '5.01'), 'No matching signature'],
    ['other digits of the amount', {}, BODY.replace('5.00', '5.0'), 'No matching signature'],
  ])('are refused with %s', (_, changed, body, problem) => {
    const headers = { ...webhookHeaders([KEY], 'id-1', now(), BODY), ...changed }
    expect(() => new Webhook(KEY).verify(body, headers)).toThrow(problem)
  })
})
