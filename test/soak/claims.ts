// What must be true in the end besides the money: each QR code that a merchant was told of is there, and each result has arrived.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Merchant } from '../support/bank-deployment.ts'
import type { Money } from '../support/test-banks.ts'
import type { Receiver } from './receiver.ts'

/** What is read of a list: a check of the service uses none of its schemas. */
const List = z.object({
  qrCodes: z.array(z.object({ qrCodeUid: z.string() })),
  nextCursor: z.string().optional(),
})

/** The acknowledged QR codes that the site's list lacks, or has twice. */
export async function codesLost(merchant: Merchant, acknowledged: readonly string[]): Promise<string[]> {
  const counts = await listed(merchant)
  return acknowledged
    .filter((uid) => counts.get(uid) !== 1)
    .map((uid) => `QR code ${uid} of ${merchant.siteId} is listed ${counts.get(uid) ?? 0} times`)
}

/** What retention has left of the QR codes that it deletes. */
export async function codesLeft(merchant: Merchant, unpaid: readonly string[]): Promise<string[]> {
  const counts = await listed(merchant)
  return unpaid
    .filter((uid) => counts.has(uid))
    .map((uid) => `QR code ${uid} of ${merchant.siteId} is not deleted`)
}

/** How many times each QR code is in the site's list. */
async function listed(merchant: Merchant): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (let cursor = ''; ; ) {
    const { status, text } = await merchant.ask(`/sbp/qrCodes?limit=100${cursor}`)
    if (status !== 200) throw new Error(`${merchant.siteId}: ${status} ${text}`)
    const page = List.parse(JSON.parse(text))
    for (const { qrCodeUid } of page.qrCodes) counts.set(qrCodeUid, (counts.get(qrCodeUid) ?? 0) + 1)
    if (page.nextCursor === undefined) return counts
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
}

/** The payments and refunds of the feed whose notifications the merchant's server has not got, and what was wrong with others. */
export async function notificationsLost(merchant: Merchant, receiver: Receiver): Promise<string[]> {
  const problems = [...receiver.faults]
  for await (const { type, payment, refund } of merchant.events()) {
    const isResult = type === 'payment.completed' || type === 'refund.completed'
    if (!isResult) continue
    const what = refund ? `${refund.paymentUid}/${refund.refundUid}` : (payment?.paymentUid ?? '')
    if (!receiver.taken.has(what)) problems.push(`${type} ${what} of ${merchant.siteId} was not notified`)
  }
  return problems
}

/** The payments of which two readings of a feed differ, with what each says. */
export function differences(before: ReadonlyMap<string, Money>, after: ReadonlyMap<string, Money>): string[] {
  return Array.from(new Set([...before.keys(), ...after.keys()]))
    .filter((uid) => !isDeepStrictEqual(before.get(uid), after.get(uid)))
    .map((uid) => `${uid}: ${JSON.stringify(before.get(uid))}, then ${JSON.stringify(after.get(uid))}`)
}
