// How often a page of the console calls the site's object: a call costs more than what it reads.
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { browserOf } from '../support/console.ts'
import { refundingSite } from '../support/refunds.ts'
import { serviceWith } from '../support/service.ts'

/** A site with everything that a page can show, and a browser whose calls of the object are counted by their names. */
async function counted() {
  const site = refundingSite()
  const { qrCodeUid, paymentUid } = await site.paid()
  await site.refund(paymentUid, 1, 'refund')
  const till = await site.make({ amount: undefined }, { type: 'COUNTER' })
  await site.ask('/settings', { method: 'PUT', body: { callbackUrl: 'https://shop.example/a' } })
  const calls: string[] = []
  const stub = env.SITES.getByName(site.siteId)
  const counting = new Proxy(stub, {
    get: (target, name) => {
      calls.push(String(name))
      return Reflect.get(target, name)
    },
  })
  const browser = browserOf(serviceWith({ site: () => counting }))
  await browser.signIn({ sub: site.siteId, scope: 'merchant:admin' })
  const uids = new Map([
    ['{code}', qrCodeUid],
    ['{payment}', paymentUid],
    ['{till}', till.qrCodeUid],
  ])
  return async (path: string) => {
    calls.length = 0
    const { status } = await browser.get(path.replace(/\{\w+\}/, (name) => uids.get(name) ?? name))
    return [status, calls.toSorted()]
  }
}

describe('beside the session, where the feed ends and what is not delivered, which are one call', () => {
  let callsOf: Awaited<ReturnType<typeof counted>>
  beforeAll(async () => {
    callsOf = await counted()
  })
  it.each<[string, string[]]>([
    ['/', ['dayReport', 'listPayments', 'listPayments', 'listPayments']],
    ['/qr', ['list']],
    ['/new', []],
    ['/search?q=or', ['search']],
    ['/qr/{code}', ['events', 'listPayments', 'notifications', 'read', 'refunds']],
    ['/qr/{code}/picture.svg', ['read']],
    ['/payments', ['listPayments']],
    ['/payments/{payment}', ['entriesOfPayment', 'payment', 'refunds', 'settlements']],
    ['/payments/{payment}/refund', ['payment']],
    ['/payments/{payment}/decision', ['payment']],
    ['/payments.csv', ['listPayments']],
    ['/receipts', ['listReceipts', 'listReceipts', 'listReceipts']],
    ['/receipts.csv', ['listReceipts']],
    ['/receipts/settings', ['settings']],
    ['/settlement', ['settlementEntries', 'settlementMonth', 'settlements']],
    ['/settlement.csv', ['settlementReport']],
    ['/settlement.xlsx', ['settlementReport']],
    ['/settlement/upload', ['settlements']],
    ['/settlement/files', ['settlements']],
    ['/payments/{payment}/receipt', ['payment']],
    ['/payments/{payment}/closing', ['payment', 'receiptsOfPayment']],
    ['/tills', ['list']],
    ['/tills/{till}', ['listPayments', 'read', 'sales']],
    ['/notifications', ['callbacks', 'notificationGroups', 'notifications', 'notifications']],
    ['/events', ['feed']],
    ['/settings', ['callbacks', 'settings']],
    ['/keys', ['apiKeys']],
    ['/notification-keys', ['notificationKeys']],
  ])('%s calls %j', async (path, calls) =>
    expect(await callsOf(path)).toEqual([200, [...calls, 'session'].toSorted()]),
  )
})
