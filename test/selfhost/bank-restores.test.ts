// Restores of the service, of the connector and of both: the sums agree in the end, and nothing is refunded twice.
import { expect, it, vi } from 'vitest'
import {
  type BankDeployment,
  bankDeployment,
  expectAgreement,
  type Merchant,
  WAITING,
} from '../support/bank-deployment.ts'
import { nothingIsOpen } from '../support/bank-settling.ts'

const SITES = ['tea', 'cafe', 'farm'] as const

/** The codes of a site by their qrCodeUids. */
type Codes = Record<string, string>

const ofAll = <T>(work: (siteId: string) => Promise<T>): Promise<T[]> => Promise.all(SITES.map(work))

/** Before the backup: `paid` is paid, `open` is not. */
async function beforeBackup(deployment: BankDeployment, siteId: string): Promise<Codes> {
  const merchant = deployment.merchant(siteId)
  const codes = { paid: (await merchant.make('paid')).qrcId, open: (await merchant.make('open')).qrcId }
  await deployment.bankOf(siteId).pay(codes.paid)
  await merchant.has('paid', 'PAYED')
  return codes
}

/** Between backup and restore: `open` is paid, so is a code that is new; a part of the first payment is refunded. */
async function afterBackup(deployment: BankDeployment, siteId: string, codes: Codes): Promise<void> {
  const [merchant, bank] = [deployment.merchant(siteId), deployment.bankOf(siteId)]
  codes.later = (await merchant.make('later')).qrcId
  for (const uid of ['open', 'later']) {
    await bank.pay(codes[uid] ?? '')
    await merchant.has(uid, 'PAYED')
  }
  await refunded(merchant, codes.paid ?? '', 'refund-1', 30)
}

async function refunded(merchant: Merchant, paymentUid: string, refundUid: string, value: number) {
  const { status, text } = await merchant.refund(paymentUid, refundUid, value)
  expect([merchant.siteId, refundUid, status, text]).toEqual([merchant.siteId, refundUid, 200, text])
  await merchant.hasRefund(paymentUid, refundUid)
}

/** How the banks are asked about a code. */
const QUESTIONS = ['status', 'payments', 'code', 'GetState', 'GetQrState', 'CheckOrder']

/**
 * Restores the connector, and reconciles while it is stopped: until then no bank has told it of a payment.
 * @returns what `reconcile` has printed
 */
async function restoredAndReconciled({ connector, banks }: BankDeployment, copy: string, time: number) {
  for (const { fake } of banks.all) {
    for (const question of QUESTIONS) fake.fail(question, { status: 503 }, 100)
  }
  await connector.restore(copy, time)
  await connector.stop()
  for (const { fake } of banks.all) fake.heal()
  const { output } = await connector.reconcile()
  await connector.start()
  return output
}

/** Waits until another second begins, because timestamps have no parts of it. @returns Unix milliseconds */
function nextSecond({ now }: BankDeployment): Promise<number> {
  const second = Math.floor(now() / 1000)
  return vi.waitFor(() => {
    const time = now()
    expect(Math.floor(time / 1000)).toBeGreaterThan(second)
    return time
  }, WAITING)
}

const moment = (time: number) => new Date(time).toISOString()

it('the service is restored: replay reports what it has lost, and a lost code is created again with its payment', async () => {
  const deployment = await bankDeployment()
  const { service, connector } = deployment
  const codes = await ofAll((siteId) => beforeBackup(deployment, siteId))
  const time = await nextSecond(deployment)
  const copy = service.backUp()
  await Promise.all(SITES.map((siteId, i) => afterBackup(deployment, siteId, codes[i] ?? {})))

  await service.restore(copy)
  await ofAll(async (siteId) => {
    const merchant = deployment.merchant(siteId)
    const resting = await merchant.refund(codes[SITES.indexOf(siteId as 'tea')]?.paid ?? '', 'refund-2', 50)
    expect([resting.status, merchant.errorCodeOf(resting)]).toEqual([409, 'site.restored'])
  })
  expect(await connector.succeeds('replay', '--from', moment(time))).toBe('9 reported, 0 not accepted\n')
  await nothingIsOpen(deployment)
  await service.resume()

  await Promise.all(
    SITES.map(async (siteId, i) => {
      const [merchant, bank] = [deployment.merchant(siteId), deployment.bankOf(siteId)]
      const { paid = '', open = '', later = '' } = codes[i] ?? {}
      expect(await merchant.status('open')).toBe('PAYED')
      // The merchant's repeats: the code gets its link and its payment back, the refund is there already.
      expect((await merchant.make('later')).qrcId).toBe(later)
      await merchant.has('later', 'PAYED')
      const repeated = await merchant.refund(paid, 'refund-1', 30)
      expect([repeated.status, repeated.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
      await refunded(merchant, paid, 'refund-2', 70)
      await refunded(merchant, later, 'refund-1', 100)
      expect(bank.money().get(paid)).toEqual({ paid: 10_000, refunded: 10_000 })
      await expectAgreement(deployment, siteId, [paid, open, later])
    }),
  )
  expect((await connector.reconcile()).output).toMatch(/ 0 differences\n$/)
  await service.verify()
})

it('the connector is restored: refunds since the backup are held, listed and never sent again', async () => {
  const deployment = await bankDeployment()
  const { service, connector } = deployment
  const codes = await ofAll((siteId) => beforeBackup(deployment, siteId))
  const time = await nextSecond(deployment)
  const copy = await connector.backUp()
  await Promise.all(SITES.map((siteId, i) => afterBackup(deployment, siteId, codes[i] ?? {})))
  // The bank carries out another refund, and the service does not learn of it.
  service.isReachable = false
  await Promise.all(
    SITES.map(async (siteId, i) => {
      const paid = codes[i]?.paid ?? ''
      expect((await deployment.merchant(siteId).refund(paid, 'refund-2', 20)).status).toBe(200)
      const money = () => deployment.bankOf(siteId).money().get(paid)
      await vi.waitFor(() => expect(money()).toEqual({ paid: 10_000, refunded: 5_000 }), WAITING)
    }),
  )
  service.isReachable = true
  const reconciled = await restoredAndReconciled(deployment, copy, time)
  for (const [i, siteId] of SITES.entries()) {
    const found = `${siteId} ${codes[i]?.open}: paid at the bank`
    expect(reconciled).toMatch(new RegExp(`^${found}.*, was not reported: it is now$`, 'm'))
  }

  // Raiffeisenbank is asked about its own; the two others are the operator's to decide.
  const held = () => connector.metric('fps_connector_held_refunds')
  await deployment.merchant('farm').hasRefund(codes[2]?.paid ?? '', 'refund-2')
  await vi.waitFor(async () => expect(await held()).toBe(2), WAITING)
  const listed = await connector.command('settle')
  expect([listed.status, listed.output]).toEqual([1, expect.stringMatching(/\n2 held or not sent: /)])
  expect((await connector.command('check')).output).toContain('1 refunds are held: see settle')
  // The rest is asked for while the one before is not decided: it waits.
  await Promise.all(
    SITES.map(async (siteId, i) => {
      const asked = await deployment.merchant(siteId).refund(codes[i]?.paid ?? '', 'refund-3', 50)
      expect([siteId, asked.status]).toEqual([siteId, 200])
    }),
  )
  for (const [i, siteId] of (['tea', 'cafe'] as const).entries()) {
    const paid = codes[i]?.paid ?? ''
    const options = ['--site', siteId, '--payment', paid, '--refund', 'refund-2', '--as', 'completed']
    expect(deployment.bankOf(siteId).money().get(paid)?.refunded).toBe(5_000)
    await connector.succeeds('settle', ...options, '--by', 'anna', '--yes')
  }
  await Promise.all(
    SITES.map(async (siteId, i) => {
      const [merchant, bank] = [deployment.merchant(siteId), deployment.bankOf(siteId)]
      const { paid = '', open = '', later = '' } = codes[i] ?? {}
      await merchant.hasRefund(paid, 'refund-3')
      // The disk does not know this payment: the instruction has what the refund needs.
      await refunded(merchant, later, 'refund-1', 10)
      await refunded(merchant, open, 'refund-1', 10)
      expect(bank.money().get(paid)).toEqual({ paid: 10_000, refunded: 10_000 })
      await nothingIsOpen(deployment)
      await expectAgreement(deployment, siteId, [paid, open, later])
    }),
  )
  await service.verify()
})

it('both are restored: what only the bank knows is found by reconcile or reported by the operator', async () => {
  const deployment = await bankDeployment()
  const { service, connector } = deployment
  const codes = await ofAll((siteId) => beforeBackup(deployment, siteId))
  const time = await nextSecond(deployment)
  const copies = { service: service.backUp(), connector: await connector.backUp() }
  await Promise.all(SITES.map((siteId, i) => afterBackup(deployment, siteId, codes[i] ?? {})))

  await connector.kill()
  await service.restore(copies.service)
  const output = await restoredAndReconciled(deployment, copies.connector, time)
  for (const [i, siteId] of SITES.entries())
    expect(output).toContain(`${siteId} ${codes[i]?.open}: paid at the bank`)
  // Tochka's list also has the code that both have lost.
  expect(output).toContain(`${codes[0]?.later}: paid at tochka-main`)
  await ofAll((siteId) => deployment.merchant(siteId).has('open', 'PAYED'))
  await nothingIsOpen(deployment)
  // The operator compares the rest with the banks' consoles: a payment and a refund that nobody else knows.
  await Promise.all(
    SITES.map(async (siteId, i) => {
      const { paid = '', later = '' } = codes[i] ?? {}
      const merchant = deployment.merchant(siteId)
      expect(await merchant.payment(paid)).toEqual({ paid: 10_000, refunded: 0 })
      await merchant.report(`/qrCodes/${later}/payments/${later}`, 100)
      await merchant.report(`/payments/${paid}/refunds/refund-1`, 30)
    }),
  )
  await service.resume()
  await Promise.all(
    SITES.map(async (siteId, i) => {
      const [merchant, bank] = [deployment.merchant(siteId), deployment.bankOf(siteId)]
      const { paid = '', open = '', later = '' } = codes[i] ?? {}
      const repeated = await merchant.refund(paid, 'refund-1', 30)
      expect([repeated.status, repeated.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
      await refunded(merchant, paid, 'refund-2', 70)
      await refunded(merchant, open, 'refund-1', 100)
      expect(bank.money().get(paid)).toEqual({ paid: 10_000, refunded: 10_000 })
      // Nobody has the link of the lost code any more: the same request gets another one.
      expect((await merchant.make('later')).qrcId).not.toBe(later)
      await expectAgreement(deployment, siteId, [paid, open, later])
    }),
  )
  await service.verify()
})
