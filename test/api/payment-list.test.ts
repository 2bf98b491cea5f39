// The list of a site's payments (contract, section 8).
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import { refundingSite } from '../support/refunds.ts'
import { errorOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

type Site = ReturnType<typeof refundingSite>

// Ahead of the real clock, by which tokens are checked.
const NOON = Date.UTC(2031, 10, 20, 9)

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: NOON }))
afterEach(() => void vi.useRealTimers())

const read = async (site: Site, query = '') =>
  strict(PaymentsAnswer).parse(await (await site.ask(`/payments?${query}`)).json())
const list = async (site: Site, query = '') =>
  (await read(site, query)).payments.map(({ paymentId }) => paymentId)

/** The pages of a list, one after the other. */
async function pages(site: Site, query: string): Promise<string[][]> {
  const all: string[][] = []
  for (let cursor = ''; ; ) {
    const { payments, nextCursor } = await read(site, `${query}${cursor && `&cursor=${cursor}`}`)
    all.push(payments.map(({ paymentId }) => paymentId))
    if (nextCursor === undefined) return all
    cursor = nextCursor
  }
}

/** Of two QR codes: paid, and paid again, which the code does not take; declined, an hour later. */
async function threePayments() {
  const site = refundingSite()
  const { paymentUid: paid, linkId } = await site.paid()
  const again = await site.payAgain(linkId, 7)
  vi.setSystemTime(NOON + 3_600_000)
  const other = await site.make()
  await site.report(other.linkId, 'declined', { status: 'DECLINED' })
  return { site, paid, again, declined: 'declined' }
}

describe('the payments of a site', () => {
  it('of one without any are an empty list', async () => expect(await list(refundingSite())).toEqual([]))

  it('are newest first, in pages that repeat and omit none', async () => {
    const { site, paid, again, declined } = await threePayments()
    expect(await list(site)).toEqual([declined, again, paid])
    expect(await pages(site, 'limit=2')).toEqual([[declined, again], [paid]])
    expect(await pages(site, 'limit=1')).toEqual([[declined], [again], [paid]])
  })

  it('are ordered by the time that the bank gives, and by their numbers within a second', async () => {
    const site = refundingSite()
    const at = (dateTime: string) => site.paid({ dateTime: `2031-11-20T${dateTime}+03:00` })
    const [late, early, equal] = [await at('11:59:59'), await at('08:00:00'), await at('11:59:59')]
    const expected = [equal, late, early].map(({ paymentUid }) => paymentUid)
    expect(await list(site)).toEqual(expected)
    expect(await pages(site, 'limit=1')).toEqual(expected.map((uid) => [uid]))
  })

  it('are all there, whatever year the bank gives', async () => {
    const site = refundingSite()
    const at = async (dateTime: string) => (await site.paid({ dateTime })).paymentUid
    const expected = [
      await at('9998-12-31T23:59:59Z'),
      await at('1969-12-31T23:59:59Z'),
      await at('0001-01-01T00:00:00Z'),
    ]
    expect(await list(site)).toEqual(expected)
    expect(await pages(site, 'limit=1')).toEqual(expected.map((uid) => [uid]))
    expect(await list(site, 'createdTo=1969-12-31T23:59:59Z')).toEqual(expected.slice(1))
  })

  it.each<[string, (made: Awaited<ReturnType<typeof threePayments>>) => string[]]>([
    ['status=COMPLETED', ({ again, paid }) => [again, paid]],
    ['status=DECLINED', ({ declined }) => [declined]],
    ['status=WAITING', () => []],
    ['status=DECLINED,COMPLETED', ({ declined, again, paid }) => [declined, again, paid]],
    ['status=COMPLETED&applied=false', ({ again }) => [again]],
    ['createdFrom=2031-11-20T13:00:00%2B03:00', ({ declined }) => [declined]],
    ['createdTo=2031-11-20T12:59:59%2B03:00', ({ again, paid }) => [again, paid]],
    ['createdTo=2031-11-20T12:59:59%2B03:00&limit=1&status=COMPLETED', ({ again }) => [again]],
  ])('with %s are those', async (query, expected) => {
    const made = await threePayments()
    expect(await list(made.site, query)).toEqual(expected(made))
  })

  it('are found by their QR code, the latest report first', async () => {
    const { site, paid, again } = await threePayments()
    const { qrCodeUid } = await site.paymentOf(paid)
    expect(await pages(site, `qrCodeUid=${qrCodeUid}&limit=1`)).toEqual([[again], [paid]])
    expect(await list(site, 'qrCodeUid=nothing')).toEqual([])
  })

  it('are found by a refund, the latest first: its identifier is unique within one payment alone', async () => {
    const { site, paid, again } = await threePayments()
    for (const uid of [paid, again]) await site.refund(uid, 1, 'tea')
    expect(await list(site, 'refundId=tea')).toEqual([again, paid])
    expect(await read(site, 'refundId=tea&limit=1')).not.toHaveProperty('nextCursor')
    expect(await list(site, 'refundId=tea&limit=1')).toEqual([again])
    expect(await list(site, 'refundId=te')).toEqual([])
  })

  it.each([
    ['applied=true', 'applied', 'must be false'],
    ['status=PAYED', 'status', 'must be one of'],
    ['refundId=tea&status=COMPLETED', 'status', 'must be absent beside refundId'],
    ['refundId=tea&cursor=MQ', 'cursor', 'must be absent beside refundId'],
    ['refundId=tea&qrCodeUid=a', 'qrCodeUid', 'must be absent beside refundId'],
    ['qrCodeUid=a&applied=false', 'applied', 'must be absent beside qrCodeUid'],
    ['limit=101', 'limit', 'must be a whole number from 1 to 100'],
    ['q=1', 'q', 'is unknown'],
  ])('with %s are refused', async (query, field, rule) => {
    const { cause, errorCode } = await errorOf(await refundingSite().ask(`/payments?${query}`))
    expect(errorCode).toBe('validation.error')
    expect(cause?.[field]?.[0]).toContain(rule)
  })
})
