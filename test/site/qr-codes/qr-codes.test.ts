import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { endOfTtl } from '../../../src/contract/ttl.ts'
import { unwrap } from '../../../src/gateway/site-client.ts'
import { migrate } from '../../../src/site/database/schema.ts'
import { applyEarlyPayments } from '../../../src/site/payments/early-payments.ts'
import { createQrCode, creationTime } from '../../../src/site/qr-codes/creations.ts'
import { listQrCodes } from '../../../src/site/qr-codes/list.ts'
import { cancelQrCode } from '../../../src/site/qr-codes/qr-codes.ts'
import { contextOf, createAll, createIn, creation, inNewSite } from '../../support/site.ts'

afterEach(() => vi.useRealTimers())

it('a range of times has what was created in it, though the clock steps back by up to 30 seconds', async () => {
  await inNewSite((storage) => {
    const { sql } = storage
    migrate(storage)
    const time = fc.nat({ max: 30 })
    fc.assert(
      fc.property(fc.array(time, { maxLength: 40 }), time, time, (clock, createdFrom, createdTo) => {
        sql.exec('DELETE FROM events')
        sql.exec('DELETE FROM qr_codes')
        const created = clock.map((now, i) => {
          const at = creationTime(contextOf(sql, now))
          createQrCode(contextOf(sql, now), creation(`${i}`), at, applyEarlyPayments)
          return { uid: `${i}`, at }
        })
        const times = created.map(({ at }) => at)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
        expect(created.every(({ at }, i) => at >= (clock[i] ?? 0))).toBe(true)
        const uids: string[] = []
        let cursor: number | undefined
        do {
          const page = listQrCodes(contextOf(sql, 100), { createdFrom, createdTo, limit: 3, cursor })
          uids.push(...page.qrCodes.map(({ qrCodeUid }) => qrCodeUid))
          cursor = page.next
        } while (cursor !== undefined)
        const expected = created.filter(({ at }) => createdFrom <= at && at <= createdTo)
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
    await inNewSite((storage) => {
      migrate(storage)
      createIn(contextOf(storage.sql, 1000), creation('a'))
      expect(creationTime(contextOf(storage.sql, now))).toBe(at)
    })
  },
)

it('a site dates no creation before its latest, where the clock goes back a step', async () => {
  const site = env.SITES.getByName('step')
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(1_800_000_000_000)
  await site.create(creation('a'))
  vi.setSystemTime(1_799_999_970_000)
  expect(await createAll(site, [creation('b'), creation('a')])).toMatchObject([
    { isReplayed: false, qrCode: { createdAt: 1_800_000_000 } },
    { isReplayed: false, qrCode: { createdAt: 1_800_000_000 } },
  ])
})

it('a code ends when its row says: when its ttl is over, or earlier with the link of its bank', async () => {
  await inNewSite((storage) => {
    const { sql } = storage
    migrate(storage)
    const createdAt = fc.integer({ min: 1, max: 4_000_000_000 })
    const ttl = fc.integer({ min: 1, max: 129_600 })
    /** Seconds from the end of the ttl to that of the link. */
    const later = fc.option(fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: -9e6, max: 9e6 })))
    fc.assert(
      fc.property(createdAt, ttl, later, (now, minutes, seconds) => {
        sql.exec('DELETE FROM events; DELETE FROM qr_codes')
        const ofTtl = endOfTtl(now, minutes)
        const endsAt = seconds === null ? undefined : ofTtl + seconds
        const ofBank = { payload: 'https://bank.example/q', qrcId: 'q', currencies: ['RUB'] }
        const registered = endsAt === undefined ? undefined : { ...ofBank, endsAt }
        const created = createIn(contextOf(sql, now), {
          ...creation('a', { ttl: minutes }),
          registered,
        })
        const { expiresAt } = unwrap(created).qrCode
        expect(expiresAt).toBe(Math.min(ofTtl, endsAt ?? ofTtl))
        expect(sql.exec('SELECT end_at FROM qr_codes').one()).toEqual({ end_at: expiresAt })
      }),
    )
  })
})

describe('the row of a code without an end', () => {
  /** When it ends, as its row has it. */
  const ends = (sql: SqlStorage) => sql.exec('SELECT ttl, early_end_at, end_at FROM qr_codes').one()

  it.each(['STATIC', 'COUNTER'] as const)(
    'of type %s has NULL for it, also where its bank names one; its cancellation alone has a time',
    async (type) => {
      const ofBank = { payload: 'https://bank.example/q', qrcId: 'q', endsAt: 1500, currencies: ['RUB'] }
      for (const registered of [undefined, ofBank]) {
        await inNewSite((storage) => {
          const { sql } = storage
          migrate(storage)
          createIn(contextOf(sql, 1000), { ...creation('a', { type, ttl: undefined }), registered })
          expect(ends(sql)).toEqual({ ttl: null, early_end_at: null, end_at: null })
          unwrap(cancelQrCode(contextOf(sql, 2000), { qrCodeUid: 'a' }))
          expect(ends(sql)).toEqual({ ttl: null, early_end_at: 2000, end_at: null })
        })
      }
    },
  )
})
