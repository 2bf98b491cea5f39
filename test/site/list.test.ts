import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { migrate } from '../../src/site/migrations.ts'
import { createQrCode, listQrCodes, momentOfCreation, type PageQuery } from '../../src/site/qr-codes.ts'

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
    const deep = page({ limit: 2, after: 101 })
    expect([first.uids, deep.uids]).toEqual([
      ['2999', '2998'],
      ['99', '98'],
    ])
    expect(first.rowsRead).toBeGreaterThan(0)
    expect(deep.rowsRead).toBeLessThanOrEqual(first.rowsRead + 2)
  })
})

it('a range of moments has what was created in it, whatever the clock did', async () => {
  await runInDurableObject(env.SITES.getByName('range'), (_, { storage }) => {
    const { sql } = storage
    migrate(storage)
    const moment = fc.nat({ max: 30 })
    fc.assert(
      fc.property(fc.array(moment, { maxLength: 40 }), moment, moment, (clock, createdFrom, createdTo) => {
        sql.exec('DELETE FROM qr_codes')
        const made = clock.map((now, i) => {
          const order = { qrCodeUid: `${i}`, type: 'DYNAMIC', ttl: 10, createToken: false } as const
          const at = momentOfCreation(sql, now)
          createQrCode(sql, order, `https://link/${`${i}`.padStart(32, '0')}?`, at)
          return { uid: `${i}`, at }
        })
        const moments = made.map(({ at }) => at)
        expect(moments).toEqual(moments.toSorted((a, b) => a - b))
        expect(made.every(({ at }, i) => at >= (clock[i] ?? 0))).toBe(true)
        const uids: string[] = []
        let after: number | undefined
        do {
          const page = listQrCodes(sql, { createdFrom, createdTo, limit: 3, after }, 100)
          uids.push(...page.qrCodes.map(({ qrCodeUid }) => qrCodeUid))
          after = page.next
        } while (after !== undefined)
        const expected = made.filter(({ at }) => createdFrom <= at && at <= createdTo)
        expect(uids).toEqual(expected.map(({ uid }) => uid).toReversed())
      }),
    )
  })
})

it.each([
  [1000, 1000],
  [940, 1000],
  [939, 939],
])(
  'after a creation at 1000, one at %i by the clock is of %i: a small step back is not followed',
  async (now, at) => {
    await runInDurableObject(env.SITES.getByName(`step ${now}`), (_, { storage }) => {
      migrate(storage)
      const order = { qrCodeUid: 'a', type: 'DYNAMIC', ttl: 10, createToken: false } as const
      createQrCode(storage.sql, order, `https://link/${'a'.padStart(32, '0')}?`, 1000)
      expect(momentOfCreation(storage.sql, now)).toBe(at)
    })
  },
)

it('a site dates no creation before its latest, where the clock goes back a step', async () => {
  const site = env.SITES.getByName('step')
  const creation = (qrCodeUid: string) => ({
    order: { qrCodeUid, type: 'DYNAMIC', ttl: 10, createToken: false } as const,
    payload: `https://link/${qrCodeUid.padStart(32, '0')}?`,
  })
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    vi.setSystemTime(1_800_000_000_000)
    await site.create([creation('a')])
    vi.setSystemTime(1_799_999_970_000)
    expect(await site.create([creation('b'), creation('a')])).toMatchObject([
      { ok: true, value: { created: true, createdAt: 1_800_000_000 } },
      { ok: true, value: { created: true, createdAt: 1_800_000_000 } },
    ])
  } finally {
    vi.useRealTimers()
  }
})
