// QR codes of type STATIC, which take any number of payments and have no end (contract, section 15).
import { runInDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { ListAnswer } from '../../src/contract/qr-code-list.ts'
import { NetworkQrCodesAnswer } from '../../src/contract/reconciliation.ts'
import { parseLink } from '../../src/fps/link.ts'
import { freshSite } from '../support/admin.ts'
import { bankSite, willing } from '../support/bank-links.ts'
import { qrCodeBody, qrCodeIn } from '../support/client.ts'
import { merchantServer } from '../support/merchant.ts'
import { notifiedSite, pass, paymentIn } from '../support/notified-site.ts'
import { call, errorOf, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Site = ReturnType<typeof freshSite>

const makeStatic = (site: Pick<Site, 'make'>, more: Record<string, unknown> = {}) =>
  site.make(more, { type: 'STATIC' })
const withoutSum = { amount: undefined }
const listed = async (site: Site, query: string) => {
  const answer = await (await site.ask(`/sbp/qrCodes?${query}`)).json()
  return strict(ListAnswer)
    .parse(answer)
    .qrCodes.map(({ qrCodeUid }) => qrCodeUid)
}
const paymentsOf = async (site: Site, uid: string, query = '') =>
  strict(PaymentsAnswer).parse(await (await site.ask(`/sbp/qrCodes/${uid}/payments${query}`)).json())

describe('a STATIC QR code', () => {
  it.each([
    ['a sum', {}, 'AS1000', { minorUnits: 500, currency: 'RUB' }],
    ['no sum', withoutSum, 'AS1A00', undefined],
  ])('with %s has a link of type 01, and no end', async (_, more, prefix, amount) => {
    const { answer, linkId } = await makeStatic(freshSite(), more)
    expect(answer.qrCode).toEqual({
      type: 'STATIC',
      payload: expect.stringContaining('?type=01&'),
      status: 'CREATED',
    })
    expect(answer).not.toHaveProperty('expiresOn')
    expect(linkId.slice(0, 6)).toBe(prefix)
    expect(parseLink(answer.qrCode.payload)).toMatchObject({ type: 'STATIC', amount })
  })

  it('has a picture, and its link stays', async () => {
    const site = freshSite()
    const body = qrCodeBody({}, { type: 'STATIC', image: {} })
    const made = await qrCodeIn(await site.ask('/sbp/qrCodes', { body }))
    expect(made.qrCode.image?.content).toMatch(/^iVBOR/)
    const image = await site.ask(`/sbp/qrCodes/${made.qrCodeUid}/image`)
    expect([image.status, image.headers.get('Content-Type')]).toEqual([200, 'image/png'])
  })

  it.each([
    ['qrCode.ttl', { qrCode: { type: 'STATIC', ttl: 60 } }],
    ['flags', { flags: ['CREATE_TOKEN'] }],
    ['flags', { flags: [] }],
    ['tokenizationPurpose', { tokenizationPurpose: 'x' }],
    ['tokenizationAccount', { tokenizationAccount: 'x' }],
  ])('cannot have %s', async (field, more) => {
    const site = freshSite()
    const body = qrCodeBody({ qrCode: { type: 'STATIC' }, ...more })
    for (const [path, method] of [
      ['/sbp/qrCodes', 'POST'],
      [`/sbp/qrCodes/${body.qrCodeUid}`, 'PUT'],
    ] as const) {
      const response = await site.ask(path, { method, body })
      const { errorCode, cause } = await errorOf(response)
      expect([response.status, errorCode, Object.keys(cause ?? {})]).toEqual([
        400,
        'validation.error',
        [field],
      ])
      expect(cause?.[field]?.[0]).toMatch(/must be absent where qrCode.type is STATIC$/)
    }
    expect((await site.ask(`/sbp/qrCodes/${body.qrCodeUid}`)).status).toBe(404)
  })

  it('is refused for all broken fields at once', async () => {
    const body = { qrCodeUid: '', qrCode: { type: 'STATIC', ttl: 60 }, amount: { value: 0 }, flags: ['X'] }
    const { cause } = await errorOf(await freshSite().ask('/sbp/qrCodes', { body }))
    expect(Object.keys(cause ?? {}).sort()).toEqual([
      'amount.value',
      'flags',
      'flags.0',
      'qrCode.ttl',
      'qrCodeUid',
    ])
  })

  it('is replayed, and another request with its identifier gets 409', async () => {
    const site = freshSite()
    const body = qrCodeBody({ qrCode: { type: 'STATIC' }, amount: { value: 5 } })
    const first = await qrCodeIn(await site.ask('/sbp/qrCodes', { body }))
    const again = await site.ask('/sbp/qrCodes', { body })
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await qrCodeIn(again)).toEqual(first)
    const dynamic = await site.ask('/sbp/qrCodes', { body: { ...body, qrCode: { type: 'DYNAMIC' } } })
    expect([dynamic.status, Object.keys((await errorOf(dynamic)).cause ?? {})]).toEqual([
      409,
      ['qrCode.type', 'qrCode.ttl'],
    ])
  })

  it('never ends, and lets nobody wait for its end', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = freshSite()
    const { qrCodeUid } = await makeStatic(site)
    const row = () =>
      runInDurableObject(site.stub, (_, { storage: { sql } }) =>
        sql.exec('SELECT ttl, end_at FROM qr_codes').one(),
      )
    expect(await row()).toEqual({ ttl: null, end_at: null })
    const alarm = () => runInDurableObject(site.stub, (_, { storage }) => storage.getAlarm())
    expect(await alarm()).toBeNull()
    const ends = await site.make({}, { ttl: 10 })
    expect(await alarm()).toBe(Date.parse(ends.answer.expiresOn ?? ''))
    vi.setSystemTime(Date.parse('2126-11-20T12:00:00Z'))
    const token = await tokenOf({ sub: site.siteId, exp: 9_000_000_000 })
    const later = await qrCodeIn(await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { token }))
    expect(later.qrCode.status).toBe('CREATED')
    const expired = await (await site.ask('/sbp/qrCodes?status=EXPIRED', { token })).json()
    expect(expired).toMatchObject({ qrCodes: [{ qrCodeUid: ends.qrCodeUid }] })
  })
})

describe('a payment of a STATIC QR code', () => {
  it('is applied, again and again; the QR code stays CREATED and shows the latest', async () => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await makeStatic(site)
    for (const paymentUid of ['p-1', 'p-2', 'p-3']) {
      const reported = await site.report(linkId, paymentUid)
      expect(await qrCodeIn(reported)).toMatchObject({
        qrCode: { status: 'CREATED' },
        lastPayment: { paymentUid, paymentStatus: 'COMPLETED', amount: { value: '5.00', currency: 'RUB' } },
      })
    }
    const now: QrCodeAnswer = await site.read(qrCodeUid)
    expect(now.lastPayment?.paymentUid).toBe('p-3')
    expect(now).not.toHaveProperty('payment')
    expect(now).not.toHaveProperty('refunds')
    const { payments } = await paymentsOf(site, qrCodeUid)
    expect(payments.map(({ paymentId, applied }) => [paymentId, applied])).toEqual([
      ['p-1', true],
      ['p-2', true],
      ['p-3', true],
    ])
    expect((await site.eventsOf(qrCodeUid)).map(({ type, status }) => [type, status])).toEqual([
      ['qrCode.created', 'CREATED'],
      ['payment.completed', 'CREATED'],
      ['payment.completed', 'CREATED'],
      ['payment.completed', 'CREATED'],
    ])
  })

  it.each([
    ['its sum', {}, { value: 5 }, undefined],
    ['another sum', {}, { value: 5.01 }, 'AMOUNT_MISMATCH'],
    ['its sum in another currency', {}, { value: 5, currency: 'USD' }, 'AMOUNT_MISMATCH'],
    ['any sum where it has none', withoutSum, { value: 12.34 }, undefined],
    ['another currency where it has no sum', withoutSum, { value: 5, currency: 'USD' }, 'AMOUNT_MISMATCH'],
  ])('of %s', async (_, more, amount, notAppliedReason) => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await makeStatic(site, more)
    const { status, paymentUid } = await site.pay(linkId, { amount })
    expect(status).toBe(200)
    const payment = await site.paymentOf(paymentUid)
    expect([payment.applied, payment.notAppliedReason]).toEqual([!notAppliedReason, notAppliedReason])
    expect((await site.read(qrCodeUid)).lastPayment?.paymentUid).toBe(
      notAppliedReason ? undefined : paymentUid,
    )
  })

  it('that was declined changes nothing', async () => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await makeStatic(site)
    const before = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    const { paymentUid } = await site.pay(linkId, { status: 'DECLINED' })
    const after = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    expect(after.headers.get('ETag')).toBe(before.headers.get('ETag'))
    expect(await after.json()).toEqual(await before.json())
    expect(await site.paymentOf(paymentUid)).toMatchObject({ applied: false, status: { value: 'DECLINED' } })
    await site.report(linkId, paymentUid)
    expect((await site.read(qrCodeUid)).lastPayment?.paymentUid).toBe(paymentUid)
  })

  it('that comes after the cancellation is a fact, and is not applied', async () => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await makeStatic(site)
    const { paymentUid: first } = await site.pay(linkId)
    const cancelled = await qrCodeIn(await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' }))
    expect(cancelled.qrCode.status).toBe('CANCELLED')
    expect(cancelled).not.toHaveProperty('expiresOn')
    const { paymentUid, status } = await site.pay(linkId)
    expect(status).toBe(200)
    expect(await site.paymentOf(paymentUid)).toMatchObject({
      applied: false,
      notAppliedReason: 'NOT_PAYABLE',
    })
    expect(await site.read(qrCodeUid)).toMatchObject({
      qrCode: { status: 'CANCELLED' },
      lastPayment: { paymentUid: first },
    })
    const again = await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
    expect(await qrCodeIn(again)).toEqual(await site.read(qrCodeUid))
  })

  it('that is reported again changes nothing', async () => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await makeStatic(site)
    await site.report(linkId, 'p-1')
    await site.report(linkId, 'p-2')
    const again = await site.report(linkId, 'p-1')
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect((await site.read(qrCodeUid)).lastPayment?.paymentUid).toBe('p-2')
    const other = await site.report(linkId, 'p-1', { amount: { value: 6 } })
    expect((await errorOf(other)).errorCode).toBe('payin.resource.already.exists')
  })

  it('is notified with the QR code, and ends a long poll', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const server = merchantServer()
    const site = await notifiedSite()
    const { qrCodeUid, linkId } = await makeStatic(site)
    const known = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    const waiting = site.ask(`/sbp/qrCodes/${qrCodeUid}`, {
      headers: { 'If-None-Match': known.headers.get('ETag') ?? '', Prefer: 'wait=30' },
    })
    const { paymentUid } = await site.pay(linkId)
    expect((await qrCodeIn(await waiting)).lastPayment?.paymentUid).toBe(paymentUid)
    await pass(site, 1000)
    const [received] = await server.got(1)
    if (!received) throw new Error('there is no notification')
    expect(paymentIn(received)).toMatchObject({ paymentId: paymentUid, qrCodeUid, applied: true })
  })

  it('is found among very many: the answer of the QR code stays small, each list is a page', async () => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await makeStatic(site)
    await site.report(linkId, 'first')
    await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      sql.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO payments (payment_uid, qr_code, link_id, status, minor_units, currency, created_at, changed_at, applied, network)
        SELECT 'many-' || i, qr_code, link_id, status, minor_units, currency, created_at, changed_at, applied, network
        FROM payments, n WHERE payment_uid = 'first'`)
    })
    const rowsRead = await runInDurableObject(site.stub, (_, { storage: { sql } }) => {
      const exec = sql.exec.bind(sql)
      const cursors: { rowsRead: number }[] = []
      vi.spyOn(sql, 'exec').mockImplementation((query, ...bindings) => {
        const cursor = exec(query, ...bindings)
        cursors.push(cursor)
        return cursor
      })
      return () => cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0)
    })
    await site.report(linkId, 'last')
    await site.report(linkId, 'declined', { status: 'DECLINED' })
    const answer = await site.ask(`/sbp/qrCodes/${qrCodeUid}`)
    const text = await answer.text()
    expect(text.length).toBeLessThan(1500)
    expect(JSON.parse(text)).toMatchObject({ lastPayment: { paymentUid: 'last' } })
    const page = await paymentsOf(site, qrCodeUid, '?limit=3')
    expect(page.payments.map(({ paymentId }) => paymentId)).toEqual(['first', 'many-1', 'many-2'])
    expect(page.nextCursor).toBeDefined()
    expect(rowsRead()).toBeGreaterThan(3)
    expect(rowsRead()).toBeLessThan(500)
  })
})

describe('a refund of a payment of a STATIC QR code', () => {
  it('names the payment; the older address, which cannot, is 409', async () => {
    const site = freshSite(serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }))
    const { qrCodeUid, linkId } = await makeStatic(site)
    await site.report(linkId, 'p-1')
    await site.report(linkId, 'p-2')
    const before = await site.read(qrCodeUid)
    const older = `/sbp/qrCodes/${qrCodeUid}/refunds/r-1`
    for (const response of [
      await site.ask(older, { method: 'PUT', body: { amount: { value: 1 } } }),
      await site.ask(older),
    ]) {
      expect([response.status, (await errorOf(response)).errorCode]).toEqual([
        409,
        'payin.incorrect-method-invocation',
      ])
    }
    expect((await site.refund('p-1', 2, 'r-1')).status).toBe(200)
    expect((await site.refund('p-1', 4, 'r-2')).status).toBe(400)
    expect((await site.refund('p-2', 5, 'r-1')).status).toBe(200)
    expect((await site.reportRefund('p-2', 'r-1', { status: 'COMPLETED' })).status).toBe(200)
    expect((await site.paymentOf('p-2')).refundedAmount.value).toBe('5.00')
    expect(await site.read(qrCodeUid)).toEqual(before)
    const types = (await site.eventsOf(qrCodeUid)).map(({ type }) => type)
    expect(types.slice(3)).toEqual(['refund.waiting', 'refund.waiting', 'refund.completed'])
  })
})

describe('the type', () => {
  it('filters the list, with statuses and pages', async () => {
    const site = freshSite()
    const made = { STATIC: [] as string[], DYNAMIC: [] as string[], TOKEN: [] as string[] }
    for (let i = 0; i < 3; i++) {
      made.STATIC.unshift((await makeStatic(site)).qrCodeUid)
      made.DYNAMIC.unshift((await site.make()).qrCodeUid)
      made.TOKEN.unshift((await site.make({ amount: undefined }, { type: 'TOKEN' })).qrCodeUid)
    }
    const [cancelled = ''] = made.STATIC
    await site.ask(`/sbp/qrCodes/${cancelled}`, { method: 'DELETE' })
    for (const [type, uids] of Object.entries(made)) expect(await listed(site, `type=${type}`)).toEqual(uids)
    expect(await listed(site, 'type=STATIC&status=CANCELLED')).toEqual([cancelled])
    expect(await listed(site, 'type=STATIC&status=CREATED')).toEqual(made.STATIC.slice(1))
    expect(await listed(site, 'type=DYNAMIC&status=CANCELLED')).toEqual([])
    const first = strict(ListAnswer).parse(
      await (await site.ask('/sbp/qrCodes?type=STATIC,TOKEN&limit=4')).json(),
    )
    const rest = await listed(site, `type=STATIC,TOKEN&limit=4&cursor=${first.nextCursor}`)
    expect([...first.qrCodes.map(({ qrCodeUid }) => qrCodeUid), ...rest]).toEqual([
      ...[made.TOKEN[0], made.STATIC[0], made.TOKEN[1], made.STATIC[1]],
      ...[made.TOKEN[2], made.STATIC[2]],
    ])
  })

  it.each(['', 'PRINTED', 'STATIC,'])('is not %j', async (type) => {
    const response = await freshSite().ask(`/sbp/qrCodes?type=${type}`)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, ['type']])
  })
})

describe('a charge of a token', () => {
  it('is not for a STATIC QR code', async () => {
    const site = freshSite(serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }))
    const bound = await site.make({ amount: undefined }, { type: 'TOKEN' })
    await site.bind(bound.linkId)
    const { token } = await site.read(bound.qrCodeUid)
    const { qrCodeUid } = await makeStatic(site)
    const response = await site.ask(`/sbp/qrCodes/${qrCodeUid}/payments`, { body: { token: token?.value } })
    expect([response.status, (await errorOf(response)).description]).toEqual([
      409,
      'the QR code has type STATIC, must be DYNAMIC to be charged',
    ])
  })
})

describe('the sandbox', () => {
  it('pays a STATIC QR code as often as it is asked to', async () => {
    const site = freshSite(serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }))
    const { qrCodeUid } = await makeStatic(site, withoutSum)
    const paid = new Set<string | undefined>()
    for (const value of [1, 2]) {
      const response = await call(
        `/sandbox/v1/sites/${site.siteId}/qrCodes/${qrCodeUid}/payments`,
        { body: { amount: { value } }, token: await tokenOf({ sub: site.siteId }) },
        serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' } }),
      )
      const answer = await qrCodeIn(response)
      expect(answer.lastPayment?.amount.value).toBe(`${value}.00`)
      paid.add(answer.lastPayment?.paymentUid)
    }
    expect(paid.size).toBe(2)
  })
})

describe('with the link of a bank, a STATIC QR code', () => {
  const STATIC_LINK = 'https://qr.nspk.ru/AS1?type=01&bank=100000000001&crc=0000'

  it('is registered without a lifetime, and has none, whatever the bank says', async () => {
    const site = bankSite(() =>
      Response.json({ payload: STATIC_LINK, qrcId: 'AS1', expiresOn: '2100-01-01T00:00:00Z' }),
    )
    const { answer } = await makeStatic(site)
    expect(site.asked[0]?.data).toEqual({
      siteId: site.siteId,
      key: expect.any(String),
      type: 'STATIC',
      amount: { value: '5.00', currency: 'RUB' },
    })
    expect(answer.qrCode.payload).toBe(STATIC_LINK)
    expect(answer).not.toHaveProperty('expiresOn')
    await site.report('AS1', 'p-1')
    expect((await site.read(answer.qrCodeUid)).lastPayment?.paymentUid).toBe('p-1')
  })

  it('applies the payments that came before it', async () => {
    const site = bankSite(() => Response.json({ payload: STATIC_LINK, qrcId: 'AS1' }))
    for (const paymentUid of ['p-1', 'p-2']) await site.report('AS1', paymentUid)
    const { answer } = await makeStatic(site)
    expect([answer.qrCode.status, answer.lastPayment?.paymentUid]).toEqual(['CREATED', 'p-2'])
    expect((await site.paymentOf('p-1')).applied).toBe(true)
  })

  it('is cancelled at the bank, however long that takes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = bankSite()
    const { qrCodeUid } = await makeStatic(site)
    await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
    const pending = () =>
      runInDurableObject(site.stub, (_, { storage: { sql } }) =>
        sql.exec("SELECT content, status FROM outbox WHERE queue = 'external'").toArray(),
      )
    // The deployed Worker of the test has no connector: every attempt fails.
    for (let month = 0; month < 12; month++) await pass(site, 30 * 86_400_000)
    const [cancel] = await pending()
    expect(cancel).toMatchObject({ status: 'PENDING' })
    expect(JSON.parse(String(cancel?.content))).toMatchObject({ type: 'qrCode.cancel' })
    expect(JSON.parse(String(cancel?.content))).not.toHaveProperty('neededUntil')
  })

  it('is listed for the connector while it can be paid, and for the time asked about after it was cancelled', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') })
    const site = bankSite(willing)
    const { qrCodeUid } = await makeStatic(site)
    const { qrCodeUid: dynamic } = await site.make({}, { ttl: 60 })
    const codes = async (query = '') => {
      const token = await tokenOf({ sub: site.siteId, scope: 'network', exp: 4_000_000_000 })
      const response = await call(`/network/v1/sites/${site.siteId}/qrCodes${query}`, { token })
      return strict(NetworkQrCodesAnswer).parse(await response.json())
    }
    const first = await codes('?limit=1')
    expect(first.qrCodes).toMatchObject([{ type: 'DYNAMIC' }])
    const second = await codes(`?limit=1&cursor=${first.nextCursor}`)
    expect(second.qrCodes).toMatchObject([{ type: 'STATIC', status: 'CREATED' }])
    expect(second.qrCodes[0]).not.toHaveProperty('expiresOn')
    expect(second.nextCursor).toBeUndefined()
    for (const uid of [qrCodeUid, dynamic]) await site.ask(`/sbp/qrCodes/${uid}`, { method: 'DELETE' })
    vi.setSystemTime(Date.now() + 23 * 3_600_000)
    expect((await codes()).qrCodes.map(({ type }) => type)).toEqual(['DYNAMIC', 'STATIC'])
    vi.setSystemTime(Date.now() + 3 * 3_600_000)
    expect((await codes()).qrCodes).toEqual([])
    expect((await codes('?endedFrom=2026-11-20T12:00:00Z')).qrCodes).toHaveLength(2)
  })
})
