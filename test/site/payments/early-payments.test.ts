// How many unknown payments a create applies itself.

import { describe, expect, it } from 'vitest'
import { unwrap } from '../../../src/gateway/site-client.ts'
import { migrate } from '../../../src/site/database/schema.ts'
import { applyRemaining } from '../../../src/site/payments/early-payments.ts'
import { reportPage } from '../../../src/site/payments/payments-report.ts'
import { reportPayment } from '../../../src/site/payments/reports.ts'
import { integer } from '../../../src/site/rows/sql.ts'
import { contextOf, createIn, creation, inNewSite, ORIGIN } from '../../support/site.ts'

const NOW = 1_800_000_000

/** Reports payments of each link, and then creates their QR codes. */
function createdAfter(
  payments: number,
  work: (sql: SqlStorage) => void,
  links: readonly string[] = ['q-1'],
): Promise<void> {
  return inNewSite((storage) => {
    migrate(storage)
    const context = contextOf(storage.sql, NOW)
    for (const linkId of links) {
      for (let n = 0; n < payments; n++) {
        const amount = { minorUnits: 500, currency: 'RUB' }
        const report = { paymentUid: `p-${linkId}-${n}`, status: 'COMPLETED', amount } as const
        unwrap(reportPayment({ ...context, ...ORIGIN }, { linkId, isKept: true }, report))
      }
      const registered = { payload: `https://bank.example/${linkId}`, qrcId: linkId, currencies: ['RUB'] }
      unwrap(createIn(context, { ...creation(`of ${linkId}`), registered }))
    }
    work(storage.sql)
  })
}
const applied = (sql: SqlStorage) => integer(sql, 'SELECT count(*) FROM payments WHERE qr_code IS NOT NULL')
const waiting = (sql: SqlStorage) => integer(sql, 'SELECT count(*) FROM site, json_each(unapplied_payments)')

describe('a create', () => {
  it('applies 100 payments, and leaves the others for the alarm, by 100', () =>
    createdAfter(230, (sql) => {
      const steps = [[applied(sql), waiting(sql)]]
      for (let n = 0; n < 2; n++) {
        applyRemaining(contextOf(sql, NOW))
        steps.push([applied(sql), waiting(sql)])
      }
      expect(steps).toEqual([
        [100, 1],
        [200, 1],
        [230, 0],
      ])
    }))

  it('counts each payment once in the turnover and in the report, though each has two events', () =>
    createdAfter(230, (sql) => {
      for (let n = 0; n < 2; n++) applyRemaining(contextOf(sql, NOW))
      expect(integer(sql, "SELECT count(*) FROM events WHERE type = 'payment.completed'")).toBe(460)
      expect(integer(sql, 'SELECT sum(payments) FROM turnover')).toBe(230)
      expect(reportPage(contextOf(sql, NOW), { since: 0, until: 2 ** 40 }).rows).toHaveLength(230)
    }))

  it('applies 100 payments, and leaves nothing', () =>
    createdAfter(100, (sql) => expect([applied(sql), waiting(sql)]).toEqual([100, 0])))
})

it('payments that wait for two QR codes are applied, those of the first one first', () =>
  createdAfter(
    130,
    (sql) => {
      const steps = [0, 1].map(() => {
        applyRemaining(contextOf(sql, NOW))
        return [applied(sql), waiting(sql)]
      })
      expect(steps).toEqual([
        [230, 1],
        [260, 0],
      ])
    },
    ['q-1', 'q-2'],
  ))
