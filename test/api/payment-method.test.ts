// How a payment was made: what reports say of it, where it is shown, and which one stays (contract, sections 7 and 8).
import { runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PAYMENT_METHODS } from '../../src/contract/payment.ts'
import { freshSite } from '../support/admin.ts'
import { merchantServer } from '../support/merchant.ts'
import { notifiedSite, paymentIn } from '../support/notified-site.ts'
import { refundingSite } from '../support/refunds.ts'
import { tokenSite } from '../support/tokens.ts'

afterEach(() => vi.restoreAllMocks())

type Site = Pick<ReturnType<typeof freshSite>, 'paymentOf' | 'report'>

/** The method that the answers show of payment `p`. */
const methodOf = async (site: Site) => (await site.paymentOf('p')).method

/** The method, as a field that is left out where nothing is said. */
const said = (method: string | undefined) => (method === undefined ? {} : { method })

describe('the method of a payment', () => {
  it.each([...PAYMENT_METHODS, undefined])(
    '%s is in the payment, the QR code, the event and the notification, and paymentMethod stays',
    async (method) => {
      const server = merchantServer()
      const site = await notifiedSite()
      const { qrCodeUid, linkId } = await site.make()
      await site.pay(linkId, said(method), 'p')
      const { payments } = await (await site.ask('/payments')).json<{ payments: object[] }>()
      const shown = [await site.paymentOf('p'), payments[0], (await site.read(qrCodeUid)).payment]
      const told = [(await site.feed()).find(({ type }) => type === 'payment.completed')?.payment]
      for (const each of [...shown, ...told]) {
        expect(each).toBeDefined()
        expect(Object.entries(each ?? {}).filter(([name]) => name === 'method')).toEqual(
          Object.entries(said(method)),
        )
      }
      const [received] = await server.got(1)
      if (!received) throw new Error('there is no notification')
      const { payment } = JSON.parse(received.body)
      expect([payment.method, 'method' in payment]).toEqual([method, method !== undefined])
      expect(paymentIn(received).paymentMethod).toEqual({ type: 'SBP' })
      expect(await site.paymentOf('p')).toMatchObject({ paymentMethod: { type: 'SBP' } })
    },
  )

  it('is in the sale and the last payment of a COUNTER code, and in no refund', async () => {
    const site = refundingSite()
    const { qrCodeUid, linkId } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const sale = { method: 'PUT', body: { amount: { value: 5 } } }
    expect((await site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/s`, sale)).status).toBe(200)
    await site.pay(linkId, { saleUid: 's', method: 'digitalRouble' }, 'p')
    expect(await site.saleOf(qrCodeUid, 's')).toMatchObject({ payment: { method: 'digitalRouble' } })
    expect(await site.read(qrCodeUid)).toMatchObject({ lastPayment: { method: 'digitalRouble' } })
    await site.refund('p', 1, 'r')
    await site.reportRefund('p', 'r', { status: 'COMPLETED' })
    expect(await site.refundOf('p', 'r')).not.toHaveProperty('method')
  })

  it('of a charge is that of its report, and its paymentMethod is TOKEN', async () => {
    const site = tokenSite()
    await site.rest()
    const { value } = await site.bound()
    const { qrCodeUid, linkId } = await site.make()
    await site.charge(qrCodeUid, value)
    const { paymentUid = '' } = (await site.read(qrCodeUid)).payment ?? {}
    expect(await site.paymentOf(paymentUid)).not.toHaveProperty('method')
    await site.report(linkId, paymentUid, { method: 'sbp' })
    expect(await site.paymentOf(paymentUid)).toMatchObject({
      ...{ paymentMethod: { type: 'TOKEN' }, method: 'sbp' },
    })
  })

  it('is kept where the site does not have the QR code', async () => {
    const site = freshSite()
    const other = await freshSite().make()
    await site.report(other.linkId, 'p', { method: 'digitalRouble' })
    expect(await methodOf(site)).toBe('digitalRouble')
  })

  it.each(['SBP', 'DIGITAL_RUBLE', 'card', '', 1, null, ['sbp']])(
    '%j is none: the payment is recorded without it',
    async (method) => {
      const site = freshSite()
      const { linkId } = await site.make()
      expect((await site.report(linkId, 'p', { method })).status).toBe(200)
      expect(await site.paymentOf('p')).not.toHaveProperty('method')
    },
  )
})

/** A report: its status and its method, if it says one. */
type Report = ['COMPLETED' | 'DECLINED', string?]

const KEPT: [rule: string, first: Report, second: Report, answered: number, kept: string | undefined][] = [
  ['a repeat adds it', ['COMPLETED'], ['COMPLETED', 'sbp'], 200, 'sbp'],
  ['a repeat adds it to a declined attempt', ['DECLINED'], ['DECLINED', 'other'], 200, 'other'],
  ['a repeat without one keeps it', ['COMPLETED', 'sbp'], ['COMPLETED'], 200, 'sbp'],
  ['a repeat with another keeps it', ['COMPLETED', 'sbp'], ['COMPLETED', 'digitalRouble'], 200, 'sbp'],
  ['a repeated decline with another keeps it', ['DECLINED', 'sbp'], ['DECLINED', 'other'], 200, 'sbp'],
  ['COMPLETED replaces it', ['DECLINED', 'sbp'], ['COMPLETED', 'digitalRouble'], 200, 'digitalRouble'],
  ['COMPLETED has its own', ['DECLINED'], ['COMPLETED', 'sbp'], 200, 'sbp'],
  ['COMPLETED without one replaces it by none', ['DECLINED', 'sbp'], ['COMPLETED'], 200, undefined],
  ['a refused report keeps it', ['COMPLETED', 'sbp'], ['DECLINED', 'other'], 409, 'sbp'],
  ['a refused report adds none', ['COMPLETED'], ['DECLINED', 'other'], 409, undefined],
  ['one that is unknown keeps it', ['COMPLETED', 'sbp'], ['COMPLETED', 'card'], 200, 'sbp'],
]

describe('of two reports of one payment', () => {
  it.each(KEPT)('%s: %j, then %j', async (_, first, second, answered, kept) => {
    const site = freshSite()
    const { linkId } = await site.make()
    const send = ([status, method]: Report) => site.report(linkId, 'p', { status, ...said(method) })
    expect((await send(first)).status).toBe(200)
    expect((await send(second)).status).toBe(answered)
    expect(await methodOf(site)).toBe(kept)
  })

  it('a repeat that adds it is a replay, and the QR code has another version, but no event and no notification', async () => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await site.make()
    await site.report(linkId, 'p')
    const path = `/sbp/qrCodes/${qrCodeUid}`
    const tag = async () => (await site.ask(path)).headers.get('ETag') ?? ''
    const versionIn = (etag: string) => Number(/^"(\d+)-/.exec(etag)?.[1])
    const before = { feed: await site.feed(), etag: await tag() }
    const added = await site.report(linkId, 'p', { method: 'sbp' })
    expect(added.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await added.json()).toMatchObject({ payment: { method: 'sbp' } })
    const after = await tag()
    expect(versionIn(after)).toBe(versionIn(before.etag) + 1)
    expect((await site.report(linkId, 'p', { method: 'other' })).status).toBe(200)
    expect({ feed: await site.feed(), etag: await tag() }).toEqual({ feed: before.feed, etag: after })
  })

  it('a repeat that adds it gives the sale another version', async () => {
    const site = refundingSite()
    const { qrCodeUid, linkId } = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const path = `/sbp/qrCodes/${qrCodeUid}/sales/s`
    await site.ask(path, { method: 'PUT', body: { amount: { value: 5 } } })
    await site.pay(linkId, { saleUid: 's' }, 'p')
    const etag = (await site.ask(path)).headers.get('ETag') ?? ''
    await site.pay(linkId, { saleUid: 's', method: 'sbp' }, 'p')
    // It knows another version, so it does not wait.
    const headers = { 'If-None-Match': etag, Prefer: 'wait=1' }
    const polled = await site.ask(path, { headers })
    expect([polled.status, polled.headers.get('Preference-Applied')]).toEqual([200, null])
    expect(await polled.json()).toMatchObject({ payment: { method: 'sbp' } })
  })
})

it('whatever is reported in whatever order, the method is the one that the rules say', async () => {
  const reports = fc.array(
    fc.record({
      status: fc.constantFrom('COMPLETED' as const, 'DECLINED' as const),
      method: fc.constantFrom(undefined, 'card', ...PAYMENT_METHODS),
    }),
    { minLength: 1, maxLength: 6 },
  )
  const site = freshSite()
  let number = 0
  await fc.assert(
    fc.asyncProperty(reports, async (all) => {
      const { linkId } = await site.make()
      const uid = `p-${++number}`
      let known: { status: string; method: string | undefined } | undefined
      for (const { status, method: reported } of all) {
        const method = PAYMENT_METHODS.find((each) => each === reported)
        const isRefused = known?.status === 'COMPLETED' && status === 'DECLINED'
        const isRepeat = known?.status === status
        if (isRepeat && known) known.method ??= method
        else if (!isRefused) known = { status, method }
        const answer = await site.report(linkId, uid, { status, ...said(reported) })
        expect(answer.status).toBe(isRefused ? 409 : 200)
        expect((await site.paymentOf(uid)).method).toBe(known?.method)
      }
    }),
    { numRuns: 60 },
  )
})

it('a payment without a method has it in no text that the site stores', async () => {
  merchantServer()
  const site = await notifiedSite()
  const { linkId } = await site.make()
  await site.pay(linkId)
  const stored = await runInDurableObject(site.stub, (_, { storage }) =>
    ['SELECT payment AS text FROM events WHERE payment IS NOT NULL', 'SELECT content AS text FROM outbox']
      .flatMap((query) => storage.sql.exec(query).toArray())
      .map(({ text }) => JSON.parse(String(text))),
  )
  expect(stored).toHaveLength(2)
  for (const each of stored) expect(each).not.toHaveProperty('method')
})
