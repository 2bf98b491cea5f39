// Static codes: each payment has its own uid, and what a bank cannot do is refused by its name.
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  HOUR,
  launched,
  MINUTE,
  ofRefund,
  refund,
  register,
  registerData,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'
import { runCommand } from './process.ts'

const STATIC = { type: 'STATIC', ttl: undefined, expiresOn: undefined }
const amount = { value: '100.00', currency: 'RUB' }

/** A code of the site, and the connector that registered it. */
async function printed(site: string, changes: object = {}) {
  const at = await surroundings({ now: Date.now() })
  const running = await start({ ...at, directory: join(at.directory, 'data') })
  return { at, ...running, code: await register(at, site, { ...STATIC, ...changes }) }
}

/** What `reconcile` prints of today. */
async function reconciled(at: Surroundings): Promise<string[]> {
  const [from = '', to = ''] = [-24 * HOUR, 24 * HOUR].map((time) =>
    new Date(at.clock.now + time).toISOString(),
  )
  return (await runCommand(at, 'reconcile', '--from', from, '--to', to)).lines
}

const reported = (at: Surroundings, site: string) =>
  Array.from(at.service.site(site).payments, ([uid, { qrcId, status, amount }]) => ({
    uid,
    qrcId,
    status,
    amount,
  }))

describe('Tochka', () => {
  it('a code with an amount is a link of type 01 without an end, and each payment is reported under the bank’s number', async () => {
    const { at, connector, code } = await printed('tea')
    expect(code.payload).toMatch(/\/AS1000\w+\?type=01&bank=\d+&sum=10000&cur=RUB&/)
    expect(code.expiresOn).toBe('undefined')
    expect(at.tochka.callsOf('register')[0]?.body).toEqual({
      Data: { amount: 10_000, currency: 'RUB', paymentPurpose: 'Tea', qrcType: '01' },
    })
    const refs = [await at.tochka.pay(code.qrcId, { times: 2 }), await at.tochka.pay(code.qrcId)]
    await connector.settle()
    expect(reported(at, 'tea')).toEqual(
      refs.map((uid) => ({ uid, qrcId: code.qrcId, status: 'COMPLETED', amount })),
    )
  })

  it('a payment whose webhook is lost is found, however many there are', async () => {
    const { at, connector, later, code } = await printed('tea')
    const refs = [
      await at.tochka.pay(code.qrcId, { times: 0 }),
      await at.tochka.pay(code.qrcId, { times: 0 }),
    ]
    await later(MINUTE)
    expect(reported(at, 'tea').map(({ uid }) => uid)).toEqual(refs)
    // The webhook comes late: still one payment.
    await at.tochka.deliver(refs[0] ?? '')
    await connector.settle()
    expect(at.service.reports).toHaveLength(2)
  })

  it('a code without an amount has the amounts of its webhooks; one that is lost is named by reconcile', async () => {
    const { at, later, code } = await printed('tea', { amount: undefined })
    expect(code.payload).not.toContain('sum=')
    const ref = await at.tochka.pay(code.qrcId, { amount: 4_250 })
    const lost = await at.tochka.pay(code.qrcId, { amount: 99_000, times: 0 })
    await later(MINUTE)
    expect(reported(at, 'tea')).toEqual([
      { uid: ref, qrcId: code.qrcId, status: 'COMPLETED', amount: { value: '42.50', currency: 'RUB' } },
    ])
    expect(await reconciled(at)).toEqual([
      `tea ${code.qrcId}: paid at tochka-main (${lost}), was not reported`,
      '1 codes compared, 1 differences',
    ])
  })

  it('a refund of its payment is declined by name, and by the bank where a new disk does not know the code', async () => {
    const { at, connector, core, code } = await printed('tea')
    const paymentUid = await at.tochka.pay(code.qrcId)
    await connector.settle()
    const asked = await refund(at, 'tea', { ...code, paymentUid }, '30.00')
    await connector.settle()
    expect(ofRefund(at, asked)).toMatchObject({
      status: 'DECLINED',
      reason: 'Tochka: payments of static and cashbox codes are refunded in its console',
    })
    expect(at.tochka.callsOf('refund')).toEqual([])
    core.disk.codes.forget(core.disk.codes.ofLink(code.qrcId)[0]?.id ?? '')
    const again = await refund(at, 'tea', { ...code, paymentUid }, '30.00')
    await connector.settle()
    expect(ofRefund(at, again)).toMatchObject({
      status: 'DECLINED',
      reason: expect.stringContaining('only dynamic codes'),
    })
    expect(at.tochka.refundedSum).toBe(0)
  })
})

describe('Raiffeisenbank', () => {
  it('each payment is reported under the bank’s number, and the first one is refunded after the second', async () => {
    const { at, connector, code } = await printed('farm')
    expect(code.payload).toMatch(/\/AS1000\w+\?type=01&/)
    expect(at.raiffeisen.callsOf('register')[0]?.body).toMatchObject({ qrType: 'QRStatic', amount: 100 })
    expect(at.raiffeisen.callsOf('register')[0]?.body).not.toHaveProperty('qrExpirationDate')
    const first = String(await at.raiffeisen.pay(code.qrcId))
    await connector.settle()
    at.clock.now += 1_000
    const second = String(await at.raiffeisen.pay(code.qrcId, { times: 2 }))
    await connector.settle()
    expect(reported(at, 'farm')).toEqual(
      [first, second].map((uid) => ({ uid, qrcId: code.qrcId, status: 'COMPLETED', amount })),
    )
    const reference = at.service.site('farm').payments.get(first)?.reference
    expect(reference).toBe(`${code.reference}:${first}`)
    const asked = await refund(
      at,
      'farm',
      { qrcId: code.qrcId, reference: String(reference), paymentUid: first },
      '30.00',
    )
    await connector.settle()
    expect(ofRefund(at, asked)?.status).toBe('COMPLETED')
    expect(at.raiffeisen.codes.get(code.qrcId)?.payments.map(({ refunded }) => refunded)).toEqual([3_000, 0])
  })

  it('the latest payment is found if its webhook is lost, and reconcile shows no difference for the others', async () => {
    const { at, connector, code } = await printed('farm')
    const first = String(await at.raiffeisen.pay(code.qrcId))
    await connector.settle()
    at.clock.now += MINUTE
    const second = String(await at.raiffeisen.pay(code.qrcId, { times: 0 }))
    await connector.settle()
    expect(reported(at, 'farm').map(({ uid }) => uid)).toEqual([first, second])
    expect(await reconciled(at)).toEqual(['1 codes compared, 0 differences'])
  })

  it('a webhook that the bank does not confirm, because another payment was faster, stays on disk and is listed', async () => {
    const { at, connector, core, code } = await printed('farm')
    await at.raiffeisen.pay(code.qrcId, { times: 0 })
    const { body, signature } = at.raiffeisen.callbackOf(code.qrcId)
    at.clock.now += 1_000
    const second = String(await at.raiffeisen.pay(code.qrcId))
    await fetch(at.raiffeisen.callbackUrl ?? '', {
      method: 'POST',
      body,
      headers: { 'x-api-signature-sha256': signature },
    })
    await connector.settle()
    expect(reported(at, 'farm').map(({ uid }) => uid)).toEqual([second])
    expect(core.disk.webhooks.waiting()).toMatchObject([{ problem: 'NO_PAYMENT' }])
  })

  it('a payment that the bank states only after the cancellation of the code is reported', async () => {
    const { at, later, code } = await printed('farm')
    at.raiffeisen.hidePayments = true
    const paid = String(await at.raiffeisen.pay(code.qrcId, { times: 0 }))
    const cancel = { siteId: 'farm', qrcId: code.qrcId, reference: code.reference }
    expect((await at.service.instruct('qrCode.cancel', cancel, at.clock.now)).status).toBe(204)
    await later(MINUTE)
    expect(reported(at, 'farm')).toEqual([])
    at.raiffeisen.hidePayments = false
    await later(HOUR)
    expect(reported(at, 'farm').map(({ uid }) => uid)).toEqual([paid])
  })

  it('is cancelled at the bank also after payments', async () => {
    const { at, connector, code } = await printed('farm')
    await at.raiffeisen.pay(code.qrcId)
    await connector.settle()
    const cancel = { siteId: 'farm', qrcId: code.qrcId, reference: code.reference }
    expect((await at.service.instruct('qrCode.cancel', cancel, at.clock.now)).status).toBe(204)
    expect(at.raiffeisen.codes.get(code.qrcId)?.isCancelled).toBe(true)
  })
})

it.each([
  ['cafe', STATIC, 'T-Bank: codes of the type STATIC cannot be registered'],
  ['farm', { ...STATIC, amount: undefined }, 'Raiffeisenbank: a code without an amount cannot be registered'],
])('%s: 422 for %j', async (site, changes, description) => {
  const { at } = await launched()
  const data = registerData(at, site, changes)
  const answer = await at.service.instruct('qrCode.register', data, at.clock.now)
  expect(answer).toEqual({ status: 422, body: { description } })
})
