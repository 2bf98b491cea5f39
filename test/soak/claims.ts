// What must be true in the end besides the money: each QR code that a merchant was told of is there once,
// and each result has arrived.
import { isDeepStrictEqual } from 'node:util'
import type { Merchant } from '../support/bank-deployment.ts'
import { feedProblems, linksOf } from '../support/site-records.ts'
import type { Money } from '../support/test-banks.ts'
import type { Receiver } from './receiver.ts'

/** The acknowledged QR codes that the site's list lacks, or has twice. */
export async function codesLost(merchant: Merchant, acknowledged: readonly string[]): Promise<string[]> {
  const links = await linksOf(merchant.ask)
  return acknowledged
    .filter((uid) => links.get(uid)?.length !== 1)
    .map((uid) => `QR code ${uid} of ${merchant.siteId} is listed ${links.get(uid)?.length ?? 0} times`)
}

/** What retention has left of the QR codes that it deletes. */
export async function codesLeft(merchant: Merchant, unpaid: readonly string[]): Promise<string[]> {
  const links = await linksOf(merchant.ask)
  return unpaid
    .filter((uid) => links.has(uid))
    .map((uid) => `QR code ${uid} of ${merchant.siteId} is not deleted`)
}

/** What is wrong with the feed and the notifications of a site ({@link feedProblems}), or was with a delivery. */
export async function notificationProblems(merchant: Merchant, receiver: Receiver): Promise<string[]> {
  const events = await Array.fromAsync(merchant.events())
  return [...receiver.faults, ...feedProblems(merchant.siteId, events, receiver.taken)]
}

/** The payments of which two readings of a feed differ, with what each says. */
export function differences(before: ReadonlyMap<string, Money>, after: ReadonlyMap<string, Money>): string[] {
  return Array.from(new Set([...before.keys(), ...after.keys()]))
    .filter((uid) => !isDeepStrictEqual(before.get(uid), after.get(uid)))
    .map((uid) => `${uid}: ${JSON.stringify(before.get(uid))}, then ${JSON.stringify(after.get(uid))}`)
}
