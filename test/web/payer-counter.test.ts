// The payer's page of a COUNTER code: it shows the sale for which the till armed it (contract, section 15).
import { describe, expect, it } from 'vitest'
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { linkIdOf, siteClient } from '../support/client.ts'
import { item, made, open, read, submit } from '../support/payer.ts'
import { call, inProcess, sandbox, serviceWith } from '../support/service.ts'

const site = siteClient('demo', inProcess('demo'))

const makeCounter = () => made({ amount: undefined, paymentPurpose: undefined }, { type: 'COUNTER' })
const arm = async ({ qrCodeUid }: QrCodeAnswer, saleUid: string, value: number, more = {}) => {
  const path = `/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`
  const response = await site.ask(path, { method: 'PUT', body: { amount: { value }, ...more } })
  expect(response.status).toBe(200)
}
const cancelSale = ({ qrCodeUid }: QrCodeAnswer, saleUid: string) =>
  site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`, { method: 'DELETE' })
const state = ({ qrCode: { payload } }: QrCodeAnswer, headers: Record<string, string> = {}) =>
  open(payload.replace('?', '/state?'), { headers })
const saleOf = async ({ qrCodeUid }: QrCodeAnswer, saleUid: string) =>
  (await site.ask(`/sbp/qrCodes/${qrCodeUid}/sales/${saleUid}`)).json<{ status: string }>()

describe('the page of a COUNTER code', () => {
  it('says that there is nothing to pay, and follows', async () => {
    const page = await read((await makeCounter()).qrCode.payload)
    for (const text of [
      'Пока платить не за что',
      'data-status="NOT_ARMED"',
      'data-state',
      'http-equiv="refresh"',
    ])
      expect(page).toContain(text)
    expect(page).not.toContain('<form')
  })

  it('shows the ACTIVE sale: its amount, its purpose and the time that is left', async () => {
    const qrCode = await makeCounter()
    await arm(qrCode, 's-1', 149.5, { paymentPurpose: 'Чай' })
    const page = (await read(qrCode.qrCode.payload)).replaceAll(/\s/g, ' ')
    for (const text of ['149,50 ₽', '<bdi>Чай</bdi>', 'role="timer"', 'value="pay"', 'data-state'])
      expect(page).toContain(text)
    // What it shows after the payment is the till's next amount.
    expect(page).toContain('Когда касса изменит сумму, страница обновится сама')
    expect(page).not.toContain('Страница обновится сама после оплаты')
    await cancelSale(qrCode, 's-1')
    expect(await read(qrCode.qrCode.payload)).toContain('Пока платить не за что')
  })

  it('changes when the till arms it: the state has another ETag, and a long poll ends', async () => {
    const qrCode = await makeCounter()
    const etag = (await state(qrCode)).headers.get('ETag') ?? ''
    const waiting = state(qrCode, { 'If-None-Match': etag, Prefer: 'wait=60' })
    await arm(qrCode, 's-1', 5)
    const ended = await waiting
    expect([ended.status, ended.headers.get('ETag') === etag]).toEqual([200, false])
    expect(await ended.json()).toEqual({ status: 'CREATED' })
    const armed = ended.headers.get('ETag') ?? ''
    expect((await state(qrCode, { 'If-None-Match': armed })).status).toBe(304)
    await site.report(linkIdOf(qrCode.qrCode.payload), crypto.randomUUID(), { saleUid: 's-1' })
    expect((await state(qrCode, { 'If-None-Match': armed })).status).toBe(200)
  })

  it('has the ETag of its sale, which payments and refunds of other sales do not change', async () => {
    const qrCode = await makeCounter()
    const linkId = linkIdOf(qrCode.qrCode.payload)
    const tag = async () => (await state(qrCode)).headers.get('ETag') ?? ''
    const none = await tag()
    await arm(qrCode, 's-1', 5)
    const first = await tag()
    await cancelSale(qrCode, 's-1')
    expect(await tag()).toBe(none)
    await arm(qrCode, 's-2', 5)
    const second = await tag()
    expect(new Set([none, first, second]).size).toBe(3)
    const paymentUid = crypto.randomUUID()
    await site.report(linkId, paymentUid, { saleUid: 's-1' })
    await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED', amount: { value: 5 } })
    expect(await tag()).toBe(second)
    // What the payer knows is over: nothing waits.
    const late = await state(qrCode, { 'If-None-Match': first, Prefer: 'wait=60' })
    expect([late.status, late.headers.get('Preference-Applied')]).toEqual([200, null])
    const known = await state(qrCode, { 'If-None-Match': second, Prefer: 'wait=1' })
    expect([known.status, known.headers.get('Preference-Applied')]).toEqual([304, 'wait=1'])
  })

  it('tells a payer who waits nothing of the refund of another sale', async () => {
    const qrCode = await makeCounter()
    await arm(qrCode, 's-1', 5)
    const paymentUid = crypto.randomUUID()
    await site.report(linkIdOf(qrCode.qrCode.payload), paymentUid, { saleUid: 's-1' })
    await arm(qrCode, 's-2', 5)
    const known = (await state(qrCode)).headers.get('ETag') ?? ''
    const waiting = state(qrCode, { 'If-None-Match': known, Prefer: 'wait=60' })
    let isOver = false
    waiting.then(() => {
      isOver = true
    })
    for (const n of [1, 2]) {
      await site.reportRefund(paymentUid, `r-${n}`, { status: 'COMPLETED', amount: { value: 1 } })
      // The wait that such a refund ended would be over by now.
      for (let i = 0; i < 3; i++) await state(qrCode)
      expect(isOver).toBe(false)
    }
    await cancelSale(qrCode, 's-2')
    expect([(await waiting).status, (await waiting).headers.get('Preference-Applied')]).toEqual([
      200,
      'wait=60',
    ])
  })

  it('pays the ACTIVE sale in the sandbox, and shows its receipt until the payer goes on', async () => {
    const qrCode = await makeCounter()
    const { payload } = qrCode.qrCode
    await arm(qrCode, 's-1', 12.34)
    const sent = await submit(payload, { action: 'pay' })
    expect(sent.status).toBe(303)
    expect((await saleOf(qrCode, 's-1')).status).toBe('PAYED')
    const Cookie = sent.headers.get('Set-Cookie')?.split(';', 1)[0] ?? ''
    const page = await (await open(payload, { headers: { Cookie } })).text()
    for (const text of ['data-status="PAYED"', 'Оплачено', '12,34', 'Номер операции'])
      expect(page).toContain(text)
    // Everybody else, and who goes on, sees that it cannot be paid until the till arms it again.
    expect(await read(payload)).toContain('data-status="NOT_ARMED"')
    const again = await submit(payload, { action: 'again' })
    expect([again.status, again.headers.get('Set-Cookie')]).toEqual([
      303,
      expect.stringContaining('=; Max-Age=0;'),
    ])
  })

  it('takes the form of an old page for nothing, if no sale is ACTIVE', async () => {
    const qrCode = await makeCounter()
    const sent = await submit(qrCode.qrCode.payload, { action: 'pay', amount: '5' })
    expect([sent.status, sent.headers.get('Set-Cookie')]).toEqual([303, null])
    expect(await (await site.ask(`/sbp/qrCodes/${qrCode.qrCodeUid}/payments`)).json()).toEqual({
      payments: [],
    })
  })

  it('says after the cancellation that the code is no longer valid', async () => {
    const qrCode = await makeCounter()
    await arm(qrCode, 's-1', 5)
    await call(item(qrCode), { method: 'DELETE' })
    expect(await read(qrCode.qrCode.payload)).toContain('Этот код больше не действует')
  })
})

describe('the page of a tab that followed a sale', () => {
  /** The mark that the page of the ACTIVE sale has. */
  const markOf = async ({ qrCode: { payload } }: QrCodeAnswer) =>
    /data-sale="(\w+)"/.exec(await read(payload))?.[1] ?? ''
  const pageOf = async ({ qrCode: { payload } }: QrCodeAnswer, mark: string, service = sandbox) => {
    const headers = { 'Accept-Language': 'ru', 'Followed-Sale': mark }
    return (await (await open(payload, { headers }, service)).text()).replaceAll(/\s/g, ' ')
  }
  const pay = (qrCode: QrCodeAnswer, saleUid: string, more = {}) => {
    const paymentUid = crypto.randomUUID()
    const amount = { value: 5, currency: 'RUB' }
    const body = { saleUid, amount, payer: { bankMemberId: '999999999001' }, ...more }
    return site.report(linkIdOf(qrCode.qrCode.payload), paymentUid, body).then(() => paymentUid)
  }

  it('shows the sum, the time, the number and the purpose of its sale, to be saved and printed, and never the bank', async () => {
    const qrCode = await makeCounter()
    await arm(qrCode, 's-1', 149.5, { paymentPurpose: 'Чай' })
    const mark = await markOf(qrCode)
    expect(mark).toMatch(/^[0-9a-f]{24}$/)
    expect(await pageOf(qrCode, mark)).toContain('К оплате')
    const paymentUid = await pay(qrCode, 's-1', { amount: { value: 149.5, currency: 'RUB' } })
    // The till has armed the code for the next one.
    await arm(qrCode, 's-2', 300, { paymentPurpose: 'Кофе' })
    const page = await pageOf(qrCode, mark)
    for (const text of [
      'data-status="PAYED"',
      'Оплачено',
      '149,50 ₽',
      '<bdi>Чай</bdi>',
      `Номер операции</dt><dd><bdi>${paymentUid}</bdi>`,
      'data-save',
      'data-print',
      'Заплатить ещё раз',
      'data-kept="',
    ])
      expect(page).toContain(text)
    for (const text of ['999999999001', 'Банк', '300,00', 'Кофе', 's-1', 's-2', 'value="pay"', 'data-sale'])
      expect(page).not.toContain(text)
  })

  it('shows its sale at a till that has had a hundred others', async () => {
    const qrCode = await makeCounter()
    for (let n = 0; n < 100; n++) {
      await arm(qrCode, `before-${n}`, 5)
      await cancelSale(qrCode, `before-${n}`)
    }
    await arm(qrCode, 's-1', 149.5)
    const mark = await markOf(qrCode)
    await pay(qrCode, 's-1', { amount: { value: 149.5, currency: 'RUB' } })
    expect(await pageOf(qrCode, mark)).toContain('data-status="PAYED"')
  })

  it('shows what of it was returned', async () => {
    const qrCode = await makeCounter()
    await arm(qrCode, 's-1', 149.5)
    const mark = await markOf(qrCode)
    const paymentUid = await pay(qrCode, 's-1', { amount: { value: 149.5, currency: 'RUB' } })
    await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED', amount: { value: 49.5 } })
    expect(await pageOf(qrCode, mark)).toContain('Возвращено</dt><dd><bdi>49,50 ₽')
  })

  it('is that of the code ten minutes after the payment', async () => {
    const qrCode = await makeCounter()
    await arm(qrCode, 's-1', 5)
    const mark = await markOf(qrCode)
    await pay(qrCode, 's-1')
    const settings = { PAYMENT_NETWORK: 'sandbox' }
    const later = (ms: number) => serviceWith({ settings, now: () => Date.now() + ms })
    expect(await pageOf(qrCode, mark)).toMatch(/data-kept="(5[5-9]\d|600)"/)
    expect(await pageOf(qrCode, mark, later(300_000))).toMatch(/data-kept="(2[5-9]\d|300)"/)
    expect(await pageOf(qrCode, mark, later(600_000))).toContain('data-status="NOT_ARMED"')
  })

  it('learns of a payment that came after the end of the sale: its long poll ends', async () => {
    const qrCode = await makeCounter()
    await arm(qrCode, 's-1', 5)
    const headers = { 'Followed-Sale': await markOf(qrCode) }
    await cancelSale(qrCode, 's-1')
    const none = (await state(qrCode, headers)).headers.get('ETag') ?? ''
    expect((await state(qrCode)).headers.get('ETag')).toBe(none)
    const waiting = state(qrCode, { ...headers, 'If-None-Match': none, Prefer: 'wait=60' })
    await pay(qrCode, 's-1')
    expect([(await waiting).status, await (await waiting).json()]).toEqual([200, { status: 'PAYED' }])
    // Who did not follow it is told nothing.
    expect((await state(qrCode, { 'If-None-Match': none })).status).toBe(304)
  })

  it('is nobody else’s: a mark of another code, one spelt otherwise, a made-up one and a saleUid show nothing', async () => {
    const [qrCode, other] = [await makeCounter(), await makeCounter()]
    for (const each of [qrCode, other]) await arm(each, 's-1', 5)
    const own = await markOf(qrCode)
    const respelt = [`${own}0`, `${own}zz`, own.toUpperCase()]
    const marks = [await markOf(other), ...respelt, '0'.repeat(24), 's-1', 'ы', '']
    await pay(qrCode, 's-1')
    for (const mark of marks.map(encodeURI)) {
      expect(await pageOf(qrCode, mark), mark).toContain('data-status="NOT_ARMED"')
      expect(await (await state(qrCode, { 'Followed-Sale': mark })).json()).toEqual({ status: 'CREATED' })
    }
  })
})
