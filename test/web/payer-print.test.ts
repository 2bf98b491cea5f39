// The sheet of a QR code that is paid many times (contract, section 15).
import { expect, it } from 'vitest'
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { siteClient } from '../support/client.ts'
import { item, made, open } from '../support/payer.ts'
import { call, inProcess } from '../support/service.ts'

const sheetOf = async ({ pageUrl }: QrCodeAnswer, more = '') => {
  const response = await open(pageUrl.replace('?', '/print?') + more)
  return { status: response.status, text: (await response.text()).replaceAll(/\s/g, ' ') }
}

it.each([
  ['', 'К', 'Подтвердите оплату в приложении банка', '1 500,50 ₽'],
  ['&lang=en', 'P', 'Confirm the payment in your bank’s app', '₽1,500.50'],
])('has the shop, the sum, the code and three steps%s', async (language, _, step, sum) => {
  const { status, text } = await sheetOf(await made({}, { type: 'STATIC' }), language)
  expect(status).toBe(200)
  for (const part of ['<bdi>demo</bdi>', 'src="data:image/svg+xml,%3Csvg', step, sum, 'print.css'])
    expect(text).toContain(part)
  expect(text.match(/<li>/g)).toHaveLength(3)
  for (const part of ['<form', 'data-state', 'http-equiv="refresh"']) expect(text).not.toContain(part)
})

it.each([
  [{}, 'Проверьте получателя и сумму'],
  [{ amount: undefined }, 'Проверьте получателя и введите сумму'],
])('of a STATIC code with %j says: %s', async (more, step) => {
  expect((await sheetOf(await made(more, { type: 'STATIC' }))).text).toContain(`<li>${step}</li>`)
})

it('of a COUNTER code has no sum, whatever sale is ACTIVE', async () => {
  const qrCode = await made({ amount: undefined }, { type: 'COUNTER' })
  const before = await sheetOf(qrCode)
  expect(before.text).toContain('Дождитесь, пока касса выставит сумму')
  await siteClient('demo', inProcess('demo')).ask(`/sbp/qrCodes/${qrCode.qrCodeUid}/sales/s-1`, {
    method: 'PUT',
    body: { amount: { value: 5 }, paymentPurpose: 'Tea' },
  })
  expect(await sheetOf(qrCode)).toEqual(before)
})

it.each([
  ['STATIC', {}],
  ['COUNTER', { amount: undefined }],
])('of a cancelled %s code leads to its page, which says that it is not valid', async (type, more) => {
  const qrCode = await made(more, { type })
  await call(item(qrCode), { method: 'DELETE' })
  const sheet = `${qrCode.pageUrl.replace('?', '/print?')}&lang=en`
  const response = await open(sheet)
  expect(response.status).toBe(303)
  const page = await open(new URL(response.headers.get('Location') ?? '', sheet).href)
  expect(page.status).toBe(200)
  const text = await page.text()
  expect(text).toContain('This code is no longer valid')
  expect(text).not.toContain('data:image/svg+xml')
})

it.each([
  ['DYNAMIC', {}],
  ['TOKEN', { amount: undefined }],
])('is not for %s codes, nor for altered links', async (type, more) => {
  const qrCode = await made(more, { type })
  expect((await sheetOf(qrCode)).status).toBe(404)
  const other = await made({}, { type: 'STATIC' })
  expect((await sheetOf({ ...other, pageUrl: other.pageUrl.replace('type=01', 'type=02') })).status).toBe(404)
})
