// Races of bound accounts and their charges: what arrives while the bank is being asked.
import { expect, it } from 'vitest'
import { chargeToSettle } from '../../connector/commands/held.ts'
import {
  awaiting,
  bind,
  bound,
  boundBy,
  charge,
  charged,
  deleteToken,
  isOnDisk,
  PRICE,
  RAIFFEISEN,
  TBANK,
} from './bound.ts'
import { DAY, HOUR, MINUTE, ofRefund, refund, register, start } from './harness.ts'

it('a refusal that the bank stated before a consent does not end the binding', async () => {
  const { at, running, qrcId } = await awaiting(TBANK)
  const { connector, later, core } = running
  await at.tbank.consent(qrcId, false, { times: 0 })
  at.tbank.beforeAnswer = async (operation) => {
    if (operation !== 'GetAddAccountQrState') return
    at.tbank.beforeAnswer = async () => {}
    // The notification of the consent overtakes the answer.
    await at.tbank.consent(qrcId, true)
    connector.turn()
    await expect
      .poll(() => core.disk.bindings.ofRequest(at.tbank.binding(qrcId).requestKey)[0]?.state)
      .toBe('CREATED')
  }
  await later(MINUTE)
  const { bindingUid } = boundBy(at, 'cafe', qrcId)
  expect(at.service.site('cafe').bindings.get(bindingUid)).toMatchObject({ status: 'CREATED' })
})

it('a refusal from before the consent that a charge is answered with leaves the binding, and the charge waits', async () => {
  const { at, running, binding, link } = await bound(TBANK)
  at.tbank.fail('GetAddAccountQrState', { changes: { Status: 'INACTIVE' } }, 2)
  const asked = await charge(at, binding, link)
  await running.later(MINUTE, 2)
  expect(at.tbank.callsOf('ChargeQr')).toEqual([])
  await running.later(MINUTE)
  expect(asked.result()?.status).toBe('COMPLETED')
  expect(at.service.site('cafe').bindings.get(binding.bindingUid)).toMatchObject({ status: 'CREATED' })
})

it('an end that the bank still states an hour after the consent ends the binding, and nothing is charged before', async () => {
  const { at, running, binding, link, token } = await bound(TBANK)
  const statusOf = () => at.service.site('cafe').bindings.get(binding.bindingUid)?.status
  await at.tbank.consent(token.qrcId, false)
  const asked = await charge(at, binding, link, {
    expiresOn: new Date(at.clock.now + 2 * HOUR).toISOString(),
  })
  await running.later(MINUTE, 59)
  expect([statusOf(), asked.result()]).toEqual(['CREATED', undefined])
  await running.later(MINUTE)
  expect(statusOf()).toBe('DELETED')
  expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED' })
  expect(at.tbank.callsOf('ChargeQr')).toEqual([])
})

it('an end within an hour after the consent is reported an hour after it, also where nobody charges', async () => {
  const { at, running, binding, token } = await bound(TBANK)
  await at.tbank.consent(token.qrcId, false)
  await running.connector.settle()
  await running.later(HOUR)
  expect(at.service.site('cafe').bindings.get(binding.bindingUid)).toMatchObject({ status: 'DELETED' })
})

it.each([
  ['a new disk', 'nothing', 'new', undefined],
  ['a new disk', 'that it came days after the end of its code', 'new', -3 * DAY],
  ['a restored disk', 'that it came days after the end of its code', 'restored', -3 * DAY],
])(
  '%s does not take a refusal from before the consent for an end, and of the consent it knows %s',
  async (...each) => {
    const [, , disk, endsIn] = each
    const { at, running, binding } = await bound(TBANK)
    await running.loseDisk()
    const restoredFrom = at.clock.now
    if (disk === 'restored') {
      await (await start(at)).stop()
      at.clock.now += DAY
    }
    const expiresOn = endsIn && new Date(at.clock.now + endsIn).toISOString()
    at.service.bindings = [{ ...binding, reference: binding.bindingReference, status: 'CREATED', expiresOn }]
    at.tbank.fail('GetAddAccountQrState', { changes: { Status: 'INACTIVE' } })
    at.clock.now += MINUTE
    const next = await start(at, disk === 'restored' ? { restoredFrom } : {})
    await next.connector.settle()
    expect(at.tbank.callsOf('GetAddAccountQrState').length).toBeGreaterThan(0)
    at.clock.now += 10 * MINUTE
    const asked = await charge(at, binding, await register(at, 'cafe', { amount: PRICE }))
    await next.later(MINUTE)
    expect(asked.result()?.status).toBe('COMPLETED')
  },
)

it('a refusal from before the consent of a binding that is not on disk leaves its charge waiting', async () => {
  const { at, running, binding, link } = await bound(TBANK)
  await running.loseDisk()
  const next = await start(at)
  await next.connector.settle()
  at.tbank.fail('GetAddAccountQrState', { changes: { Status: 'INACTIVE' } }, 2)
  const asked = await charge(at, binding, link)
  await next.connector.settle()
  expect(next.core.disk.bindings.get({ site: 'cafe', bindingUid: binding.bindingUid })).toBeUndefined()
  expect(asked.result()).toBeUndefined()
  await next.later(MINUTE, 2)
  expect(asked.result()?.status).toBe('COMPLETED')
})

it('no answer of the bank brings its token into a report or the log', async () => {
  for (const ErrorCode of ['3015', '9999']) {
    const { at, running, request, binding, link } = await bound(TBANK)
    const Details = `AccountToken TOKEN${request}`
    at.tbank.fail('ChargeQr', { status: 200, body: { Success: false, ErrorCode, Message: 'x', Details } })
    await charge(at, binding, link)
    await running.connector.settle()
    expect(at.tbank.callsOf('ChargeQr')).toHaveLength(1)
    const { disk } = running.core
    const said = JSON.stringify([
      at.service.reports,
      running.log,
      disk.reports.since(0),
      disk.charges.queue.due('tbank-cafe', 9e15, 9),
    ])
    expect(said).not.toContain(`TOKEN${request}`)
    expect([isOnDisk(at, request), isOnDisk(at, `TOKEN${request}`)]).toEqual([true, false])
  }
})

it('a text of the bank that is cut in the midst of the token has no part of it', async () => {
  const secret = 'T'.repeat(120)
  for (const [ErrorCode, limit] of [
    ['3015', 300],
    ['9999', 200],
    ['1', 300],
  ] as const) {
    const { at, running, binding, link, token } = await bound(TBANK)
    at.tbank.binding(token.qrcId).accountToken = secret
    const Details = `${'x'.repeat(limit - 60)} ${secret}`
    at.tbank.fail('ChargeQr', { status: 200, body: { Success: false, ErrorCode, Message: '', Details } })
    await charge(at, binding, link)
    await running.connector.settle()
    expect(at.tbank.callsOf('ChargeQr').map(({ body }) => Object(body).AccountToken)).toEqual([secret])
    const { disk } = running.core
    const said = JSON.stringify([at.service.reports, running.log, disk.reports.since(0), disk.charges.held()])
    expect(said).not.toContain('TTT')
    expect(isOnDisk(at, 'TTT')).toBe(false)
  }
})

it('a bank that does not answer delays no charge at another', async () => {
  const { at, running, binding, link } = await bound(TBANK)
  const farm = await bind({ at, running }, RAIFFEISEN)
  let release = () => {}
  const silence = new Promise<void>((resolve) => {
    release = resolve
  })
  at.tbank.beforeExecution = (operation) => (operation === 'ChargeQr' ? silence : Promise.resolve())
  for (let i = 0; i < 20; i++) await charge(at, binding, link)
  running.connector.turn()
  await expect.poll(() => at.tbank.callsOf('ChargeQr').length).toBe(16)
  const other = await charge(at, farm.binding, await register(at, 'farm', { amount: PRICE }))
  await expect
    .poll(() => {
      running.connector.turn()
      return other.result()?.status
    })
    .toBe('COMPLETED')
  expect(at.tbank.callsOf('ChargeQr')).toHaveLength(16)
  release()
})

it('a sent charge whose credentials are gone is held: the operator can end it, and the bank when it is back', async () => {
  const { at, running, binding, link } = await bound(TBANK)
  at.tbank.chargeResult = 'AUTHORIZING'
  const asked = await charge(at, binding, link)
  await running.connector.settle()
  await running.stop()
  const { config } = at
  const { 'tbank-cafe': _, ...banks } = config.banks
  const without = {
    ...config,
    banks,
    sites: { ...config.sites, cafe: { ...config.sites.cafe, bank: 'raif-farm' } },
  }
  at.clock.now += HOUR
  const next = await start({ ...at, config: without })
  await next.connector.settle()
  expect(next.core.disk.charges.held()).toMatchObject([{ paymentUid: asked.paymentUid }])
  await next.stop()
  const paymentId = String(Object(at.tbank.callsOf('ChargeQr')[0]?.body).PaymentId)
  await at.tbank.finishCharge(paymentId, 'CONFIRMED', { times: 0 })
  at.clock.now += HOUR
  const last = await start(at)
  await last.connector.settle()
  expect(asked.result()?.status).toBe('COMPLETED')
})

it('a charge that the operator completes while its credentials are gone has its own reference: its refund goes to it', async () => {
  const { at, running, binding, link } = await bound(TBANK)
  at.tbank.chargeResult = 'AUTHORIZING'
  const asked = await charge(at, binding, link)
  await running.connector.settle()
  const paymentId = String(Object(at.tbank.callsOf('ChargeQr')[0]?.body).PaymentId)
  await at.tbank.finishCharge(paymentId, 'CONFIRMED', { times: 0 })
  await running.stop()
  const { config } = at
  const { 'tbank-cafe': _, ...banks } = config.banks
  const sites = { ...config.sites, cafe: { ...config.sites.cafe, bank: 'raif-farm' } }
  at.clock.now += HOUR
  const without = await start({ ...at, config: { ...config, banks, sites } })
  await without.connector.settle()
  const { paymentUid } = asked
  const of = { site: 'cafe', paymentUid, number: undefined, reason: '', by: 'anna' }
  chargeToSettle(without.core, { ...of, result: 'COMPLETED' }).finish()
  await without.connector.settle()
  const reference = `tbank-cafe:${paymentId}`
  expect(asked.result()).toMatchObject({ status: 'COMPLETED', networkUid: paymentId, reference })
  await without.stop()
  const next = await start(at)
  const back = await refund(at, 'cafe', { ...link, paymentUid, reference }, '50.00')
  await next.connector.settle()
  expect(at.tbank.sessions.get(paymentId)?.refunded).toBe(5_000)
  expect(ofRefund(at, back)?.status).toBe('COMPLETED')
})

it('without its bank a charge is completed by a number alone: nobody knows by what a refund would find it', async () => {
  const { at, running, asked } = await charged(RAIFFEISEN, (of) => RAIFFEISEN.decide(of.at, 'IN_PROGRESS'))
  const { order = '' } = at.raiffeisen.charged[0] ?? {}
  await running.stop()
  const { config } = at
  const { 'raif-farm': _, ...banks } = config.banks
  const sites = { ...config.sites, farm: { ...config.sites.farm, bank: 'tbank-cafe' } }
  const next = await start({ ...at, config: { ...config, banks, sites } })
  await next.later(HOUR)
  const of = {
    site: 'farm',
    paymentUid: asked.paymentUid,
    reason: '',
    by: 'anna',
    result: 'COMPLETED' as const,
  }
  expect(() => chargeToSettle(next.core, { ...of, number: undefined })).toThrow(
    `--number is missing, must be the bank’s number of the payment, or ${order} where the bank finds it by its order`,
  )
  chargeToSettle(next.core, { ...of, number: order }).finish()
  await next.connector.settle()
  expect(asked.result()?.reference).toBe(`raif-farm:${order}`)
})

it('a charge that is declined after its link was cancelled says so', async () => {
  const { at, running, binding, link } = await bound(RAIFFEISEN)
  let cancelled = 0
  at.raiffeisen.beforeAnswer = async (operation) => {
    if (operation !== 'cancel' || ++cancelled > 1) return
    await deleteToken(at, binding)
  }
  const asked = await charge(at, binding, link)
  await running.connector.settle()
  expect(cancelled).toBeGreaterThan(0)
  expect(at.raiffeisen.callsOf('charge')).toEqual([])
  expect(asked.result()).toMatchObject({ status: 'DECLINED', reason: 'TOKEN_DELETED', linkCancelled: true })
})
