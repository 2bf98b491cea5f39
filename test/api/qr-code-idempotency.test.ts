// A qrCodeUid names one QR code, however often it is sent (contract, sections 3 and 4).
import { abortAllDurableObjects } from 'cloudflare:test'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { formatMinorUnits } from '../../src/contract/amount.ts'
import { qrCodeBody, qrCodeIn } from '../support/client.ts'
import { COLLECTION, call, create, errorOf, serviceWith, tokenOf } from '../support/service.ts'

afterEach(() => vi.useRealTimers())

describe('an identifier is created once', () => {
  const full = {
    qrCode: { type: 'DYNAMIC', ttl: 60, image: { mediaType: 'image/svg+xml', width: 200, height: 200 } },
    amount: { value: 10, currency: 'RUB' },
    paymentPurpose: 'p',
    redirectUrl: 'https://a.example',
    tokenizationPurpose: 't',
    tokenizationAccount: 'a',
    flags: ['CREATE_TOKEN'],
  }

  it('the same request again is answered the same, and says that it was replayed', async () => {
    const body = { qrCodeUid: crypto.randomUUID(), ...full }
    const first = await call(COLLECTION, { body })
    const again = await call(COLLECTION, { body })
    expect(first.headers.has('Idempotent-Replayed')).toBe(false)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(again.headers.get('Location')).toBe(first.headers.get('Location'))
    expect(await again.json()).toEqual(await first.json())
  })

  it.each<[string, Record<string, unknown>]>([
    ['amount as text', { ...full, amount: { value: '10.00', currency: 'RUB' } }],
    ['the default currency left out', { ...full, amount: { value: 10 } }],
    [
      'the height left out of a square',
      { ...full, qrCode: { ...full.qrCode, image: { mediaType: 'image/svg+xml', width: 200 } } },
    ],
    ['a flag twice', { ...full, flags: ['CREATE_TOKEN', 'CREATE_TOKEN'] }],
    ['the fields in another order', Object.fromEntries(Object.entries(full).reverse())],
  ])('is the same request with %s', async (_, body) => {
    const qrCodeUid = crypto.randomUUID()
    await create({ qrCodeUid, ...full })
    const again = await call(COLLECTION, { body: { qrCodeUid, ...body } })
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
  })

  it.each<[string, unknown]>([
    ['without a picture', undefined],
    ['of another media type', { mediaType: 'image/png', width: 200 }],
    ['of another width', { ...full.qrCode.image, width: 240 }],
    ['of another height', { ...full.qrCode.image, height: 100 }],
  ])(
    'is the same request %s: the answer draws what it asks, and the code keeps the first size',
    async (_, image) => {
      const qrCodeUid = crypto.randomUUID()
      const first = await create({ qrCodeUid, ...full })
      const body = { qrCodeUid, ...full, qrCode: { ...full.qrCode, image } }
      const again = await call(COLLECTION, { body })
      expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
      const answer = await qrCodeIn(again)
      // Of another code with the same picture, only the link differs.
      const drawn = (await create({ qrCodeUid: crypto.randomUUID(), ...full, qrCode: body.qrCode })).qrCode
        .image
      const { content, ...shape } = answer.qrCode.image ?? {}
      const { content: _drawn, ...expected } = drawn ?? {}
      expect([shape, content !== undefined]).toEqual([expected, image !== undefined])
      expect({ ...answer, qrCode: { ...answer.qrCode, image: first.qrCode.image } }).toEqual(first)
      const kept = await call(`${COLLECTION}/${qrCodeUid}/image`)
      expect(await kept.text()).toBe(atob(first.qrCode.image?.content ?? ''))
    },
  )

  it('a code that was made without a picture is answered with the one that is asked for', async () => {
    const qrCodeUid = crypto.randomUUID()
    const { image, ...qrCode } = full.qrCode
    await create({ qrCodeUid, ...full, qrCode })
    const answer = await create({ qrCodeUid, ...full })
    expect(answer.qrCode.image).toMatchObject(image)
  })

  it.each<[string[], Record<string, unknown>, Record<string, unknown>?]>([
    [['qrCode.type'], {}, { type: 'TOKEN' }],
    [['qrCode.ttl'], {}, { ttl: 61 }],
    [['qrCode.ttl'], {}, { ttl: 61, image: undefined }],
    [['amount.value'], { amount: { value: 10.01 } }],
    [['amount.value', 'amount.currency'], { amount: undefined }],
    [['paymentPurpose'], { paymentPurpose: 'another purpose' }],
    [['redirectUrl'], { redirectUrl: 'https://a.example/' }],
    [['tokenizationPurpose'], { tokenizationPurpose: undefined }],
    [['tokenizationAccount'], { tokenizationAccount: 'another account' }],
    [['flags'], { flags: [] }],
    [['qrCode.ttl', 'paymentPurpose', 'flags'], { paymentPurpose: undefined, flags: undefined }, { ttl: 61 }],
  ])(
    'with another %j it is refused: cause names what differs, never its value; the first stays',
    async (...row) => {
      const [fields, more, qrCode] = row
      const qrCodeUid = crypto.randomUUID()
      const first = await create({ qrCodeUid, ...full })
      const body = { qrCodeUid, ...full, ...more, qrCode: { ...full.qrCode, ...qrCode } }
      for (const refused of [
        await call(COLLECTION, { body }),
        await call(`${COLLECTION}/${qrCodeUid}`, { method: 'PUT', body }),
      ]) {
        expect(refused.status).toBe(409)
        const { errorCode, cause, description } = await errorOf(refused)
        expect([errorCode, Object.keys(cause ?? {})]).toEqual(['payin.resource.already.exists', fields])
        expect(new Set(Object.values(cause ?? {}).flat())).toEqual(
          new Set(['differs from the first request with this qrCodeUid']),
        )
        expect(description).toBe(`qrCodeUid "${qrCodeUid}" was used for a request with other fields`)
      }
      expect(await create({ qrCodeUid, ...full })).toEqual(first)
    },
  )

  it('where the currency alone differs, cause names it', async () => {
    const service = serviceWith({ settings: { CURRENCIES: 'RUB,USD' } })
    const body = qrCodeBody({ amount: { value: 1, currency: 'USD' } })
    await create(body, {}, service)
    const refused = await call(COLLECTION, { body: { ...body, amount: { value: 1 } } }, service)
    expect(Object.keys((await errorOf(refused)).cause ?? {})).toEqual(['amount.currency'])
  })

  it('byte for byte: what only looks alike is another one', async () => {
    const links = await Promise.all(
      ['é', 'e\u0301', 'É', 'e', ' e', 'e '].map(
        async (qrCodeUid) => (await create(qrCodeBody({ qrCodeUid }))).qrCode.payload,
      ),
    )
    expect(new Set(links).size).toBe(6)
  })

  it('per site', async () => {
    const body = qrCodeBody()
    const token = await tokenOf({ sub: 'other' })
    const mine = await create(body)
    const response = await call('/payin/v1/sites/other/sbp/qrCodes', { body, token })
    expect(response.headers.has('Idempotent-Replayed')).toBe(false)
    expect(await response.json()).not.toEqual(mine)
  })

  it('under 200 simultaneous requests: one creates, all are answered alike', async () => {
    const body = qrCodeBody({ amount: { value: 5 } })
    const responses = await Promise.all(Array.from({ length: 200 }, () => call(COLLECTION, { body })))
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(responses.filter(({ headers }) => !headers.has('Idempotent-Replayed'))).toHaveLength(1)
    const answers = await Promise.all(responses.map((response) => response.text()))
    expect(new Set(answers).size).toBe(1)
  })

  it('under 200 simultaneous requests of two kinds: one creates, those equal to it are replayed, the others refused', async () => {
    const { qrCodeUid } = qrCodeBody()
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const response = await call(COLLECTION, {
          body: qrCodeBody({ qrCodeUid, amount: { value: 1 + (i % 2) } }),
        })
        return response.status
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(100)
    expect(statuses.filter((status) => status === 409)).toHaveLength(100)
  })

  it('and a restart of the object changes nothing', async () => {
    const body = qrCodeBody()
    const before = await create(body)
    await abortAllDurableObjects()
    const response = await call(COLLECTION, { body })
    expect(response.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await response.json()).toEqual(before)
  })

  it('whatever the settings become: the link stays as it was issued', async () => {
    const body = qrCodeBody()
    const { qrCode } = await create(body)
    const moved = serviceWith({ settings: { LINK_BASE_URL: 'https://qr.nspk.ru' } })
    expect((await create(body, {}, moved)).qrCode.payload).toBe(qrCode.payload)
  })

  it('canonically equal requests replay', async () => {
    const amount = fc.integer({ min: 1, max: 99_999_999_999 })
    const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((value) => value.isWellFormed())
    const generated = fc.record({
      minorUnits: fc.option(amount),
      purpose: fc.option(text),
      ttl: fc.option(fc.integer({ min: 1, max: 129_600 })),
      side: fc.option(fc.integer({ min: 100, max: 200 })),
      token: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(generated, async ({ minorUnits, purpose, ttl, side, token }) => {
        const { qrCodeUid } = qrCodeBody()
        const terse = qrCodeBody(
          {
            qrCodeUid,
            ...(minorUnits !== null && { amount: { value: Number(formatMinorUnits(minorUnits)) } }),
            ...(purpose !== null && { paymentPurpose: purpose }),
            ...(token && { flags: ['CREATE_TOKEN'] }),
          },
          { ...(ttl !== null && { ttl }), ...(side !== null && { image: { width: side } }) },
        )
        const verbose = qrCodeBody(
          {
            flags: token ? ['CREATE_TOKEN', 'CREATE_TOKEN'] : null,
            paymentPurpose: purpose,
            amount: minorUnits === null ? null : { currency: 'RUB', value: formatMinorUnits(minorUnits) },
            qrCodeUid,
          },
          {
            image: side === null ? null : { height: side, width: side, mediaType: 'image/png' },
            ttl: ttl ?? (token ? 10 : 4320),
          },
        )
        const first = await create(terse)
        const again = await call(COLLECTION, { body: verbose })
        expect(again.headers.get('Idempotent-Replayed')).toBe('true')
        expect(await again.json()).toEqual(first)
      }),
      { numRuns: 50 },
    )
  })
})
