// Notifications as the service makes them, verified by the client.
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  type ComposedNotification,
  type NotifiedPayment,
  qrCodeNotification,
  receiptNotification,
  refundNotification,
  settlementNotification,
  tokenNotification,
} from '../../src/contract/notifications/compose.ts'
import {
  delivery,
  FOREIGN_KEY,
  forgeries,
  KEY,
  NEXT_KEY,
  ORIGIN,
  PART_OF_KEY,
  paid as paidFor,
  type Sending,
} from '../../test/support/signed-notifications.ts'
import { type Delivery, NotificationError, verifyNotification } from '../src/index.ts'

const SECOND = 1_790_000_000
const NOW = SECOND * 1000

const paid = (more: Partial<NotifiedPayment> = {}) => paidFor('order-1', more, SECOND)

const delivered = (
  notification: ComposedNotification,
  sending: Sending = {},
): Delivery & { body: string; headers: Record<string, string> } => ({
  ...delivery(notification, { timestamp: SECOND, ...sending }),
  keys: [KEY, NEXT_KEY],
  now: NOW,
})

describe('a notification is returned by its type, with its id', () => {
  it('a payment, whose amount keeps its digits', async () => {
    const notification = await verifyNotification(delivered(paid()))
    if (notification.type !== 'PAYMENT') throw new Error(notification.type)
    expect(notification.id).toBe('id-1')
    expect(notification.payment).toMatchObject({
      paymentId: 'payment-of-order-1',
      qrCodeUid: 'order-1',
      amount: { value: '5.00', currency: 'RUB' },
      applied: true,
    })
  })

  it('the largest amount, which a float does not have', async () => {
    const amount = { minorUnits: Number.MAX_SAFE_INTEGER, currency: 'RUB' }
    const notification = await verifyNotification(delivered(paid({ amount })))
    if (notification.type !== 'PAYMENT') throw new Error(notification.type)
    expect(notification.payment.amount.value).toBe('90071992547409.91')
  })

  it('an identifier that contains the text of an amount stays as it is', async () => {
    const qrCodeUid = '{"value":1.00,"}"value": 2.50}'
    const notification = await verifyNotification(delivered(paid({ qrCodeUid })))
    if (notification.type !== 'PAYMENT') throw new Error(notification.type)
    expect(notification.payment.qrCodeUid).toBe(qrCodeUid)
  })

  it('a refund, a token, a QR code, a receipt, a settlement file', async () => {
    const refund = refundNotification(
      {
        ...{ refundUid: 'half', paymentUid: 'payment-1', createdAt: SECOND, changedAt: SECOND },
        ...{ amount: { minorUnits: 250, currency: 'RUB' }, status: 'COMPLETED', applied: true },
      },
      ORIGIN,
    )
    const value = '65d5dec6-3e52-4770-8ab1-30254aec75c4'
    const token = tokenNotification(
      { account: 'клиент', status: 'CREATED', changedAt: SECOND, value },
      ORIGIN,
    )
    const qrCode = qrCodeNotification({ qrCodeUid: 'o', status: 'EXPIRED', changedAt: SECOND }, ORIGIN)
    expect(await verifyNotification(delivered(refund))).toMatchObject({
      type: 'REFUND',
      refund: { refundId: 'half', amount: { value: '2.50' } },
    })
    expect(await verifyNotification(delivered(token))).toMatchObject({
      type: 'TOKEN',
      token: { account: 'клиент', value },
    })
    expect(await verifyNotification(delivered(qrCode))).toMatchObject({ type: 'QR_CODE' })
    const receipt = receiptNotification(
      {
        ...{ receiptUid: 'R1', kind: 'sale', paymentUid: 'payment-1', changedAt: SECOND },
        ...{ amount: { minorUnits: 250, currency: 'RUB' }, status: 'REGISTERED', fiscal: { fd: '7' } },
      },
      ORIGIN,
    )
    const verified = verifyNotification(delivered(receipt))
    expect(await verified).toMatchObject({
      type: 'RECEIPT',
      receipt: { receiptUid: 'R1', amount: { value: '2.50' }, fiscal: { fd: '7' } },
    })
    const settlement = settlementNotification(
      {
        ...{ settlementUid: 'tbank-1', sha256: 'f'.repeat(64), entries: 3, mismatched: 1, unknown: 0 },
        ...{ status: 'IMPORTED', changedAt: SECOND },
      },
      ORIGIN,
    )
    expect(await verifyNotification(delivered(settlement))).toMatchObject({
      type: 'SETTLEMENT',
      settlement: { settlementUid: 'tbank-1', entries: 3, mismatched: 1, status: { value: 'IMPORTED' } },
    })
    const foreign = delivered(settlement, { headers: { Signature: 'f'.repeat(64) } })
    await expect(verifyNotification(foreign)).rejects.toThrow(/Signature/)
  })

  it('a type of a later version, by webhook-signature alone', async () => {
    const body = '{"type":"LATER","version":"1","later":{"number":1.5}}'
    const later = delivered({ ...paid(), body })
    expect(await verifyNotification(later)).toMatchObject({
      id: 'id-1',
      type: 'LATER',
      later: { number: 1.5 },
    })
  })
})

it('headers can be those of fetch, of Node, or of any case; the body bytes', async () => {
  const { headers, body, ...rest } = delivered(paid())
  const lists = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]),
  )
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  )
  for (const each of [new Headers(headers), lists, upper])
    expect(await verifyNotification({ ...rest, body, headers: each })).toMatchObject({ type: 'PAYMENT' })
  const bytes = Buffer.from(`before ${body}`).subarray('before '.length)
  expect(await verifyNotification({ ...rest, headers, body: bytes })).toMatchObject({ type: 'PAYMENT' })
})

it.each<[string, Sending]>([
  ['the old key', { key: KEY }],
  ['the next key', { key: NEXT_KEY }],
  ['both, while the old one is active', { key: KEY, keys: [NEXT_KEY, KEY] }],
  ['a foreign key besides', { key: KEY, keys: [FOREIGN_KEY, KEY] }],
  ['a time 299 seconds ago', { timestamp: SECOND - 299 }],
  ['a time in 299 seconds', { timestamp: SECOND + 299 }],
])('accepts %s', async (_, sending) => {
  expect(await verifyNotification(delivered(paid(), sending))).toMatchObject({ type: 'PAYMENT' })
})

it.each<[string, Sending, RegExp]>([
  ...forgeries(SECOND),
  ['a time 301 seconds ago', { timestamp: SECOND - 301 }, /timestamp/],
  ['a time in 301 seconds', { timestamp: SECOND + 301 }, /timestamp/],
])('refuses %s', async (_, sending, reason) => {
  const error: unknown = await verifyNotification(delivered(paid(), sending)).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(NotificationError)
  expect(String((error as Error).message)).toMatch(reason)
  expect(String(error)).not.toMatch(PART_OF_KEY)
})

it.each([
  ['no key', { keys: '' }],
  ['no keys', { keys: [] }],
  ['an empty key', { keys: [''] }],
  ['a key without its prefix', { keys: KEY.slice(6) }],
  ['a key with a line break', { keys: `${KEY}\n` }],
  ['a body that is parsed already', { body: { type: 'PAYMENT' } }],
])('%s is an error of the caller, and shows no key', async (_, wrong) => {
  const arguments_ = { ...delivered(paid()), ...wrong }
  const error: unknown = await Reflect.apply(verifyNotification, undefined, [arguments_]).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(RangeError)
  expect(String(error)).not.toMatch(/AQEB/)
})

it('Signature has the check value of the contract', async () => {
  const payment = { paymentId: '4226144', createdDateTime: '2019-10-02T18:10:12+03:00' }
  const body = JSON.stringify({ type: 'PAYMENT', payment: { ...payment, amount: { value: 0 } } }).replace(
    '{"value":0}',
    '{"value":2.00}',
  )
  const mac = createHmac('sha256', Buffer.from('skey', 'base64')).update(`id-1.${SECOND}.${body}`)
  const headers = {
    'webhook-id': 'id-1',
    'webhook-timestamp': `${SECOND}`,
    'webhook-signature': `v1,${mac.digest('base64')}`,
    Signature: '0572c2153b1b57b1eddb9124ca6b8868e57eb3dce29220417922f18e7788285c',
  }
  const delivery = { body, headers, keys: 'whsec_skey', now: NOW }
  expect(await verifyNotification(delivery)).toMatchObject({ payment: { paymentId: '4226144' } })
})
