// The table of sales: one row for each identifier of a QR code, found by that identifier.
import { expect, it, vi } from 'vitest'
import { unwrap } from '../../../src/gateway/site-client.ts'
import { exactHits } from '../../../src/site/search/indexed.ts'
import { createAll, creation, inNewSite, MERCHANT } from '../../support/site.ts'

const SALE = { saleUid: 's-1', amount: { minorUnits: 500, currency: 'RUB' }, ttl: 5 }

const withSale = (work: (sql: SqlStorage) => void) =>
  inNewSite(async ({ sql }, site) => {
    await createAll(site, [
      creation('till-1', { type: 'COUNTER', ttl: undefined }),
      creation('till-2', { type: 'COUNTER', ttl: undefined }),
    ])
    for (const qrCodeUid of ['till-1', 'till-2']) unwrap(await site.armSale(MERCHANT, { qrCodeUid }, SALE))
    work(sql)
  })

it('takes no second sale of a QR code with one identifier; another QR code can have it', () =>
  withSale((sql) => {
    const uids = () => sql.exec('SELECT qr_code, sale_uid FROM sales ORDER BY number').toArray()
    const before = uids()
    expect(before.map(({ sale_uid }) => sale_uid)).toEqual(['s-1', 's-1'])
    expect(() =>
      sql.exec(`INSERT INTO sales (qr_code, sale_uid, minor_units, currency, ttl, status, version, created_at, due_at)
        SELECT qr_code, sale_uid, minor_units, currency, ttl, status, version, created_at, due_at FROM sales LIMIT 1`),
    ).toThrow(/UNIQUE constraint failed: sales\.sale_uid, sales\.qr_code/)
    expect(uids()).toEqual(before)
  }))

it('is searched for an identifier by its index', () =>
  withSale((sql) => {
    const exec = vi.spyOn(sql, 'exec')
    const hits = exactHits(sql, 'sale', { q: 's-1', code: 0 }, { below: 99, want: 9 })
    expect(hits).toHaveLength(2)
    const [[query = '', ...values] = []] = exec.mock.calls
    exec.mockRestore()
    const plan = sql.exec(`EXPLAIN QUERY PLAN ${query}`, ...values).toArray()
    expect(plan.map(({ detail }) => detail)[0]).toMatch(
      /^SEARCH sales USING INDEX sqlite_autoindex_sales_1 \(sale_uid=\?/,
    )
  }))

it('a long poll that is stopped while it waits for its module does not wait for a change', () =>
  inNewSite(async (_, site) => {
    await createAll(site, [creation('till', { type: 'COUNTER', ttl: undefined })])
    const key = { qrCodeUid: 'till' }
    unwrap(await site.armSale(MERCHANT, key, SALE))
    const { version } = unwrap(await site.sale(MERCHANT, key, SALE.saleUid))
    const poll = { id: 'poll', version, milliseconds: 20_000 }
    const polled = site.longPollSale(MERCHANT, key, SALE.saleUid, poll)
    await site.stopListening('poll')
    expect(unwrap(await polled)).toMatchObject({ waited: false, value: { saleUid: 's-1' } })
  }))
