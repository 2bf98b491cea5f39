// Rows with values that this version does not know: nothing is decided about them, and the export counts them (contract, section 16).
import { runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { operator } from '../support/operator.ts'
import { type RefundingSite, refundingSite } from '../support/refunds.ts'

/** Three QR codes, each paid, with a refund of each. */
async function threeOfAll() {
  const site = refundingSite()
  const made = [await site.paid(), await site.paid(), await site.paid()]
  for (const { paymentUid } of made) expect((await site.refund(paymentUid, 1)).status).toBe(200)
  return { site, second: made[1]?.paymentUid ?? '' }
}

const change = ({ stub }: RefundingSite, sql: string) =>
  runInDurableObject(stub, (_, { storage }) => void storage.sql.exec(sql))

it('the export has all other rows, counts those that it leaves out, and ends', async () => {
  const { site } = await threeOfAll()
  const Line = z.looseObject({ kind: z.string() })
  const exported = async () => {
    const lines = (await (await operator(`/${site.siteId}/export`)).text()).trimEnd().split('\n')
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
  await change(
    site,
    `UPDATE events SET payment = json_set(payment, '$.status', 'HELD')
       WHERE number = (SELECT max(number) FROM events WHERE payment IS NOT NULL)`,
  )
  // The third QR code shows that refund.
  expect(await kinds()).toEqual({
    ...before,
    qrCode: 1,
    payment: 2,
    refund: 2,
    event: (before.event ?? 0) - 2,
    unreadable: 4,
  })
  expect((await exported()).filter(({ kind }) => kind === 'unreadable')).toEqual([
    { kind: 'unreadable', of: 'qrCode', count: 2 },
    { kind: 'unreadable', of: 'payment', count: 1 },
    { kind: 'unreadable', of: 'refund', count: 1 },
    { kind: 'unreadable', of: 'event', count: 2 },
  ])
})

it('a payment or a refund with an unknown value fails its requests with 500, and no refund is made', async () => {
  const { site, second } = await threeOfAll()
  const refunds = () =>
    runInDurableObject(site.stub, (_, { storage }) =>
      storage.sql.exec('SELECT number, status FROM refunds').toArray(),
    )
  await change(site, "UPDATE refunds SET status = 'HELD' WHERE number = 2")
  expect((await site.ask(`/payments/${second}/refunds`)).status).toBe(500)
  await change(site, "UPDATE payments SET not_applied_reason = 'NEW' WHERE number = 2")
  const before = await refunds()
  expect((await site.refund(second, 1)).status).toBe(500)
  expect(await refunds()).toEqual(before)
})
