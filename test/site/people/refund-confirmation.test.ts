// Which refunds a person confirms by passkey (contract, section 12).
import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Caller, Confirmation } from '../../../src/contract/caller.ts'
import { unwrap } from '../../../src/gateway/site-client.ts'
import { confirming, joined } from '../../support/people.ts'
import { refundingSite } from '../../support/refunds.ts'

const ADMIN: Caller = { actor: 'merchant', keyId: 'admin', scopes: ['merchant:admin'] }
const ON = { network: 'external', isConnected: true, utcOffset: '+03:00' } as const

/** A payment of 5.00 RUB, and a manager who refunds it. @param above the setting, in hundredths */
async function paidSite(above?: number, currency = 'RUB') {
  const site = refundingSite()
  const { paymentUid, qrCodeUid } = await site.paid()
  const object = env.SITES.getByName(site.siteId)
  if (above !== undefined) {
    const confirmRefundsAbove = { minorUnits: above, currency }
    unwrap(await object.patchSettings(ADMIN, { confirmRefundsAbove }, undefined, undefined))
  }
  const { caller: manager, passkey } = await joined(site, 'manager', 'manager')
  const refund = (refundUid: string, minorUnits: number, caller = manager, key: object = { paymentUid }) =>
    object.refund(
      caller,
      'qrCodeUid' in key ? { qrCodeUid } : { paymentUid },
      { refundUid, amount: { minorUnits, currency: undefined } },
      ON,
    )
  return {
    site,
    object,
    paymentUid,
    qrCodeUid,
    refund,
    caller: manager,
    confirming: (more: Partial<Confirmation> = {}) => confirming(manager, passkey, more),
  }
}

const ASKED = { ok: false, code: 'confirmation.required' }

describe('a refund by a person', () => {
  it.each<[string, number | undefined, number, boolean]>([
    ['without the setting', undefined, 500, false],
    ['of the amount of the setting', 300, 300, false],
    ['of a hundredth more', 300, 301, true],
    ['of a hundredth where every refund is confirmed', 0, 1, true],
  ])('%s is asked as it says', async (_, above, minorUnits, isAsked) => {
    const { site, paymentUid, refund, confirming } = await paidSite(above)
    expect(await refund('r', minorUnits)).toMatchObject(isAsked ? ASKED : { ok: true })
    expect(await site.refundsOf(paymentUid)).toHaveLength(isAsked ? 0 : 1)
    expect(await refund('r', minorUnits, confirming())).toMatchObject({ ok: true })
    expect(await site.refundsOf(paymentUid)).toHaveLength(1)
  })

  it('is asked in the same way by the QR code', async () => {
    const { refund, caller, qrCodeUid } = await paidSite(300)
    expect(await refund('r', 301, caller, { qrCodeUid })).toMatchObject(ASKED)
  })

  it('of another currency than the setting’s is always asked', async () => {
    const { refund } = await paidSite(99_999, 'KZT')
    expect(await refund('r', 1)).toMatchObject(ASKED)
  })

  it('by a token is never asked', async () => {
    const { refund } = await paidSite(0)
    expect(await refund('r', 500, ADMIN)).toMatchObject({ ok: true })
  })

  it('evades nothing by a split: what is refunded without a confirmation is never more than the setting', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 500 }),
        fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 1, maxLength: 8 }),
        async (above, parts) => {
          const { refund } = await paidSite(above)
          let sum = 0
          for (const [i, part] of parts.entries()) {
            const outcome = await refund(`r${i}`, part)
            const fits = sum + part <= above
            expect(outcome.ok).toBe(fits)
            if (fits) sum += part
            // What exceeds the payment is refused before anybody is asked.
            else if (!outcome.ok) {
              expect(outcome.code).toBe(sum + part > 500 ? 'validation.error' : 'confirmation.required')
            }
          }
        },
      ),
      { numRuns: 15 },
    )
  })

  it('that was declined leaves room', async () => {
    const { site, paymentUid, refund } = await paidSite(300)
    expect(await refund('r1', 300)).toMatchObject({ ok: true })
    expect(await refund('r2', 1)).toMatchObject(ASKED)
    await site.reportRefund(paymentUid, 'r1', { status: 'DECLINED' })
    expect(await refund('r2', 300)).toMatchObject({ ok: true })
  })

  it('that is sent again, because its answer was lost, is the same refund and asks nobody', async () => {
    const { site, paymentUid, refund, confirming } = await paidSite(0)
    const confirmed = confirming()
    expect(await refund('r', 500, confirmed)).toMatchObject({ ok: true, value: { isReplayed: false } })
    expect(await refund('r', 500, confirmed)).toMatchObject({ ok: true, value: { isReplayed: true } })
    expect(await refund('r', 500)).toMatchObject({ ok: true, value: { isReplayed: true } })
    expect(await site.refundsOf(paymentUid)).toHaveLength(1)
  })

  it('sent twice at once with one assertion is made once, also of two refunds', async () => {
    const { site, paymentUid, refund, confirming } = await paidSite(0)
    const challenge = crypto.randomUUID()
    const outcomes = await Promise.all(['a', 'b'].map((uid) => refund(uid, 100, confirming({ challenge }))))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    const other = crypto.randomUUID()
    const twice = await Promise.all([1, 2].map(() => refund('c', 100, confirming({ challenge: other }))))
    expect(twice.every(({ ok }) => ok)).toBe(true)
    expect(await site.refundsOf(paymentUid)).toHaveLength(2)
  })
})
