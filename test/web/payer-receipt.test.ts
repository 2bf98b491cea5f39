// The receipt of a printed code: first what the payer's own browser has paid, then the way to pay again (contract, section 15).
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { markOf } from '../../src/gateway/receipt.ts'
import { linkIdOf, siteClient } from '../support/client.ts'
import { external, item, made, open, read, submit } from '../support/payer.ts'
import { report } from '../support/qr-codes.ts'
import { call, inProcess, serviceWith } from '../support/service.ts'

const site = siteClient('demo', inProcess('demo'))
const makeStatic = (more: Record<string, unknown> = {}) => made(more, { type: 'STATIC' })
const plain = (text: string) => text.replaceAll(/\s/g, ' ')

/** A browser that keeps the cookie of the page, as one without script does. */
function guest({ qrCode: { payload } }: QrCodeAnswer, service?: ReturnType<typeof serviceWith>) {
  let cookie = ''
  const keep = (response: Response) => {
    const [pair = '', age = ''] = response.headers.get('Set-Cookie')?.split('; ') ?? []
    if (pair) cookie = age === 'Max-Age=0' ? '' : pair
    return response
  }
  const headers = () => ({ 'Accept-Language': 'ru', Cookie: cookie })
  return {
    cookie: () => cookie,
    send: async (fields: Record<string, string>) => keep(await submit(payload, fields, service)),
    see: async (other?: ReturnType<typeof serviceWith>) =>
      plain(await keep(await open(payload, { headers: headers() }, other ?? service)).text()),
  }
}

const paymentsOf = async (qrCode: QrCodeAnswer) =>
  PaymentsAnswer.parse(await (await call(`${item(qrCode)}/payments`)).json()).payments

/** What the page has while it is a receipt, and what it has not. */
const RECEIPT = [
  'data-status="PAYED"',
  'Оплачено',
  'Номер операции',
  'data-save',
  'data-print',
  'value="again"',
]
const FORM = ['value="pay"', 'name="amount"']

describe('the payer of a STATIC code in the sandbox', () => {
  it('sees the receipt: amount, time, operation number, purpose, to save and to print; then pays again', async () => {
    const qrCode = await makeStatic({ amount: undefined })
    const payer = guest(qrCode)
    for (const [amount, sum] of [
      ['350', '350,00 ₽'],
      ['1 200,50', '1 200,50 ₽'],
    ] as const) {
      expect(await payer.see()).toContain('name="amount"')
      const sent = await payer.send({ action: 'pay', amount })
      expect([sent.status, sent.headers.get('Location')]).toEqual([
        303,
        new URL(qrCode.qrCode.payload).search,
      ])
      const page = await payer.see()
      const paymentId = (await paymentsOf(qrCode)).at(-1)?.paymentId
      for (const text of [
        ...RECEIPT,
        `>${sum}<`,
        `<bdi>${paymentId}</bdi>`,
        'Дата и время',
        '<bdi>Две кружки</bdi>',
      ])
        expect(page, text).toContain(text)
      for (const text of FORM) expect(page).not.toContain(text)
      expect(page).toContain(`<title>Оплачено · ${sum} · demo</title>`)
      // A reload, and the tab that the phone loads again, show it still.
      expect(await payer.see()).toContain(`<bdi>${paymentId}</bdi>`)
      expect((await payer.send({ action: 'again' })).status).toBe(303)
    }
    const page = await payer.see()
    expect(page).toContain('name="amount"')
    expect(page).not.toContain('Номер операции')
  })

  it('sees what of it was returned, and that all was', async () => {
    const qrCode = await makeStatic()
    const payer = guest(qrCode)
    await payer.send({ action: 'pay' })
    const [payment] = await paymentsOf(qrCode)
    const refund = (value: number, id: string) =>
      site.reportRefund(payment?.paymentId ?? '', id, { status: 'COMPLETED', amount: { value } })
    await refund(500, 'r-1')
    expect(await payer.see()).toContain('Возвращено</dt><dd><bdi>500,00 ₽')
    await refund(1000.5, 'r-2')
    const returned = await payer.see()
    for (const text of ['data-status="REFUNDED"', 'Деньги возвращены', 'Номер операции', 'value="again"'])
      expect(returned).toContain(text)
  })

  it('sees it for ten minutes, and keeps it after the code was cancelled', async () => {
    const qrCode = await makeStatic()
    const payer = guest(qrCode)
    const sent = await payer.send({ action: 'pay' })
    expect(sent.headers.get('Set-Cookie')).toMatch(
      /^result-AS1000\w{26}=sandbox-\w{16}\.[0-9a-f]{24}; Max-Age=600; HttpOnly; SameSite=Strict$/,
    )
    await call(item(qrCode), { method: 'DELETE' })
    const later = (ms: number) =>
      serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' }, now: () => Date.now() + ms })
    expect(await payer.see()).toMatch(/data-kept="(59\d|600)"/)
    expect(await payer.see(later(590_000))).toContain('data-status="PAYED"')
    expect(await payer.see(later(600_000))).toContain('Этот код больше не действует')
  })

  it('is shown nobody else’s payment: of another code, another browser, the network, and by no made-up cookie', async () => {
    const [qrCode, other] = [await makeStatic(), await makeStatic()]
    const payer = guest(qrCode)
    await payer.send({ action: 'pay' })
    const [id, otherId] = [qrCode, other].map((each) => linkIdOf(each.qrCode.payload))
    const paid = payer.cookie().slice(payer.cookie().indexOf('=') + 1)
    const [uid = '', mac = ''] = paid.split('.')
    await report({ linkId: linkIdOf(qrCode.qrCode.payload) }, { amount: { value: 1500.5 } })
    const reported = (await paymentsOf(qrCode)).at(-1)?.paymentId
    expect(reported).not.toBe(uid)
    for (const [code, cookie] of [
      [other, payer.cookie()],
      [other, `result-${otherId}=${paid}`],
      [qrCode, `result-${id}=${reported}.${mac}`],
      [qrCode, `result-${id}=${uid}.${mac.toUpperCase()}`],
      [qrCode, `result-${id}=${uid}.${mac}0`],
      [qrCode, `result-${id}=${uid}.${'0'.repeat(24)}`],
      [qrCode, `result-${id}=${uid}`],
      [qrCode, `result-${id}=paid`],
      [qrCode, `result-${id}=<b>`],
      [qrCode, `result-${id}=`],
      [qrCode, ''],
    ] as const) {
      const headers = { 'Accept-Language': 'ru', Cookie: cookie }
      const page = await (await open(code.qrCode.payload, { headers })).text()
      expect(page, cookie).toContain('value="pay"')
      for (const text of [uid, `${reported}`, '<b>', 'Оплачено', 'data-result'])
        expect(page).not.toContain(text)
    }
  })
})

it('a payment that the code did not take, such as a declined one, is no receipt', async () => {
  const qrCode = await makeStatic()
  const id = linkIdOf(qrCode.qrCode.payload)
  const pageOf = async (paymentUid: string) => {
    const mark = markOf([env.TOKEN_SECRET], 'payment', 'demo', id, paymentUid)
    return plain(
      await (
        await open(qrCode.qrCode.payload, { headers: { Cookie: `result-${id}=${paymentUid}.${mark}` } })
      ).text(),
    )
  }
  const reported = async (body: object) => {
    const paymentUid = crypto.randomUUID()
    await site.report(id, paymentUid, { amount: { value: 1500.5 }, ...body })
    return pageOf(paymentUid)
  }
  expect(await reported({})).toContain('data-status="PAYED"')
  for (const body of [{ status: 'DECLINED' }, { amount: { value: 1 } }])
    expect(await reported(body)).not.toContain('data-status')
  expect(await pageOf('unknown')).not.toContain('data-status')
})

it('outside the sandbox the page of a printed code shows no payment, whatever the cookie says', async () => {
  const qrCode = await makeStatic()
  const payer = guest(qrCode)
  await payer.send({ action: 'pay' })
  expect(await payer.see()).toContain('Номер операции')
  const page = await payer.see(external)
  expect(page).toContain('Результат покажет приложение банка')
  for (const text of ['Номер операции', 'Оплачено', 'data-kept', '<form']) expect(page).not.toContain(text)
  expect((await submit(qrCode.qrCode.payload, { action: 'again' }, external)).status).toBe(405)
  expect(plain(await read(qrCode.qrCode.payload, 'ru', external))).toBe(page)
})
