// The story of a code at each bank: registered, paid by webhook, refunded in two parts; a second code is cancelled.
import { describe, expect, it } from 'vitest'
import {
  deliver,
  fakeOf,
  launched,
  MINUTE,
  ofRefund,
  pay,
  refund,
  register,
  registerData,
  start,
} from './harness.ts'

interface Story {
  site: string
  bank: string
  reference: RegExp
}

const STORIES: Story[] = [
  {
    ...{ site: 'tea', bank: 'tochka-main' },
    reference: /^tochka-main:MF0000000042:40702810500000000001\/044525104$/,
  },
  {
    ...{ site: 'cafe', bank: 'tbank-cafe' },
    reference: /^tbank-cafe:\d+$/,
  },
  {
    ...{ site: 'farm', bank: 'raif-farm' },
    reference: /^raif-farm:[0-9a-f]{32}$/,
  },
  {
    ...{ site: 'club', bank: 'pay-club' },
    reference: /^pay-club:[0-9a-z]{1,36}$/,
  },
]

describe.each(STORIES)('$bank', ({ site, reference }) => {
  it('registers a link, reports its payment, and refunds it in two parts', async () => {
    const { at, connector, later } = await launched()
    const link = await register(at, site)
    expect(link.payload).toContain(`/${link.qrcId}?type=02&`)
    expect(link.payload).toContain('&sum=10000&cur=RUB&')
    expect(link.reference).toMatch(reference)
    expect(link.expiresOn).toBe('2026-11-20T11:00:00.000Z')

    await pay(at, site, link.qrcId)
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
    await later(2 * MINUTE)
    expect(ofRefund(at, second)).toEqual({ status: 'COMPLETED', amount: second.amount })
    expect(fakeOf(site).of(at).refundedSum).toBe(10_000)

    // The daily repeat changes nothing at the bank, and is reported again.
    at.service.site(site).refunds.clear()
    expect((await first.again()).status).toBe(202)
    at.service.waitingRefunds.push(first as never)
    await connector.settle()
    expect(ofRefund(at, first)).toEqual({ status: 'COMPLETED', amount: first.amount })
    expect(fakeOf(site).of(at).refundedSum).toBe(10_000)
  })

  it('takes a cancellation, and a payment that was faster is reported', async () => {
    const { at, connector } = await launched()
    const link = await register(at, site)
    const { qrcId, reference: given } = link
    const answer = await at.service.instruct(
      'qrCode.cancel',
      { siteId: site, qrcId, reference: given },
      at.clock.now,
    )
    expect(answer.status).toBe(204)
    await pay(at, site, qrcId)
    await connector.settle()
    expect(at.service.site(site).payments.get(qrcId)?.status).toBe('COMPLETED')
    expect(fakeOf(site).of(at).refundedSum).toBe(0)
  })

  it('answers a key again, also when both come at once, by one link', async () => {
    const { at, running: first } = await launched()
    const data = registerData(at, site)
    const send = () => at.service.instruct('qrCode.register', data, at.clock.now)
    const answers = await Promise.all([send(), send(), send()])
    await first.stop()
    await start(at)
    const later = { ...data, expiresOn: new Date(at.clock.now + 2 * 60 * MINUTE).toISOString() }
    answers.push(await at.service.instruct('qrCode.register', later, at.clock.now))
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1)
    const { tochka, tbank, raiffeisen, tochkaPay } = at
    const codes = [tochka.codes, tbank.sessions, raiffeisen.codes, tochkaPay.codes.all]
    expect(codes.map(({ size }) => size).toSorted()).toEqual([0, 0, 0, 1])
  })

  it('registers a key anew once its link has ended, and not while it is paid', async () => {
    const { at, connector } = await launched()
    const data = registerData(at, site)
    const send = async () => (await at.service.instruct('qrCode.register', data, at.clock.now)).body.qrcId
    const first = await send()
    at.clock.now += 61 * MINUTE
    data.expiresOn = new Date(at.clock.now + 60 * MINUTE).toISOString()
    const second = await send()
    expect(second).not.toBe(first)
    await pay(at, site, String(second))
    await connector.settle()
    at.clock.now += 61 * MINUTE
    expect(await send()).toBe(second)
  })

  it('reports one payment for a webhook that is repeated', async () => {
    const { at, connector } = await launched()
    const { qrcId } = await register(at, site)
    await pay(at, site, qrcId, { times: 3 })
    const text = site === 'cafe' ? 'OK' : ''
    expect(fakeOf(site).of(at).webhookAnswers).toEqual(Array(3).fill({ status: 200, text }))
    await connector.settle()
    expect(at.service.reports).toHaveLength(1)
  })

  it('finds a payment whose webhook was lost', async () => {
    const { at, connector, later } = await launched()
    const { qrcId } = await register(at, site)
    await pay(at, site, qrcId, { times: 0 })
    await connector.settle()
    expect(at.service.reports).toEqual([])
    await later(MINUTE)
    expect(at.service.site(site).payments.get(qrcId)?.status).toBe('COMPLETED')
    // The webhook comes late: still one payment, with one uid.
    await deliver(at, site, qrcId)
    await connector.settle()
    expect(at.service.site(site).payments.size).toBe(1)
  })
})
