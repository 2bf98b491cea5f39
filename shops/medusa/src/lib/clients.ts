// Reads the service for the admin: which configured site has a code, and why there is no answer.
import { ApiError, ConnectionError, type FpsQr, NotFoundError, type Payment, toKopecks } from '@fps-qr/client'
import type { MedusaContainer } from '@medusajs/framework/types'
import { refused } from './refused.js'
import { type Shop, shopOf, shopsOf } from './settings.js'

/** The client of a code: of its session, or where that was deleted, of the site that has the code. */
export async function clientOf(
  container: MedusaContainer,
  providerId: string | undefined,
  qrCodeUid: string,
): Promise<FpsQr | undefined> {
  const known: Shop[] = providerId === undefined ? shopsOf(container) : []
  const own = providerId === undefined ? undefined : shopOf(container, providerId)
  for (const { fps } of own ? [own] : known) if (await hasCode(fps, qrCodeUid)) return fps
  return undefined
}

async function hasCode(fps: FpsQr, qrCodeUid: string): Promise<boolean> {
  try {
    await fps.getQrCode(qrCodeUid)
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return false
    throw error
  }
}

/** A completed payment of a code, and what the service says is left of it, in kopecks. */
export interface CompletedPayment {
  payment: Payment
  left: number
}

export async function* completedPayments(fps: FpsQr, qrCodeUid: string): AsyncGenerator<CompletedPayment> {
  for await (const payment of fps.payments(qrCodeUid)) {
    const { status, amount, refundedAmount } = payment
    if (status.value !== 'COMPLETED') continue
    yield { payment, left: toKopecks(amount.value) - toKopecks(refundedAmount.value) }
  }
}

/** @throws MedusaError where the service does not answer, with the reason: the admin shows it */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof ConnectionError)) throw error
    throw refused(`The payments cannot be read: ${error.message}`)
  }
}
