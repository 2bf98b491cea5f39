// The payer's page in the sandbox: the buttons of the bank that it simulates.
import { describe, expect, it } from 'vitest'
import { EventsAnswer } from '../../src/contract/event.ts'
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { qrCodeBody } from '../support/client.ts'
import { amount, external, INTO, item, made, read, statusOf, submit } from '../support/payer.ts'
import { call, create, sandbox } from '../support/service.ts'
import { strict } from '../support/strict.ts'

describe('the sandbox bank', () => {
  it.each([
    ['ru', 'DYNAMIC', /<li>Нажмите «([^»]+)»: /],
    ['ru', 'TOKEN', /<li>Нажмите «([^»]+)»: /],
    ['en', 'DYNAMIC', /<li>Press “([^”]+)”: /],
    ['en', 'TOKEN', /<li>Press “([^”]+)”: /],
  ] as const)(
    'in %s, the page of type %s says which button to press, and no camera',
    async (language, type, step) => {
      const body = qrCodeBody(type === 'TOKEN' ? { tokenizationPurpose: 'Tea' } : { amount }, { type })
      const page = await read((await create(body, {}, sandbox)).qrCode.payload, language)
      const [, button = ''] = step.exec(page) ?? []
      expect(page).toContain(`value="pay">${button}</button>`)
      expect(page).not.toMatch(/камер|camera/i)
    },
  )

  it('pays and declines by the path of the network’s report, and leads back to the page', async () => {
    const made1 = await made()
    const link = made1.qrCode.payload
    for (const [action, status] of [
      ['decline', 'DECLINED'],
      ['decline', 'DECLINED'],
      ['pay', 'PAYED'],
      ['pay', 'PAYED'],
      ['decline', 'PAYED'],
    ] as const) {
      const response = await submit(link, { action })
      expect(response.status).toBe(303)
      expect(new URL(response.headers.get('Location') ?? '', link).href).toBe(link)
      expect(await statusOf(made1)).toBe(status)
    }
    const { events } = strict(EventsAnswer).parse(await (await call(`${item(made1)}/events`)).json())
    expect(events.map(({ by }) => by)).toEqual([
      { actor: 'merchant', keyId: 'test' },
      { actor: 'payer' },
      { actor: 'payer' },
      { actor: 'payer' },
    ])
  })

  it.each(['PAYED', 'EXPIRED', 'CANCELLED'])(
    'does nothing by the buttons of an old page, when the QR code is %s',
    async (status) => {
      const qrCode = await made()
      await INTO[status]?.(qrCode)
      const events = async () => (await call(`${item(qrCode)}/events`)).text()
      const before = await events()
      for (const action of ['pay', 'decline']) {
        expect((await submit(qrCode.qrCode.payload, { action })).status).toBe(303)
      }
      expect(await events()).toBe(before)
    },
  )

  it.each([
    ['pay', 'ACCEPTED', 'CREATED'],
    ['decline', 'DECLINED', 'REJECTED'],
  ])('for an account binding: %s makes it %s', async (action, status, token) => {
    const qrCode = await made({}, { type: 'TOKEN' })
    expect(await read(qrCode.qrCode.payload, 'en')).toMatch(/Simulate consent[\s\S]*Simulate a decline/)
    expect((await submit(qrCode.qrCode.payload, { action })).status).toBe(303)
    expect(await (await call(item(qrCode))).json()).toMatchObject({
      qrCode: { status },
      token: { status: token },
    })
    const { events } = await (await call(`${item(qrCode)}/events`)).json<{ events: { by: object }[] }>()
    expect(events.at(-1)?.by).toEqual({ actor: 'payer' })
  })

  it.each([
    ['decline', 'You cancelled the payment'],
    ['decline-by-bank', 'The payment did not go through'],
  ])('declines as the customer, or as the bank: %s', async (action, title) => {
    const qrCode = await made()
    expect((await submit(qrCode.qrCode.payload, { action })).status).toBe(303)
    expect(await read(qrCode.qrCode.payload, 'en')).toContain(`<strong>${title}</strong>`)
    expect(await statusOf(qrCode)).toBe('DECLINED')
  })

  it('rejects a binding of one QR code 20 times a minute at most', async () => {
    const [qrCode, other] = [await made({}, { type: 'TOKEN' }), await made({}, { type: 'TOKEN' })]
    const reject = ({ qrCode: { payload } } = qrCode) => submit(payload, { action: 'decline' })
    for (let n = 0; n < 20; n++) expect((await reject()).status).toBe(303)
    expect((await reject()).status).toBe(429)
    expect((await reject(other)).status).toBe(303)
  })

  it.each([
    [{ remember: 'on' }, 'CREATED'],
    [{}, 'REJECTED'],
  ])('remembers the account where the box is ticked: %j', async (ticked, token) => {
    const qrCode = await made({ flags: ['CREATE_TOKEN'] })
    expect(await read(qrCode.qrCode.payload, 'en')).toMatch(
      /The shop asks to remember your account[\s\S]*type="checkbox" name="remember"> Simulate consent/,
    )
    await submit(qrCode.qrCode.payload, { action: 'pay', ...ticked })
    expect(await (await call(item(qrCode))).json()).toMatchObject({
      qrCode: { status: 'PAYED' },
      token: { status: token },
    })
  })

  it.each(['150', '150,5', '150.50', '1 500,00', '1 500', '0,01', '999999999,99'])(
    'takes the sum %j where the link has none',
    async (typed) => {
      const qrCode = await made({ amount: undefined })
      expect(await read(qrCode.qrCode.payload)).toContain('name="amount"')
      expect((await submit(qrCode.qrCode.payload, { action: 'pay', amount: typed })).status).toBe(303)
      expect(await statusOf(qrCode)).toBe('PAYED')
    },
  )

  it('gives a receipt: the sum, also where the payer typed it, the time and the number of the operation', async () => {
    const qrCode = await made({ amount: undefined })
    await submit(qrCode.qrCode.payload, { action: 'pay', amount: '1234,56' })
    const { payment } = (await (await call(item(qrCode))).json()) as QrCodeAnswer
    const page = (await read(qrCode.qrCode.payload, 'en')).replaceAll(/\s/gu, ' ')
    expect(page).toContain('₽1,234.56')
    expect(page).toContain(`<dt>Payment reference</dt><dd><bdi>${payment?.paymentUid}</bdi></dd>`)
    const [, time] = /T([\d:]{8})/.exec(payment?.dateTime ?? '') ?? []
    expect(page).toMatch(new RegExp(`<dt>Date and time</dt><dd><bdi>\\d+ \\w+ \\d{4}, ${time} MSK`))
    expect(page).toContain('data-print')
  })

  it('says that it simulates', async () => {
    const { qrCode } = await made()
    expect(await read(qrCode.payload, 'ru')).toMatch(/Имитировать оплату[\s\S]*Имитировать отказ/)
    expect(await read(qrCode.payload, 'en')).toMatch(/Simulate payment[\s\S]*Simulate a decline/)
  })

  it.each(['', '0', '-1', '1,005', '1e3', '1.500,00', 'сто', '1000000000', '"><script>'])(
    'says what a sum is where %j is typed, and keeps it',
    async (typed) => {
      const qrCode = await made({ amount: undefined })
      const response = await submit(qrCode.qrCode.payload, { action: 'pay', amount: typed })
      expect(response.status).toBe(422)
      const page = await response.text()
      expect(page).toContain('Введите сумму от 0,01')
      expect(page).toContain(
        `value="${typed.replace('">', '&quot;&gt;').replace('<script>', '&lt;script&gt;')}"`,
      )
      expect(await statusOf(qrCode)).toBe('CREATED')
    },
  )

  it('asks for no sum where the link has one, and ignores a sum that is sent', async () => {
    const qrCode = await made()
    expect(await read(qrCode.qrCode.payload)).not.toContain('name="amount"')
    await submit(qrCode.qrCode.payload, { action: 'pay', amount: '1' })
    expect(await statusOf(qrCode)).toBe('PAYED')
  })

  it('with a field for the sum is not refreshed, so that what the payer types is not lost', async () => {
    expect(await read((await made({ amount: undefined })).qrCode.payload)).not.toContain('http-equiv')
  })

  it('takes a form of 4 KiB, and refuses one of one byte more', async () => {
    const { qrCode } = await made()
    const rest = 'action=pay&amount='.length
    const ofSize = (bytes: number) =>
      submit(qrCode.payload, { action: 'pay', amount: '1'.repeat(bytes - rest) })
    expect((await ofSize(4097)).status).toBe(413)
    expect((await ofSize(4096)).status).toBe(303)
  })

  it('does not exist outside the sandbox', async () => {
    const qrCode = await made()
    const page = await read(qrCode.qrCode.payload, 'ru', external)
    expect(page).not.toMatch(/<form|Тестовый стенд/)
    expect(page).toContain('>Проверить оплату<')
    expect((await submit(qrCode.qrCode.payload, { action: 'pay' }, external)).status).toBe(405)
    expect(await statusOf(qrCode)).toBe('CREATED')
  })
})
