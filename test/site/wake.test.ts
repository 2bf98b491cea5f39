// When a site wakes next, and what is due then: found without reading all rows.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPayable, STATUSES } from '../../src/contract/status.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import { nextEnd, nextWake } from '../../src/site/clock.ts'
import { migrate } from '../../src/site/database/schema.ts'
import { recordEnds } from '../../src/site/ends.ts'
import { addToken, contextOf, createIn, creation, inNewSite, MERCHANT, rowsReadBy } from '../support/site.ts'

describe('the next wake', () => {
  it('is the earliest expiry of the QR codes that can be paid, in milliseconds', async () => {
    await inNewSite((storage) => {
      const { sql } = storage
      migrate(storage)
      const qrCode = fc.record({
        status: fc.constantFrom(...STATUSES),
        createdAt: fc.nat({ max: 1000 }),
        ttl: fc.integer({ min: 1, max: 30 }),
      })
      fc.assert(
        fc.property(fc.array(qrCode, { maxLength: 8 }), (qrCodes) => {
          sql.exec('DELETE FROM events')
          sql.exec('DELETE FROM qr_codes')
          for (const [i, { status, createdAt, ttl }] of qrCodes.entries()) {
            createIn(contextOf(sql, createdAt), creation(`${i}`, { ttl }))
            sql.exec('UPDATE qr_codes SET status = ? WHERE qr_code_uid = ?', status, `${i}`)
          }
          const due = qrCodes
            .filter(({ status }) => isPayable(status))
            .map(({ createdAt, ttl }) => (createdAt + ttl * 60) * 1000)
          expect(nextWake(sql)).toBe(due.length > 0 ? Math.min(...due) : undefined)
        }),
      )
    })
  })

  it('is the earliest end of codes, sales and tokens, whichever of them it is', () =>
    inNewSite(async (storage, site) => {
      const { sql } = storage
      unwrap(await site.create(creation('code')))
      unwrap(await site.create(creation('till', { type: 'COUNTER', ttl: undefined })))
      const sale = { saleUid: 's', amount: { minorUnits: 500, currency: 'RUB' }, ttl: 5 }
      unwrap(await site.armSale(MERCHANT, { qrCodeUid: 'till' }, sale))
      for (const uid of ['t1', 't2']) await addToken(site, uid)
      sql.exec("UPDATE tokens SET status = 'WAITING' WHERE number = 1")
      const ends = [2000, 3000, 4000, 5000]
      const setEnds = [
        "UPDATE qr_codes SET created_at = ? - 60 * ttl WHERE qr_code_uid = 'code'",
        'UPDATE sales SET due_at = ?',
        'UPDATE tokens SET due_at = ? WHERE number = 1',
        'UPDATE tokens SET due_at = ? WHERE number = 2',
      ]
      for (const shift of ends.keys()) {
        for (const [i, setEnd] of setEnds.entries()) sql.exec(setEnd, ends[(i + shift) % ends.length])
        expect([nextEnd(sql), nextWake(sql)]).toEqual([2_000_000, 2_000_000])
      }
    }))

  it('and what is due are found by reading no other rows, however many QR codes there are', async () => {
    await inNewSite((storage) => {
      const { sql } = storage
      migrate(storage)
      for (let i = 0; i < 1000; i++) createIn(contextOf(sql, i), creation(`${i}`))
      sql.exec("UPDATE qr_codes SET status = 'PAYED' WHERE number <= 500")
      const { value, rowsRead } = rowsReadBy(sql, nextEnd)
      expect(value).toBe((500 + 600) * 1000)
      expect(rowsRead).toBeLessThanOrEqual(5)
      // SQLite counts one row for each table or index that is empty.
      expect(rowsReadBy(sql, nextWake)).toMatchObject({ value })
      expect(rowsReadBy(sql, nextWake).rowsRead).toBeLessThanOrEqual(12)
      const expired = () =>
        sql
          .exec("SELECT qr_code_uid FROM qr_codes WHERE status = 'EXPIRED' ORDER BY number")
          .toArray()
          .map(({ qr_code_uid }) => qr_code_uid)
      const due = rowsReadBy(sql, (counted) => recordEnds(contextOf(counted, 500 + 601), 9))
      expect(expired()).toEqual(['500', '501'])
      expect(due.rowsRead).toBeLessThanOrEqual(50)
      const bounded = rowsReadBy(sql, (counted) => recordEnds(contextOf(counted, 5000), 3))
      expect(expired()).toEqual(['500', '501', '502', '503', '504'])
      expect(bounded.rowsRead).toBeLessThanOrEqual(50)
    })
  })
})
