// A QR code's life at each bank, with the production build, the connector's process and fakes of the banks.
import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type BankDeployment, bankDeployment, expectAgreement, WAITING } from '../support/bank-deployment.ts'
import { type MerchantReceiver, merchantReceiver } from '../support/merchant-receiver.ts'

const SITES = ['tea', 'cafe', 'farm'] as const

/** The site's notifications go to a server of its merchant. */
async function notified(deployment: BankDeployment, siteId: string): Promise<MerchantReceiver> {
  const receiver = await merchantReceiver()
  onTestFinished(receiver.close)
  const { ask } = deployment.merchant(siteId)
  const set = await ask('/settings', { method: 'PUT', body: { callbackUrl: receiver.url } })
  expect([set.status, set.text]).toEqual([200, set.text])
  const { key } = JSON.parse((await ask('/settings/notificationKeys', { method: 'POST' })).text)
  receiver.key = key
  return receiver
}

/** What a payer without a token gets. */
const pageOf = async (deployment: BankDeployment, pageUrl: string): Promise<string> => {
  const { pathname, search } = new URL(pageUrl)
  return (await fetch(deployment.config.service + pathname + search)).text()
}

it('at each bank a code is created, shown, paid, notified and refunded in two parts, and a second one cancelled', async () => {
  const deployment = await bankDeployment()
  await Promise.all(SITES.map((siteId) => story(deployment, siteId)))
  await deployment.service.verify()
})

async function story(deployment: BankDeployment, siteId: string): Promise<void> {
  const [merchant, bank] = [deployment.merchant(siteId), deployment.bankOf(siteId)]
  const receiver = await notified(deployment, siteId)
  const { qrcId, payload, pageUrl } = await merchant.make('order-1')
  expect(payload).toMatch(
    /^https:\/\/qr\.nspk\.ru\/AD1000\w{26}\?type=02&bank=100000000007&sum=10000&cur=RUB&crc=C08B$/,
  )
  expect(await pageOf(deployment, pageUrl)).toContain(`href="${payload.replaceAll('&', '&amp;')}"`)

  await bank.pay(qrcId)
  await merchant.has('order-1', 'PAYED')
  await receiver.until(() => receiver.deliveries.length === 1)
  expect(receiver.faults).toEqual([])
  expect(receiver.deliveries).toEqual([expect.objectContaining({ paymentId: qrcId })])
  expect((await merchant.qrCode('order-1')).payment).toMatchObject({
    paymentUid: qrcId,
    amount: { value: '100.00' },
  })

  for (const [refundUid, value] of [
    ['refund-1', 30],
    ['refund-2', 70],
  ] as const) {
    const asked = await merchant.refund(qrcId, refundUid, value)
    expect([siteId, asked.status]).toEqual([siteId, 200])
  }
  await merchant.hasRefund(qrcId, 'refund-1')
  await merchant.hasRefund(qrcId, 'refund-2')
  const third = await merchant.refund(qrcId, 'refund-3', 1)
  expect([third.status, third.text]).toEqual([400, expect.stringContaining('nothing is left')])
  expect(bank.money().get(qrcId)).toEqual({ paid: 10_000, refunded: 10_000 })

  const second = await merchant.make('order-2')
  expect((await merchant.cancel('order-2')).status).toBe(200)
  if (siteId === 'farm') await vi.waitFor(() => expect(bank.isCancelled(second.qrcId)).toBe(true), WAITING)
  await expectAgreement(deployment, siteId, [qrcId, second.qrcId])
}

it('a webhook that is faster than the create, and two sites with one set of credentials', async () => {
  const deployment = await bankDeployment({
    sites: {
      ...{ tea: 'tochka-main', cafe: 'tbank-cafe', farm: 'raif-farm' },
      ...{ tea2: 'tochka-main', cafe2: 'tbank-cafe', farm2: 'raif-farm' },
    },
  })
  await Promise.all(
    SITES.map(async (siteId) => {
      const bank = deployment.bankOf(siteId)
      const merchant = deployment.merchant(siteId)
      // The payer is faster than the bank's answer to the register.
      bank.fake.beforeAnswer = async (operation) => {
        if (operation !== bank.operations.register) return
        bank.fake.beforeAnswer = async () => {}
        await bank.pay([...bank.money().keys()].at(-1) ?? '')
      }
      const { qrcId } = await merchant.make('fast')
      await merchant.has('fast', 'PAYED')

      // The same qrCodeUid on both sites: two links, and each payment belongs to one.
      const other = deployment.merchant(`${siteId}2`)
      const [ours, theirs] = [await merchant.make('order'), await other.make('order')]
      expect(ours.qrcId).not.toBe(theirs.qrcId)
      await bank.pay(theirs.qrcId)
      await other.has('order', 'PAYED')
      expect(await merchant.status('order')).toBe('CREATED')
      await bank.pay(ours.qrcId)
      await merchant.has('order', 'PAYED')
      await expectAgreement(deployment, siteId, [qrcId, ours.qrcId])
      expect(sortedKeys(await other.feed())).toEqual([theirs.qrcId])
    }),
  )
})

const sortedKeys = (map: Map<string, unknown>) => [...map.keys()].toSorted()

it('a site changes its bank, and the service its links, while codes are open: each is paid and refunded where it was made', async () => {
  const deployment = await bankDeployment()
  const { config, connector, service, banks } = deployment
  const merchant = deployment.merchant('cafe')
  const [, tbank, raiffeisen] = banks.all
  const atTBank = await merchant.make('at-tbank')
  const cancelled = await merchant.make('cancelled')
  config.sites.cafe = deployment.siteConfig('cafe', 'raif-farm')
  await connector.stop()
  await connector.start()
  const atRaiffeisen = await merchant.make('at-raiffeisen')

  service.settings.LINKS = 'own'
  await service.stop()
  await service.start()
  const own = await merchant.make('own')
  expect(own.payload).toContain('/pay/cafe/')
  await tbank?.pay(atTBank.qrcId)
  await raiffeisen?.pay(atRaiffeisen.qrcId)
  await merchant.has('at-tbank', 'PAYED')
  await merchant.has('at-raiffeisen', 'PAYED')
  for (const [payment, value] of [
    [atTBank, 40],
    [atRaiffeisen, 25],
  ] as const) {
    expect((await merchant.refund(payment.qrcId, 'refund-1', value)).status).toBe(200)
    await merchant.hasRefund(payment.qrcId, 'refund-1')
  }
  expect(tbank?.money().get(atTBank.qrcId)).toEqual({ paid: 10_000, refunded: 4_000 })
  expect(raiffeisen?.money().get(atRaiffeisen.qrcId)).toEqual({ paid: 10_000, refunded: 2_500 })
  expect((await merchant.cancel('cancelled')).status).toBe(200)

  service.settings.LINKS = 'connector'
  await service.stop()
  await service.start()
  expect((await merchant.make('at-tbank')).qrcId, 'the replay asks no bank').toBe(atTBank.qrcId)
  const again = await merchant.make('again')
  await raiffeisen?.pay(again.qrcId)
  await merchant.has('again', 'PAYED')
  expect(tbank?.money().get(cancelled.qrcId)).toEqual({ paid: 0, refunded: 0 })
  await merchant.report(`/qrCodes/${own.qrcId}/payments/${randomUUID()}`, 100)
  expect(await merchant.status('own')).toBe('PAYED')
})

it('a bank that refuses is 409, one that hangs is 503 after ten seconds, and the sites of other banks go on', async () => {
  const deployment = await bankDeployment()
  const [cafe, farm] = [deployment.merchant('cafe'), deployment.merchant('farm')]
  const refused = await cafe.create('cheap', { amount: { value: 9 } })
  expect([refused.status, cafe.errorCodeOf(refused), refused.text]).toEqual([
    ...[409, 'network.refused'],
    expect.stringContaining('T-Bank takes payments from 10.00'),
  ])

  const { fake } = deployment.bankOf('tea')
  fake.fail('register', { silent: true }, 2)
  const hanging = ['tea-1', 'tea-2'].map((uid) => deployment.merchant('tea').create(uid))
  await vi.waitFor(() => expect(fake.callsOf('register')).toHaveLength(2), WAITING)
  let isOver = false
  const answers = Promise.all(hanging).finally(() => {
    isOver = true
  })
  let creates = 0
  while (!isOver) {
    await farm.make(`farm-${creates}`)
    await cafe.make(`cafe-${creates}`)
    creates++
  }
  // Creates that waited for the bank that hangs would have ended with it.
  expect(creates).toBeGreaterThan(1)
  for (const answer of await answers) {
    expect([answer.status, cafe.errorCodeOf(answer)]).toEqual([503, 'network.unavailable'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  // Nothing was stored, and the same request is safe: its link is another one.
  expect((await deployment.merchant('tea').ask('/sbp/qrCodes/tea-1')).status).toBe(404)
  const made = await deployment.merchant('tea').make('tea-1')
  await deployment.bankOf('tea').pay(made.qrcId)
  await deployment.merchant('tea').has('tea-1', 'PAYED')
  await expectAgreement(deployment, 'tea', [made.qrcId])
})
