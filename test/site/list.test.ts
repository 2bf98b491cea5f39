import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createQrCode, listQrCodes, type PageQuery } from '../../src/site/qr-codes.ts'
import { migrate } from '../../src/site/schema.ts'

it('a page deep down the list reads no more rows than the first one', async () => {
  await runInDurableObject(env.SITES.getByName('deep'), (_, { storage }) => {
    migrate(storage)
    for (let i = 0; i < 3000; i++) {
      const order = { qrCodeUid: `${i}`, type: 'DYNAMIC', ttl: 10, createToken: false } as const
      createQrCode(storage.sql, order, `https://link/${`${i}`.padStart(32, '0')}?`, 1000 + i)
    }
    /** The uids of a page, and the rows that SQLite read for it. */
    const page = (query: PageQuery) => {
      let rowsRead = () => 0
      const sql = new Proxy(storage.sql, {
        get: (target, name) => {
          if (name !== 'exec') return Reflect.get(target, name)
          return (statement: string, ...bindings: SqlStorageValue[]) => {
            const cursor = target.exec(statement, ...bindings)
            rowsRead = () => cursor.rowsRead
            return cursor
          }
        },
      })
      const { qrCodes } = listQrCodes(sql, query, 5000)
      return { uids: qrCodes.map(({ qrCodeUid }) => qrCodeUid), rowsRead: rowsRead() }
    }
    const first = page({ limit: 2 })
    const deep = page({ limit: 2, after: { createdAt: 1100, number: 101 } })
    expect([first.uids, deep.uids]).toEqual([
      ['2999', '2998'],
      ['99', '98'],
    ])
    expect(first.rowsRead).toBeGreaterThan(0)
    expect(deep.rowsRead).toBeLessThanOrEqual(first.rowsRead + 2)
  })
})
