// A shop with one of everything that the console shows.
import { expect, vi } from 'vitest'
import { NotificationsAnswer } from '../../src/contract/notifications/log.ts'
import type { RunningService } from './browser-services.ts'
import { type Made, openShop, type Shop } from './shop.ts'

export interface FurnishedShop {
  shop: Shop
  /** Codes, by what became of them. */
  codes: Record<'paid' | 'returned' | 'declined' | 'cancelled' | 'open' | 'static', Made>
  /** A payment that is returned in part, and a second one of the same code, which was not applied. */
  payments: Record<'applied' | 'second' | 'returned', string>
  /** Notifications that the merchant's server refused. */
  failed: readonly string[]
}

/**
 * Opens it. The till `till-1` is armed, `till-2` is free, `till-3` is cancelled.
 * @param callbackUrl of a server that answers 410; without one no notification is sent
 */
export async function furnishedShop(service: RunningService, callbackUrl?: string): Promise<FurnishedShop> {
  const shop = await openShop(service, {
    name: 'Чайная лавка',
    supportContact: '+7 800 555-01-00',
    ...(callbackUrl && { callbackUrl }),
  })
  if (callbackUrl) {
    await shop.ask('/settings/notificationKeys', { method: 'POST' })
    // Nothing is sent to it.
    const body = { url: `${callbackUrl}second`, types: [], label: 'Чайная на Садовой' }
    await shop.ask('/settings/callbacks/shop-2', { method: 'PUT', body })
    await shop.ask('/settings/callbacks/shop-2/notificationKeys', { method: 'POST' })
  }
  const paid = await shop.make()
  const applied = await shop.report(paid, 'COMPLETED')
  await shop.refund(applied, 500.5)
  const second = await shop.report(paid, 'COMPLETED', { amount: { value: 7 } })
  const returned = await shop.make()
  const returnedPayment = await shop.report(returned, 'COMPLETED')
  await shop.refund(returnedPayment, 1500.5)
  const declined = await shop.make()
  await shop.report(declined, 'DECLINED', { reason: 'insufficient funds' })
  const cancelled = await shop.make()
  await shop.cancel(cancelled)
  const till = { amount: undefined, qrCodeUid: 'till-3' }
  await shop.cancel(await shop.make(till, { type: 'COUNTER', ttl: undefined }))
  const body = { qrCode: { type: 'COUNTER' } }
  for (const uid of ['till-1', 'till-2']) await shop.ask(`/sbp/qrCodes/${uid}`, { method: 'PUT', body })
  await shop.ask('/sbp/qrCodes/till-1/sales/s-1', { method: 'PUT', body: { amount: { value: 250 } } })
  return {
    shop,
    codes: {
      ...{ paid, returned, declined, cancelled },
      open: await shop.make({ amount: undefined }),
      static: await shop.make({}, { type: 'STATIC', ttl: undefined }),
    },
    payments: { applied, second, returned: returnedPayment },
    failed: callbackUrl ? await failedOf(shop) : [],
  }
}

const failedOf = (shop: Shop): Promise<string[]> =>
  vi.waitFor(async () => {
    const answer = await shop.ask('/notifications?status=FAILED')
    const ids = NotificationsAnswer.parse(await answer.json()).notifications.map(({ id }) => id)
    expect(ids).not.toEqual([])
    return ids
  }, 30_000)
