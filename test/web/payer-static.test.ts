// The payer's page of a STATIC QR code, as payers meet it: each knows of its own payments alone (contract, section 15).
import { describe, expect, it } from 'vitest'
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { linkIdOf } from '../support/client.ts'
import { external, item, made, open, read, submit } from '../support/payer.ts'
import { report } from '../support/qr-codes.ts'
import { call, ORIGIN } from '../support/service.ts'

const makeStatic = (more: Record<string, unknown> = {}) => made(more, { type: 'STATIC' })
const state = ({ qrCode: { payload } }: QrCodeAnswer, headers: Record<string, string> = {}) =>
  open(payload.replace('?', '/state?'), { headers })
const pay = ({ qrCode: { payload } }: QrCodeAnswer) =>
  report({ linkId: linkIdOf(payload) }, { amount: { value: 1500.5 } })

/** The cookie that a response sets, as the browser sends it back. */
const cookieOf = (response: Response) => response.headers.get('Set-Cookie')?.split(';', 1)[0] ?? ''

describe('the page of a STATIC QR code', () => {
  it('offers payment, without a time that is left, and follows nothing', async () => {
    const page = await read((await makeStatic()).qrCode.payload)
    for (const text of ['К оплате', '1 500,50', '<form', 'value="pay"', '<img']) {
      expect(page.replaceAll(/\s/g, ' ')).toContain(text)
    }
    for (const text of ['role="timer"', 'data-state', 'http-equiv="refresh"', 'data-check'])
      expect(page).not.toContain(text)
  })

  it('lets the payer type the sum, if it has none', async () => {
    const { qrCode } = await makeStatic({ amount: undefined })
    expect(await read(qrCode.payload)).toContain('name="amount"')
    expect((await submit(qrCode.payload, { action: 'pay', amount: 'x' })).status).toBe(422)
    expect((await submit(qrCode.payload, { action: 'pay', amount: '12,34' })).status).toBe(303)
  })

  it('outside of the sandbox leads to the bank, which shows the result', async () => {
    const { qrCode } = await makeStatic()
    const page = await read(qrCode.payload, 'ru', external)
    expect(page).toContain('Результат покажет приложение банка')
    expect(page).not.toContain('<form')
    expect(page).not.toContain('data-again')
  })

  it('is the same for a payer whoever else has paid', async () => {
    const qrCode = await makeStatic()
    const before = await read(qrCode.qrCode.payload)
    const known = await state(qrCode)
    expect(await known.json()).toEqual({ status: 'CREATED' })
    expect((await pay(qrCode)).status).toBe(200)
    await submit(qrCode.qrCode.payload, { action: 'pay' })
    await submit(qrCode.qrCode.payload, { action: 'decline' })
    expect(await read(qrCode.qrCode.payload)).toBe(before)
    const etag = known.headers.get('ETag') ?? ''
    expect((await state(qrCode, { 'If-None-Match': etag })).status).toBe(304)
  })

  it('has a state that nobody waits for: the end of the wait would tell that somebody paid', async () => {
    const qrCode = await makeStatic()
    const etag = (await state(qrCode)).headers.get('ETag') ?? ''
    const response = await state(qrCode, { 'If-None-Match': etag, Prefer: 'wait=60' })
    expect([response.status, response.headers.get('Preference-Applied')]).toEqual([304, null])
  })

  it('shows that the own form declined once', async () => {
    const { payload } = (await makeStatic()).qrCode
    const sent = await submit(payload, { action: 'decline' })
    expect([sent.status, sent.headers.get('Location')]).toEqual([303, new URL(payload).search])
    expect(sent.headers.get('Set-Cookie')).toMatch(
      /^result-AS1000\w{26}=declined; Max-Age=60; HttpOnly; SameSite=Strict$/,
    )
    const shown = await open(payload, { headers: { 'Accept-Language': 'ru', Cookie: cookieOf(sent) } })
    const page = await shown.text()
    for (const text of ['data-result="declined"', 'Оплата не прошла', 'value="pay"'])
      expect(page).toContain(text)
    expect(shown.headers.get('Set-Cookie')).toMatch(/^result-AS1000\w{26}=; Max-Age=0;/)
    expect(await read(payload)).not.toContain('data-result')
  })

  it('says after the cancellation that the code is no longer valid', async () => {
    const qrCode = await makeStatic()
    const before = (await state(qrCode)).headers.get('ETag')
    await call(item(qrCode), { method: 'DELETE' })
    const page = await read(qrCode.qrCode.payload)
    expect(page).toContain('Этот код больше не действует')
    for (const text of ['<form', 'data-state', 'http-equiv="refresh"']) expect(page).not.toContain(text)
    const after = await state(qrCode)
    expect([await after.json(), after.headers.get('ETag') === before]).toEqual([
      { status: 'CANCELLED' },
      false,
    ])
    expect((await submit(qrCode.qrCode.payload, { action: 'pay' })).headers.get('Set-Cookie')).toBeNull()
  })

  it('is found under the type that the link has, and no other', async () => {
    const { payload } = (await makeStatic()).qrCode
    expect((await open(payload.replace('type=01', 'type=02'))).status).toBe(404)
    expect(
      (await open(`${ORIGIN}/pay/demo/${'AS1000'}${'0'.repeat(26)}${new URL(payload).search}`)).status,
    ).toBe(404)
  })
})
