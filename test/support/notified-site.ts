// A site whose notifications go to the merchant's server of the test.
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, vi } from 'vitest'
import { PaymentNotification } from '../../src/contract/notifications/bodies.ts'
import { type FreshSite, freshSite } from './admin.ts'
import { callbackUrl, configure, logOf, makeKey, type Received } from './merchant.ts'
import { strict } from './strict.ts'

/** A site with a callbackUrl and an active key. */
export async function notifiedSite(
  settings: Record<string, unknown> = {},
  ...of: Parameters<typeof freshSite>
) {
  const site = freshSite(...of)
  await configure(site, { callbackUrl: callbackUrl(), ...settings })
  return { ...site, ...(await makeKey(site)) }
}

export const paymentIn = ({ body }: Received) => strict(PaymentNotification).parse(JSON.parse(body)).payment

export const cancel = ({ ask }: FreshSite, qrCodeUid: string) =>
  ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })

/** Lets a time pass, and the alarm ring if it is due then. */
export async function pass({ stub }: FreshSite, milliseconds: number): Promise<void> {
  vi.setSystemTime(Date.now() + milliseconds)
  const alarm = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())
  if (alarm !== null && alarm <= Date.now()) await runDurableObjectAlarm(stub)
}

/** Waits until the log is as expected: a result is recorded after its answer. */
export const until = async (site: FreshSite, expected: Record<string, unknown>) =>
  vi.waitFor(async () => expect((await logOf(site)).notifications[0]).toMatchObject(expected), {
    timeout: 50_000,
    interval: 5,
  })
