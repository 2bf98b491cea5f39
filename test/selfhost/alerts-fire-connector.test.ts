// Every alert of the connector in a real Prometheus: a fault makes it fire, and what docs/runbook.md says ends it.
// It runs by hand: ALERTS=1 npm run test:selfhost -- alerts-fire
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { type BankDeployment, bankDeployment, ONE_EACH, WAITING } from '../support/bank-deployment.ts'
import { hasClock } from '../support/clock.ts'
import { hasPrometheus, prometheus } from '../support/prometheus.ts'
import { SECRET } from '../support/secret.ts'
import { tochkaPayBank } from '../support/tochka-pay-bank.ts'

const watched = ({ directory, connector }: BankDeployment) =>
  prometheus(directory, { 'fps-connector': connector.port })

/** Sets the clock, and waits until the connector has done what is due then. */
async function pass({ setClock, connector }: BankDeployment, hours: number) {
  setClock(hours)
  await connector.kick()
  await vi.waitFor(() => expect(connector.due()).toBe(0), WAITING)
}

const Charged = z.object({ payment: z.object({ paymentUid: z.string() }) })

/** An account that a customer of `cafe` has bound, and a way to charge it. */
async function boundAccount({ banks, config, merchant }: BankDeployment) {
  const cafe = merchant('cafe')
  // As the operator sets it in the console of the acquiring.
  banks.tbank.terminalUrl = `${config.publicUrl}/webhooks/tbank-cafe`
  const more = { tokenizationPurpose: 'Tea', tokenizationAccount: 'a', amount: undefined }
  const { qrcId } = await cafe.make('bind', more, { type: 'TOKEN' })
  await banks.tbank.consent(qrcId, true)
  const tokenOf = async () => (await cafe.qrCode('bind')).token?.value
  await expect.poll(tokenOf, WAITING).toBeDefined()
  const token = await tokenOf()
  return async (qrCodeUid: string): Promise<string> => {
    await cafe.make(qrCodeUid)
    const body = { token, tokenizationAccount: 'a' }
    const { status, text } = await cafe.ask(`/sbp/qrCodes/${qrCodeUid}/payments`, { body })
    expect([status, text]).toEqual([200, text])
    return Charged.parse(JSON.parse(text)).payment.paymentUid
  }
}

describe.runIf(process.env.ALERTS && hasPrometheus && hasClock)('the alert', () => {
  it('FpsConnectorDown: the connector is killed; it is started', async () => {
    const deployment = await bankDeployment()
    const watch = await watched(deployment)
    await deployment.connector.kill()
    await watch.fires('FpsConnectorDown')
    await deployment.connector.start()
    await watch.ends('FpsConnectorDown')
  })

  it('FpsConnectorBankFailing: a bank answers 500 to everything, while others answer; it answers again', async () => {
    const deployment = await bankDeployment()
    const { raiffeisen } = deployment.banks
    const watch = await watched(deployment)
    raiffeisen.failAt('/', { status: 500 })
    let isEnded = false
    const creates = (async () => {
      for (let n = 0; !isEnded; n++) {
        await deployment.merchant('farm').create(`farm-${n}`)
        await deployment.merchant('tea').make(`tea-${n}`)
        await sleep(300)
      }
    })()
    await watch.fires('FpsConnectorBankFailing')
    raiffeisen.heal()
    await watch.ends('FpsConnectorBankFailing')
    isEnded = true
    await creates
  })

  it.each(['the bank answers', 'a week passes'])(
    'FpsConnectorWebhooksStuck: a bank tells of a payment, and answers no question about it; %s',
    async (cure) => {
      const deployment = await bankDeployment({ hasClock: true })
      const { raiffeisen } = deployment.banks
      const farm = deployment.merchant('farm')
      const watch = await watched(deployment)
      const { qrcId } = await farm.make('a')
      raiffeisen.failAt(qrcId, { status: 500 })
      await deployment.bankOf('farm').pay(qrcId)
      await pass(deployment, 1.2)
      await watch.fires('FpsConnectorWebhooksStuck')
      const named = /the webhook \S+ of \S+ is not reported/
      expect((await deployment.connector.command('check')).output).toMatch(named)
      if (cure === 'a week passes') deployment.setClock(7 * 24 + 1)
      else {
        raiffeisen.heal()
        await pass(deployment, 2.5)
        await farm.has('a', 'PAYED')
      }
      await watch.ends('FpsConnectorWebhooksStuck')
    },
  )

  it.each(['the service is reached', 'a week passes'])(
    'FpsConnectorReportsNotAccepted: the connector does not reach the service; %s',
    async (cure) => {
      const deployment = await bankDeployment({ hasClock: true })
      const { service, connector } = deployment
      const farm = deployment.merchant('farm')
      const watch = await watched(deployment)
      const { qrcId } = await farm.make('a')
      service.isReachable = false
      await deployment.bankOf('farm').pay(qrcId)
      await expect.poll(() => connector.metric('fps_connector_reports_not_accepted'), WAITING).toBe(1)
      await pass(deployment, 1.2)
      await watch.fires('FpsConnectorReportsNotAccepted')
      expect((await connector.command('check')).output).toContain('not accepted: ')
      if (cure === 'a week passes') deployment.setClock(7 * 24 + 1)
      else {
        service.isReachable = true
        await pass(deployment, 2.5)
        await farm.has('a', 'PAYED')
      }
      await watch.ends('FpsConnectorReportsNotAccepted')
    },
  )

  it('FpsConnectorConfigurationFaults: a site names credentials that are not there, and it is reloaded; the file is corrected', async () => {
    const deployment = await bankDeployment()
    const { config, connector } = deployment
    const watch = await watched(deployment)
    const { tea } = config.sites
    config.sites.tea = { ...tea, bank: 'nobody' }
    expect((await connector.command('reload')).status).not.toBe(0)
    await watch.fires('FpsConnectorConfigurationFaults')
    config.sites.tea = { ...tea }
    await connector.succeeds('reload')
    await watch.ends('FpsConnectorConfigurationFaults')
  })

  it('FpsConnectorAmountDiffers: a late webhook states another amount than was reported; settle closes it', async () => {
    const deployment = await bankDeployment({ hasClock: true })
    const { connector, banks } = deployment
    const tea = deployment.merchant('tea')
    const { qrcId } = await tea.make('a')
    const number = await banks.tochka.pay(qrcId, { amount: 5_000, times: 0 })
    await pass(deployment, 0.1)
    await tea.has('a', 'PAYED')
    const watch = await watched(deployment)
    await banks.tochka.deliver(number)
    await watch.fires('FpsConnectorAmountDiffers')
    expect((await connector.command('check')).output).toContain(
      'reported 100.00 RUB, the bank states 50.00 RUB',
    )
    const of = [
      '--site',
      'tea',
      '--difference',
      qrcId,
      '--by',
      'anna',
      '--reason',
      'the shop has it',
      '--yes',
    ]
    await connector.succeeds('settle', ...of)
    await watch.ends('FpsConnectorAmountDiffers')
  })

  it('FpsConnectorTestPayment: the credentials are of the test of the bank; an hour passes without a payment', async () => {
    let gateway: ReturnType<typeof tochkaPayBank> | undefined
    const deployment = await bankDeployment({
      sites: { ...ONE_EACH, club: 'pay-club' },
      moreBanks(now) {
        gateway = tochkaPayBank('pay-club', now)
        gateway.fake.codes.isTest = true
        return [gateway]
      },
    })
    const watch = await watched(deployment)
    const club = deployment.merchant('club')
    const { qrcId } = await club.make('a')
    await gateway?.fake.pay(qrcId)
    await watch.fires('FpsConnectorTestPayment')
    await club.has('a', 'CREATED')
    await watch.ends('FpsConnectorTestPayment')
  })

  it.each(['the bank takes it back', 'a week passes'])(
    'FpsConnectorExcessRefund: a refund that was declined is carried out; %s',
    async (cure) => {
      const deployment = await bankDeployment({ hasClock: true })
      const { raiffeisen } = deployment.banks
      const farm = deployment.merchant('farm')
      const { qrcId } = await farm.make('a')
      await deployment.bankOf('farm').pay(qrcId)
      await farm.has('a', 'PAYED')
      raiffeisen.refundStatus = 'DECLINED'
      expect((await farm.refund(qrcId, 'r', 30)).status).toBe(200)
      await farm.hasRefund(qrcId, 'r', 'DECLINED')
      const [refundId = ''] = raiffeisen.refunds.keys()
      raiffeisen.settleRefund(refundId, 'COMPLETED')
      const watch = await watched(deployment)
      deployment.setClock(7)
      await watch.fires('FpsConnectorExcessRefund')
      const { output } = await deployment.connector.reconcile()
      expect(output).toContain('30.00 RUB: reported as DECLINED, at the bank it is COMPLETED')
      const isWeek = cure === 'a week passes'
      if (!isWeek) raiffeisen.settleRefund(refundId, 'DECLINED')
      deployment.setClock(isWeek ? 7 * 24 + 1 : 14)
      await watch.ends('FpsConnectorExcessRefund')
    },
  )

  it.each([true, false])(
    'FpsConnectorUnresolvedCodes: a bank refuses to state a code for 72 hours; reconcile asks it again, and it was paid: %s',
    async (isPaid) => {
      const deployment = await bankDeployment({ hasClock: true })
      const { banks, connector } = deployment
      const farm = deployment.merchant('farm')
      const watch = await watched(deployment)
      const createdAt = deployment.now()
      const { qrcId } = await farm.make('a')
      if (isPaid) await banks.raiffeisen.pay(qrcId, { times: 0 })
      banks.raiffeisen.failAt(qrcId, { status: 400, body: { code: 'ERROR', message: 'refused' } })
      // The code can be paid for an hour.
      for (let hour = 1; hour <= 1 + 72; hour++) await pass(deployment, hour + 0.1)
      await watch.fires('FpsConnectorUnresolvedCodes')
      const named = `${qrcId}: the bank does not state whether it was paid`
      expect((await connector.command('check')).output).toContain(named)
      // Dates are days of Moscow.
      const day = new Date(createdAt + 3 * 3_600_000).toISOString().slice(0, 10)
      const reconcile = () => connector.command('reconcile', '--from', day, '--to', day)
      expect((await reconcile()).output).toContain(named)
      banks.raiffeisen.heal()
      const { output } = await reconcile()
      expect(output).not.toContain(named)
      if (isPaid) await farm.has('a', 'PAYED')
      await watch.ends('FpsConnectorUnresolvedCodes')
    },
  )

  it.each(['completed', 'declined'])(
    'FpsConnectorRefundsHeld: the answer to a refund is lost; settle decides it as %s',
    async (word) => {
      const deployment = await bankDeployment()
      const { connector, banks } = deployment
      const tea = deployment.merchant('tea')
      const { qrcId } = await tea.make('a')
      await deployment.bankOf('tea').pay(qrcId)
      await tea.has('a', 'PAYED')
      const watch = await watched(deployment)
      banks.tochka.fail('refund', { broken: word === 'completed' ? 'after' : 'before' })
      expect((await tea.refund(qrcId, 'r', 30)).status).toBe(200)
      await watch.fires('FpsConnectorRefundsHeld')
      expect((await connector.command('settle')).output).toContain('--refund r')
      const of = ['--site', 'tea', '--payment', qrcId, '--refund', 'r']
      await connector.succeeds('settle', ...of, '--as', word, '--by', 'anna', '--yes')
      await tea.hasRefund(qrcId, 'r', word.toUpperCase())
      await watch.ends('FpsConnectorRefundsHeld')
    },
  )

  it('FpsConnectorChargesHeld: a bank has a charge, and has not begun it an hour after its end; settle decides it', async () => {
    const deployment = await bankDeployment({ hasClock: true })
    const { connector } = deployment
    const { tbank } = deployment.banks
    const charge = await boundAccount(deployment)
    const watch = await watched(deployment)
    tbank.fail('ChargeQr', { broken: 'before' })
    const paymentUid = await charge('month-1')
    await vi.waitFor(() => expect(tbank.callsOf('ChargeQr')).toHaveLength(1), WAITING)
    const session = Array.from(tbank.sessions.values()).at(-1)
    if (!session) throw new Error('no session')
    // The document does not say that a session that was charged ends by itself.
    session.expiresAt = Number.POSITIVE_INFINITY
    for (const hour of [1.5, 2.5, 3.5]) await pass(deployment, hour)
    await watch.fires('FpsConnectorChargesHeld')
    const of = ['--site', 'cafe', '--charge', paymentUid, '--as', 'declined', '--by', 'anna', '--yes']
    await connector.succeeds('settle', ...of)
    await watch.ends('FpsConnectorChargesHeld')
  })

  it('FpsConnectorReceiptsHeld: the answer to a closing receipt is lost; settle says that it was registered', async () => {
    const deployment = await bankDeployment({
      withBankRegister: ['cafe'],
      begin: ({ banks }) => {
        banks.tbank.register.isConnected = true
      },
    })
    const { connector, banks } = deployment
    const cafe = deployment.merchant('cafe')
    // A site exists with its first write.
    await cafe.ask('/settings', { method: 'PUT', body: {} })
    await deployment.operator('cafe', '/cashRegister', {
      method: 'PUT',
      body: { kind: 'tbank', ffd: '1.2' },
    })
    const receipt = {
      contact: { email: 'customer@mail.example' },
      taxation: 'osn',
      items: [{ name: 'Tea', price: '100.00', vat: '10', method: 'fullPrepayment' }],
    }
    const { qrcId } = await cafe.make('order', { receipt })
    await deployment.bankOf('cafe').pay(qrcId)
    await cafe.has('order', 'PAYED')
    await vi.waitFor(
      async () => expect((await cafe.ask(`/payments/${qrcId}/receipts`)).text).toContain('"REGISTERED"'),
      WAITING,
    )
    const watch = await watched(deployment)
    banks.tbank.fail('SendClosingReceipt', { broken: 'after' })
    const path = `/payments/${qrcId}/receipts/closing`
    const { text } = await cafe.ask(path, { method: 'PUT', body: { kind: 'closing' } })
    const { receiptUid } = z.object({ receiptUid: z.string() }).parse(JSON.parse(text))
    await watch.fires('FpsConnectorReceiptsHeld')
    const of = ['--site', 'cafe', '--receipt', receiptUid, '--as', 'registered', '--by', 'anna', '--yes']
    await connector.succeeds('settle', ...of)
    await watch.ends('FpsConnectorReceiptsHeld')
  })

  it('FpsConnectorTokenEnds: the tokens of sites end within 30 days; others are in force after a reload', async () => {
    const deployment = await bankDeployment()
    const { config, connector, directory } = deployment
    const giveTokens = async (days: number) => {
      for (const [siteId, site] of Object.entries(config.sites)) {
        const file = join(directory, `${siteId}.token`)
        writeFileSync(file, await mintToken(SECRET, { siteId, scope: 'network', days }))
        config.sites[siteId] = { ...site, token: { file } }
      }
      await connector.succeeds('reload')
    }
    const watch = await watched(deployment)
    await giveTokens(30)
    await watch.fires('FpsConnectorTokenEnds')
    expect((await connector.command('check')).output).toMatch(
      /^warn cafe: the token ends on \S+, in 29 days$/m,
    )
    await giveTokens(365)
    await watch.ends('FpsConnectorTokenEnds')
  })

  it('FpsConnectorChargesRefused: a bank takes no charges of a terminal; the next one is completed', async () => {
    const deployment = await bankDeployment()
    const { tbank } = deployment.banks
    const charge = await boundAccount(deployment)
    const watch = await watched(deployment)
    tbank.chargeResult = '3013'
    await charge('month-1')
    await watch.fires('FpsConnectorChargesRefused')
    tbank.chargeResult = 'CONFIRMED'
    await charge('month-2')
    await deployment.merchant('cafe').has('month-2', 'PAYED')
    await watch.ends('FpsConnectorChargesRefused')
  })
})
