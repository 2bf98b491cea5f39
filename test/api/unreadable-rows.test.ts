// Rows of a later version, as after going back to this one: a list leaves out what it cannot read, and shows the others.
import { runInDurableObject } from 'cloudflare:test'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { Courier } from '../../src/entry/courier.ts'
import { textIn } from '../support/client.ts'
import { operator } from '../support/operator.ts'
import { type RefundingSite, refundingSite } from '../support/refunds.ts'

/** Three QR codes, each paid, with a refund of each and a notification of each payment. */
async function threeOfAll() {
  const site = refundingSite()
  const settings = { callbackUrl: 'https://shop.example/', notificationTypes: ['PAYMENT'] }
  expect((await site.ask('/settings', { method: 'PUT', body: settings })).status).toBe(200)
  const made = [await site.paid(), await site.paid(), await site.paid()]
  for (const { paymentUid } of made) expect((await site.refund(paymentUid, 1)).status).toBe(200)
  return { site, made, second: made[1]?.paymentUid ?? '' }
}

const change = ({ stub }: RefundingSite, sql: string) =>
  runInDurableObject(stub, (_, { storage }) => void storage.sql.exec(sql))

const Page = z.looseObject({ nextCursor: z.optional(z.string()) })

/** All items of a list, from pages of one item. */
async function itemsOf(site: RefundingSite, path: string, field: string): Promise<unknown[]> {
  const items: unknown[] = []
  for (let cursor = ''; ; ) {
    const response = await site.ask(
      `${path}?limit=1${cursor && `&${path === '/events' ? 'after' : 'cursor'}=${cursor}`}`,
    )
    expect([path, response.status]).toEqual([path, 200])
    const page = Page.parse(await response.json())
    const [...some] = z.array(z.unknown()).parse(page[field])
    items.push(...some)
    if (page.nextCursor === undefined || page.nextCursor === cursor) return items
    cursor = page.nextCursor
  }
}

it.each<[string, string, string, string]>([
  ['a type of QR code', "UPDATE qr_codes SET type = 'WALLET' WHERE number = 2", '/sbp/qrCodes', 'qrCodes'],
  [
    'a status of a QR code',
    "UPDATE qr_codes SET status = 'HELD' WHERE number = 2",
    '/sbp/qrCodes',
    'qrCodes',
  ],
  [
    'a status of its refund',
    "UPDATE refunds SET status = 'HELD' WHERE number = 2",
    '/sbp/qrCodes',
    'qrCodes',
  ],
  ['a reason', "UPDATE payments SET not_applied_reason = 'NEW' WHERE number = 2", '/payments', 'payments'],
  ['a network', "UPDATE payments SET network = 'another' WHERE number = 2", '/payments', 'payments'],
  ['a type of event', "UPDATE events SET type = 'wallet.made' WHERE number = 2", '/events', 'events'],
  [
    'a status in an event',
    "UPDATE events SET payment = json_set(payment, '$.status', 'HELD') WHERE number = (SELECT min(number) FROM events WHERE payment IS NOT NULL)",
    '/events',
    'events',
  ],
  [
    'a type of notification',
    `UPDATE outbox SET content = '{"type":"WALLET"}' WHERE event = (SELECT min(event) FROM outbox WHERE queue = 'merchant')`,
    '/notifications',
    'notifications',
  ],
])('%s that this version does not know fails no list', async (_, sql, path, field) => {
  const { site } = await threeOfAll()
  const before = await itemsOf(site, path, field)
  await change(site, sql)
  const after = await itemsOf(site, path, field)
  expect(after).toHaveLength(before.length - 1)
  expect(before).toEqual(expect.arrayContaining(after))
})

it('the refunds of a payment are listed without one of an unknown status', async () => {
  const { site, second } = await threeOfAll()
  expect((await site.refund(second, 1)).status).toBe(200)
  const [, other] = await site.refundsOf(second)
  await change(site, "UPDATE refunds SET status = 'HELD' WHERE number = 2")
  expect(await site.refundsOf(second)).toEqual([other])
})

it('the export has all other rows, counts those that it leaves out, and ends', async () => {
  const { site } = await threeOfAll()
  const Line = z.looseObject({ kind: z.string() })
  const exported = async () => {
    const lines = (await textIn(await operator(`/${site.siteId}/export`))).trimEnd().split('\n')
    return lines.map((line) => Line.parse(JSON.parse(line)))
  }
  const kinds = async () => {
    const all = (await exported()).map(({ kind }) => kind)
    return Object.fromEntries(
      [...new Set(all)].map((kind) => [kind, all.filter((each) => each === kind).length]),
    )
  }
  const before = await kinds()
  await change(site, "UPDATE qr_codes SET type = 'WALLET' WHERE number = 2")
  await change(site, "UPDATE payments SET network = 'another' WHERE number = 2")
  await change(site, "UPDATE refunds SET status = 'HELD' WHERE number = 3")
  await change(site, "UPDATE events SET type = 'wallet.made' WHERE number = 2")
  // The third QR code shows that refund.
  expect(await kinds()).toEqual({
    ...before,
    qrCode: 1,
    payment: 2,
    refund: 2,
    event: (before.event ?? 0) - 1,
    unreadable: 4,
  })
  expect((await exported()).filter(({ kind }) => kind === 'unreadable')).toEqual([
    { kind: 'unreadable', of: 'qrCode', count: 2 },
    { kind: 'unreadable', of: 'payment', count: 1 },
    { kind: 'unreadable', of: 'refund', count: 1 },
    { kind: 'unreadable', of: 'event', count: 1 },
  ])
})

const Overdue = z.looseObject({
  instructions: z.looseObject({ pending: z.int(), overdue: z.array(z.looseObject({ id: z.string() })) }),
})

it('an overdue instruction of an unknown type fails neither the operator’s view of the site nor the line of another', async () => {
  const failed = { httpStatus: 500, ms: 1 }
  vi.spyOn(Courier.prototype, 'instruct').mockResolvedValue(failed)
  vi.spyOn(Courier.prototype, 'deliver').mockResolvedValue(failed)
  const { site } = await threeOfAll()
  const of = "queue <> 'merchant'"
  await change(site, `UPDATE outbox SET created_at = 1000, overdue_at = 1000 WHERE ${of}`)
  const health = async () => {
    const response = await operator(`/${site.siteId}`)
    expect(response.status).toBe(200)
    return Overdue.parse(await response.json()).instructions
  }
  const before = await health()
  await change(
    site,
    `UPDATE outbox SET content = '{"type":"WALLET"}' WHERE event = (SELECT min(event) FROM outbox WHERE ${of})`,
  )
  expect(await health()).toEqual({ ...before, overdue: before.overdue.slice(1) })
  const log = vi.spyOn(console, 'log').mockReturnValue()
  await runInDurableObject(site.stub, (object) => object.alarm())
  const overdue = () =>
    log.mock.calls.map(String).filter((line) => line.includes('an instruction is overdue'))
  await vi.waitFor(() => expect(overdue()).toHaveLength(before.overdue.length), 10_000)
  expect(overdue().filter((line) => line.includes('"type":"of a later version"'))).toHaveLength(1)
  expect(overdue().filter((line) => line.includes('"type":"refund.create"'))).toHaveLength(
    before.overdue.length - 1,
  )
  await runInDurableObject(site.stub, (object) => object.alarm())
  expect(overdue()).toHaveLength(before.overdue.length)
})

it('a notification and an instruction of an unknown type keep no other from being sent', async () => {
  const failed = { httpStatus: 500, ms: 1 }
  const instruct = vi.spyOn(Courier.prototype, 'instruct').mockResolvedValue(failed)
  const deliver = vi.spyOn(Courier.prototype, 'deliver').mockResolvedValue(failed)
  const { site } = await threeOfAll()
  expect((await site.ask('/settings/notificationKeys', { method: 'POST' })).status).toBe(200)
  const rows = "(SELECT min(event) FROM outbox GROUP BY queue = 'merchant')"
  await change(site, 'UPDATE outbox SET leased_until = NULL, send_at = 1000, due_at = 1000')
  await change(site, `UPDATE outbox SET content = '{"type":"WALLET"}' WHERE event IN ${rows}`)
  await change(site, 'DELETE FROM endpoints')
  for (const mock of [instruct, deliver]) mock.mockReset().mockResolvedValue({ httpStatus: 204, ms: 1 })
  await runInDurableObject(site.stub, (object) => object.alarm())
  await vi.waitFor(() => {
    expect(instruct.mock.calls.length).toBeGreaterThanOrEqual(2)
    expect(deliver.mock.calls.length).toBeGreaterThanOrEqual(2)
  }, 10_000)
})

it('a QR code of an unknown type that is due stops neither another end, nor the feed, nor what is sent', async () => {
  const instruct = vi.spyOn(Courier.prototype, 'instruct').mockResolvedValue({ httpStatus: 500, ms: 1 })
  const { site } = await threeOfAll()
  await site.make()
  const { qrCodeUid } = await site.make()
  await change(site, "UPDATE qr_codes SET type = 'WALLET' WHERE number = 4")
  await change(site, 'UPDATE qr_codes SET created_at = 1000 WHERE number > 3')
  await change(site, 'UPDATE outbox SET leased_until = NULL, send_at = 1000, due_at = 1000')
  await change(site, 'DELETE FROM endpoints')
  instruct.mockReset().mockResolvedValue({ httpStatus: 204, ms: 1 })
  await runInDurableObject(site.stub, (object) => object.alarm())
  const feed = await itemsOf(site, '/events', 'events')
  expect(feed).toContainEqual(expect.objectContaining({ type: 'qrCode.expired', qrCodeUid }))
  // Only the unreadable one is due now.
  await change(site, 'UPDATE outbox SET leased_until = NULL, send_at = 1000, due_at = 1000')
  await change(site, 'DELETE FROM endpoints')
  instruct.mockClear()
  await runInDurableObject(site.stub, (object) => object.alarm())
  await vi.waitFor(() => expect(instruct).toHaveBeenCalled(), 10_000)
  expect(await itemsOf(site, '/events', 'events')).toEqual(feed)
  // The alarm does not ring without a pause.
  await vi.waitFor(
    () =>
      runInDurableObject(site.stub, async (object, { storage }) => {
        await object.alarm()
        expect(await storage.getAlarm()).toBeGreaterThan(Date.now() + 30_000)
      }),
    10_000,
  )
})
