// The story of a code at each bank: registered, paid by webhook, refunded in two parts; a second code is cancelled.
import { describe, expect, it } from 'vitest'
import {
  MINUTE,
  ofRefund,
  refund,
  register,
  registerData,
  type Surroundings,
  start,
  surroundings,
} from './harness.ts'

interface Story {
  site: string
  bank: string
  pay: (at: Surroundings, qrcId: string) => Promise<unknown>
  refunded: (at: Surroundings) => number
  reference: RegExp
}

const STORIES: Story[] = [
  {
    ...{ site: 'tea', bank: 'tochka-main' },
    pay: (at, qrcId) => at.tochka.pay(qrcId),
    refunded: (at) => at.tochka.refundedSum,
    reference: /^tochka-main:MF0000000042:40702810500000000001\/044525104$/,
  },
  {
    ...{ site: 'cafe', bank: 'tbank-cafe' },
    pay: (at, qrcId) => at.tbank.pay(qrcId),
    refunded: (at) => at.tbank.refundedSum,
    reference: /^tbank-cafe:\d+$/,
  },
  {
    ...{ site: 'farm', bank: 'raif-farm' },
    pay: (at, qrcId) => at.raiffeisen.pay(qrcId),
    refunded: (at) => at.raiffeisen.refundedSum,
    reference: /^raif-farm:[0-9a-f]{32}$/,
  },
]

describe.each(STORIES)('$bank', ({ site, pay, refunded, reference }) => {
  it('registers a link, reports its payment, and refunds it in two parts', async () => {
    const at = await surroundings()
    const { connector } = await start(at)
    const link = await register(at, site)
    expect(link.payload).toContain(`/${link.qrcId}?type=02&`)
    expect(link.payload).toContain('&sum=10000&cur=RUB&')
    expect(link.reference).toMatch(reference)
    expect(link.expiresOn).toBe('2026-11-20T11:00:00.000Z')

    await pay(at, link.qrcId)
    await connector.settle()
    expect(at.service.site(site).payments).toEqual(
      new Map([
        [
          link.qrcId,
          expect.objectContaining({
            qrcId: link.qrcId,
            status: 'COMPLETED',
            amount: { value: '100.00', currency: 'RUB' },
          }),
        ],
      ]),
    )

    const first = await refund(at, site, link, '30.00')
    const second = await refund(at, site, link, '70.00')
    await connector.settle()
    expect(ofRefund(at, first)).toEqual({ status: 'COMPLETED', amount: first.amount })
    at.clock.now += 2 * MINUTE
    await connector.settle()
    expect(ofRefund(at, second)).toEqual({ status: 'COMPLETED', amount: second.amount })
    expect(refunded(at)).toBe(10_000)

    // The daily repeat changes nothing at the bank, and is reported again.
    at.service.site(site).refunds.clear()
    expect((await first.again()).status).toBe(202)
    at.service.waitingRefunds.push(first as never)
    await connector.settle()
    expect(ofRefund(at, first)).toEqual({ status: 'COMPLETED', amount: first.amount })
    expect(refunded(at)).toBe(10_000)
  })

  it('takes a cancellation, and a payment that was faster is reported', async () => {
    const at = await surroundings()
    const { connector } = await start(at)
    const link = await register(at, site)
    const { qrcId, reference: given } = link
    const answer = await at.service.instruct(
      'qrCode.cancel',
      { siteId: site, qrcId, reference: given },
      at.clock.now,
    )
    expect(answer.status).toBe(204)
    await pay(at, qrcId)
    await connector.settle()
    expect(at.service.site(site).payments.get(qrcId)?.status).toBe('COMPLETED')
    expect(refunded(at)).toBe(0)
  })

  it('answers a key again, also when both come at once, by one link', async () => {
    const at = await surroundings()
    const first = await start(at)
    const data = registerData(at, site)
    const send = () => at.service.instruct('qrCode.register', data, at.clock.now)
    const answers = await Promise.all([send(), send(), send()])
    await first.stop()
    await start(at)
    const later = { ...data, expiresOn: new Date(at.clock.now + 2 * 60 * MINUTE).toISOString() }
    answers.push(await at.service.instruct('qrCode.register', later, at.clock.now))
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    expect(at.tochka.codes.size + at.tbank.sessions.size + at.raiffeisen.codes.size).toBe(1)
  })

  it('registers a key anew once its link has ended, and not while it is paid', async () => {
    const at = await surroundings()
    const { connector } = await start(at)
    const data = registerData(at, site)
    const send = async () => (await at.service.instruct('qrCode.register', data, at.clock.now)).body.qrcId
    const first = await send()
    at.clock.now += 61 * MINUTE
    data.expiresOn = new Date(at.clock.now + 60 * MINUTE).toISOString()
    const second = await send()
    expect(second).not.toBe(first)
    await pay(at, String(second))
    await connector.settle()
    at.clock.now += 61 * MINUTE
    expect(await send()).toBe(second)
  })

  it('reports one payment for a webhook that is repeated', async () => {
    const at = await surroundings()
    const { connector } = await start(at)
    const { qrcId } = await register(at, site)
    const bank = { tea: at.tochka, cafe: at.tbank, farm: at.raiffeisen }[site]
    const delivery = { times: 3 }
    if (site === 'tea') await at.tochka.pay(qrcId, delivery)
    if (site === 'cafe') await at.tbank.pay(qrcId, delivery)
    if (site === 'farm') await at.raiffeisen.pay(qrcId, delivery)
    const text = site === 'cafe' ? 'OK' : ''
    expect(bank?.webhookAnswers).toEqual(Array(3).fill({ status: 200, text }))
    await connector.settle()
    expect(at.service.reports).toHaveLength(1)
  })

  it('finds a payment whose webhook was lost', async () => {
    const at = await surroundings()
    const { connector } = await start(at)
    const { qrcId } = await register(at, site)
    if (site === 'tea') await at.tochka.pay(qrcId, { times: 0 })
    if (site === 'cafe') await at.tbank.pay(qrcId, { times: 0 })
    if (site === 'farm') await at.raiffeisen.pay(qrcId, { times: 0 })
    await connector.settle()
    expect(at.service.reports).toEqual([])
    at.clock.now += MINUTE
    await connector.settle()
    expect(at.service.site(site).payments.get(qrcId)?.status).toBe('COMPLETED')
    // The webhook comes late: still one payment, with one uid.
    if (site === 'tea')
      await at.tochka.deliver(at.tochka.codes.get(qrcId)?.payments[0]?.refTransactionId ?? '')
    if (site === 'cafe') await at.tbank.deliver(at.tbank.session(qrcId).paymentId)
    if (site === 'farm') await at.raiffeisen.deliver(qrcId)
    await connector.settle()
    expect(at.service.site(site).payments.size).toBe(1)
  })
})
