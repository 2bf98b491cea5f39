// A QR code's life at each bank, with the production build, the connector's process and fakes of the banks.
import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  type BankDeployment,
  bankDeployment,
  expectAgreement,
  WAITING,
  WITH_PAY,
} from '../support/bank-deployment.ts'
import { type MerchantReceiver, merchantReceiver } from '../support/merchant-receiver.ts'

const SITES = ['tea', 'cafe', 'farm', 'club'] as const

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
  const deployment = await bankDeployment(WITH_PAY)
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
    ...WITH_PAY,
    sites: {
      ...WITH_PAY.sites,
      ...{ tea2: 'tochka-main', cafe2: 'tbank-cafe', farm2: 'raif-farm', club2: 'pay-club' },
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

it('a printed code at each bank that has them is paid twice, notified, and cancelled; T-Bank refuses it by name', async () => {
  const deployment = await bankDeployment()
  const printed = { type: 'STATIC', ttl: undefined }
  const refused = await deployment.merchant('cafe').create('sticker', {}, printed)
  expect([refused.status, refused.text]).toEqual([
    409,
    expect.stringContaining('T-Bank: codes of the type STATIC cannot be registered'),
  ])
  await Promise.all(
    ['tea', 'farm'].map(async (siteId) => {
      const [merchant, bank] = [deployment.merchant(siteId), deployment.bankOf(siteId)]
      const receiver = await notified(deployment, siteId)
      const { qrcId, payload } = await merchant.make('sticker', {}, printed)
      expect(payload).toMatch(/\/AS1000\w{26}\?type=01&bank=100000000007&sum=10000&cur=RUB&/)
      const uids: string[] = []
      for (const count of [1, 2]) {
        await bank.pay(qrcId)
        await receiver.until(() => receiver.deliveries.length === count)
        uids.push(receiver.deliveries.at(-1)?.paymentId ?? '')
      }
      expect(receiver.faults).toEqual([])
      expect(uids).toEqual(bank.numbersOf(qrcId))
      const code = await merchant.qrCode('sticker')
      expect(code.qrCode.status).toBe('CREATED')
      expect(code.lastPayment?.paymentUid).toBe(uids[1])

      const [first = ''] = uids
      expect((await merchant.refund(first, 'refund-1', 30)).status).toBe(200)
      // Tochka refunds payments of dynamic codes alone.
      await merchant.hasRefund(first, 'refund-1', siteId === 'tea' ? 'DECLINED' : 'COMPLETED')
      const refunded = siteId === 'tea' ? 0 : 3_000
      expect(bank.money().get(qrcId)).toEqual({ paid: 20_000, refunded })
      expect(await merchant.payment(first)).toEqual({ paid: 10_000, refunded })

      expect((await merchant.cancel('sticker')).status).toBe(200)
      if (siteId === 'farm') await vi.waitFor(() => expect(bank.isCancelled(qrcId)).toBe(true), WAITING)
    }),
  )
  await deployment.service.verify()
})

it('a counter at Tochka: sales are armed, paid and notified; a lost webhook is found; what is cancelled is disarmed', async () => {
  const deployment = await bankDeployment()
  const { tochka } = deployment.banks
  const merchant = deployment.merchant('tea')
  const receiver = await notified(deployment, 'tea')
  const printed = { type: 'COUNTER', ttl: undefined }
  for (const [siteId, bank] of [
    ['cafe', 'T-Bank'],
    ['farm', 'Raiffeisenbank'],
  ] as const) {
    const refused = await deployment.merchant(siteId).create('till', { amount: undefined }, printed)
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining(`${bank}: codes of the type`),
    ])
  }
  const { qrcId } = await merchant.make('till', { amount: undefined }, printed)
  const sale = (saleUid: string, method = 'GET', value?: number) =>
    merchant.ask(`/sbp/qrCodes/till/sales/${saleUid}`, {
      method,
      ...(value && { body: { amount: { value } } }),
    })
  const hasSale = (saleUid: string, status: string) =>
    vi.waitFor(async () => expect((await sale(saleUid)).text).toContain(`"status":"${status}"`), WAITING)
  const arming = () => tochka.codes.get(qrcId)?.arming

  // Of two tills that arm at once one wins.
  const both = await Promise.all([sale('s-1', 'PUT', 5), sale('s-2', 'PUT', 7)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  const [first, value] = both[0].status === 200 ? (['s-1', 5] as const) : (['s-2', 7] as const)
  const paramsId = arming()?.paramsId ?? ''
  expect(arming()?.amount).toBe(value * 100)
  await tochka.pay(qrcId)
  await hasSale(first, 'PAYED')
  await receiver.until(() => receiver.deliveries.length === 1)
  expect(receiver.faults).toEqual([])
  expect(receiver.deliveries[0]).toMatchObject({ paymentId: paramsId })
  expect(receiver.deliveries[0]?.body).toContain(`"saleUid":"${first}"`)

  // The webhook is lost: the bank tells of the payment by the id of the arming.
  expect((await sale('s-3', 'PUT', 9)).status).toBe(200)
  const lost = arming()?.paramsId ?? ''
  await tochka.pay(qrcId, { times: 0 })
  await deployment.connector.reconcile()
  await hasSale('s-3', 'PAYED')
  expect(await merchant.payment(lost)).toEqual({ paid: 900, refunded: 0 })

  expect((await merchant.refund(lost, 'refund-1', 9)).status).toBe(200)
  await merchant.hasRefund(lost, 'refund-1', 'DECLINED')

  expect((await sale('s-4', 'PUT', 11)).status).toBe(200)
  expect((await sale('s-4', 'DELETE')).status).toBe(200)
  expect(arming()).toBeUndefined()
  expect((await sale('s-5', 'PUT', 13)).status).toBe(200)
  tochka.fail('disarm', { status: 500 })
  expect((await merchant.cancel('till')).status).toBe(503)
  expect(arming()?.amount).toBe(1_300)
  expect((await merchant.cancel('till')).status).toBe(200)
  expect(arming()).toBeUndefined()
  await hasSale('s-5', 'CANCELLED')
  await deployment.service.verify()
})
