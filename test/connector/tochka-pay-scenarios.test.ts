// The bank's test scenarios: with a test siteUid, JSON in a text of the merchant chooses what the bank does.
import { describe, expect, it } from 'vitest'
import { bindingOf, boundBy, charge, PRICE } from './bound.ts'
import { arm, COUNTER } from './cashbox.ts'
import { HOUR, ofRefund, refund, register, registerData, start, surroundings } from './harness.ts'

/** A connector whose credentials are those of a test site. */
async function testing() {
  const at = await surroundings()
  at.tochkaPay.codes.isTest = true
  Object.assign(at.config.banks['pay-club'], { test: true })
  Object.assign(at.config.sites.club, { cashRegisterQrcIds: at.tochkaPay.codes.reserve(2) })
  const running = await start(at)
  at.clock.now += 1_000
  const settle = async () => {
    await at.tochkaPay.webhooks.areSent()
    await running.connector.settle()
  }
  return { at, running, settle, site: at.service.site('club') }
}

const chosen = (scenarios: Record<string, string>) => JSON.stringify(scenarios)

describe('createQrc', () => {
  it.each([
    ['OK_WITHOUT_CALLBACKS', undefined],
    ['OK_PAYMENT_ACCEPTED', 'COMPLETED'],
    ['OK_PAYMENT_REJECTED', 'DECLINED'],
  ])('%s of a code: the payment is %s', async (createQrc, status) => {
    const { at, running, settle, site } = await testing()
    const { qrcId } = await register(at, 'club', { paymentPurpose: chosen({ createQrc }) })
    await settle()
    // A decline is found when the bank is asked.
    await running.later(HOUR)
    expect(site.payments.get(qrcId)?.status).toBe(status)
  })

  it('ERROR: the code is not created', async () => {
    const { at } = await testing()
    const data = registerData(at, 'club', { paymentPurpose: chosen({ createQrc: 'ERROR' }) })
    expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(503)
    expect(at.tochkaPay.codes.all.size).toBe(0)
  })

  it.each([
    ['OK_SUBSCRIPTION_ACCEPTED', 'CREATED', undefined],
    ['OK_PAYMENT_AND_SUBSCRIPTION_ACCEPTED', 'CREATED', 'COMPLETED'],
    ['OK_SUBSCRIPTION_REJECTED', 'REJECTED', undefined],
  ])('%s of a code that binds: the binding is %s, the payment %s', async (createQrc, bound, paid) => {
    const { at, settle, site } = await testing()
    const { qrcId } = await register(at, 'club', {
      ...{ flags: ['CREATE_TOKEN'], tokenizationPurpose: 'Tea', paymentPurpose: chosen({ createQrc }) },
    })
    await settle()
    expect(bindingOf(at, 'club', qrcId)?.status).toBe(bound)
    expect(site.payments.get(qrcId)?.status).toBe(paid)
  })

  it('of a code that only binds, the text is the purpose of the binding', async () => {
    const { at, settle } = await testing()
    const tokenizationPurpose = chosen({ createQrc: 'OK_SUBSCRIPTION_ACCEPTED' })
    const data = { type: 'TOKEN', amount: undefined, paymentPurpose: undefined, tokenizationPurpose }
    const { qrcId } = await register(at, 'club', data)
    await settle()
    expect(bindingOf(at, 'club', qrcId)?.status).toBe('CREATED')
  })
})

it.each([
  ['OK_WITHOUT_CALLBACKS', 'COMPLETED'],
  ['OK_ACCEPTED', 'COMPLETED'],
  ['OK_REJECTED', 'DECLINED'],
  ['ERROR', undefined],
])('refund %s: the refund is %s', async (scenario, status) => {
  const { at, running, settle } = await testing()
  const paymentPurpose = chosen({ createQrc: 'OK_PAYMENT_ACCEPTED', refund: scenario })
  const link = await register(at, 'club', { paymentPurpose })
  await settle()
  const asked = await refund(at, 'club', link, '30.00')
  await settle()
  expect(ofRefund(at, asked)?.status).toBe(status)
  // What the bank answers by an error is asked about, and then held.
  await running.later(HOUR, 2)
  expect(running.core.disk.refunds.countHeld()).toBe(status === undefined ? 1 : 0)
  expect(at.tochkaPay.refundedSum).toBe(status === 'COMPLETED' ? 3_000 : 0)
})

it.each([
  ['OK', 'COMPLETED'],
  ['OK_WITHOUT_CALLBACKS', 'COMPLETED'],
  ['OK_REJECTED', 'DECLINED'],
  ['ERROR', undefined],
])('payWithToken %s: the charge is %s', async (payWithToken, status) => {
  const { at, settle } = await testing()
  const { qrcId } = await register(at, 'club', {
    ...{ type: 'TOKEN', amount: undefined, paymentPurpose: undefined },
    tokenizationPurpose: chosen({ createQrc: 'OK_SUBSCRIPTION_ACCEPTED' }),
  })
  await settle()
  const link = await register(at, 'club', { amount: PRICE })
  const paymentPurpose = chosen({ payWithToken })
  const asked = await charge(at, boundBy(at, 'club', qrcId), link, { paymentPurpose })
  await settle()
  expect(asked.result()?.status).toBe(status)
})

describe('a cashbox code', () => {
  it.each([
    ['OK_WITHOUT_CALLBACKS', []],
    ['OK_PAYMENT_ACCEPTED', ['COMPLETED']],
    ['OK_PAYMENT_REJECTED', []],
  ])('activateCRQRC %s: its sale has the payments %j', async (activateCRQRC, statuses) => {
    const { at, settle, site } = await testing()
    const code = await register(at, 'club', COUNTER)
    const answer = await arm(at, code, 's1', '5.00', {
      siteId: 'club',
      paymentPurpose: chosen({ activateCRQRC }),
    })
    expect(answer.status).toBe(200)
    await settle()
    expect(Array.from(site.payments.values(), ({ status }) => status)).toEqual(statuses)
  })

  it('whose reserved id is none of the test system is not created', async () => {
    const { at } = await testing()
    at.tochkaPay.codes.isTest = false
    const [live] = at.tochkaPay.codes.reserve(1)
    at.tochkaPay.codes.isTest = true
    Object.assign(at.config.sites.club, { cashRegisterQrcIds: [live] })
    await start(at)
    const data = registerData(at, 'club', COUNTER)
    expect((await at.service.instruct('qrCode.register', data, at.clock.now)).status).toBe(503)
  })
})
