// The id of a refund at a bank that takes one of ours: the connector gives it, and the service computes it where no report stated it.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { refundKeyOf } from '../../connector/money/refund/refunds.ts'
import { idsOf } from '../../src/site/settlements/operations.ts'
import { seconds } from '../../src/site/time.ts'

/** A refund of a site as its row has it; nothing was reported of its number. */
const rowOf = (paymentUid: string, refundUid: string | null) => ({
  ...{ number: 1, payment: 1, payment_uid: paymentUid, refund_uid: refundUid, link_id: 'AD1000' },
  ...{ minor_units: 100, currency: 'RUB', status: 'COMPLETED' as const, at: seconds(0) },
  ...{ bank: null, bank_order: null, payment_number: null, refund_number: null },
})

const uid = fc.oneof(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme', minLength: 1 }))

it('the service computes the id that the connector gives a refund at Raiffeisenbank, whatever the ids are', () =>
  fc.assert(
    fc.property(uid, uid, uid, (site, paymentUid, refundUid) => {
      const { refundId } = idsOf(rowOf(paymentUid, refundUid), 'raiffeisen', site)
      expect(refundId).toBe(refundKeyOf({ site, paymentUid, refundUid }))
    }),
  ))

it('a refund whose number was reported has that one, and a payment has none', () => {
  const reported = { ...rowOf('p', 'r'), refund_number: 'of the bank' }
  expect(idsOf(reported, 'raiffeisen', 'tea').refundId).toBe('of the bank')
  expect(idsOf(rowOf('p', null), 'raiffeisen', 'tea')).not.toHaveProperty('refundId')
})
