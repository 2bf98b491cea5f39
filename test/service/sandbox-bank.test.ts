// The sandbox bank of the deployed bundle: it carries out refunds through the outbox, and reports them as a connector does.
import { afterAll, expect, it } from 'vitest'
import { RefundAnswer, RefundsAnswer } from '../../src/contract/refund.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { merchantReceiver } from '../support/merchant-receiver.ts'
import { serviceSite } from '../support/service-site.ts'

const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp()
})

it('completes a refund, declines kopecks 13, lets kopecks 17 wait; feed, payment and notifications say so', async () => {
  const receiver = await merchantReceiver()
  const service = bareWorkerd({ PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any' }, 'any')
  cleanups.push(() => service.dispose(), receiver.close)
  const site = await serviceSite(service)
  await site.start()
  await site.notify(receiver)
  await site.pay('1')
  const refunds = '/payments/payment-1/refunds'
  for (const [refundUid, value] of Object.entries({ waits: 0.17, declined: 0.13, half: 0.75 })) {
    const refund = RefundAnswer.parse(
      await site.merchant(`${refunds}/${refundUid}`, 'PUT', { amount: { value } }),
    )
    expect(refund.status.value).toBe('WAITING')
  }
  await receiver.until(() => receiver.deliveries.length === 3)

  const all = RefundsAnswer.parse(await site.merchant(refunds))
  expect(all.map(({ refundId, status }) => [refundId, status.value, status.reason])).toEqual([
    ['waits', 'WAITING', undefined],
    ['declined', 'DECLINED', 'test amount'],
    ['half', 'COMPLETED', undefined],
  ])
  expect(await site.merchant('/payments/payment-1')).toMatchObject({
    refundedAmount: { value: '0.75', currency: 'RUB' },
  })
  expect(await site.merchant('/sbp/qrCodes/order-1')).toMatchObject({
    refunds: [
      { refundUid: 'waits', refundStatus: 'WAITING' },
      { refundUid: 'declined', refundStatus: 'DECLINED' },
      { refundUid: 'half', refundStatus: 'COMPLETED' },
    ],
  })
  const events = (await site.feed()).flatMap(({ type, by, refund }) =>
    refund ? [`${type} ${refund.refundUid} ${by.actor}`] : [],
  )
  expect(events.toSorted()).toEqual([
    'refund.completed half network',
    'refund.declined declined network',
    'refund.waiting declined merchant',
    'refund.waiting half merchant',
    'refund.waiting waits merchant',
  ])
  expect(receiver.faults).toEqual([])
  expect(receiver.deliveries.map(({ refundId }) => `${refundId}`).toSorted()).toEqual([
    'declined',
    'half',
    'undefined',
  ])
})
