// QR codes whose links a bank makes, through the connector, when they are created (contract, section 14).
import { describe, expect, it, vi } from 'vitest'
import { decodePng } from '../qr/png-reader.ts'
import { read } from '../qr/reading.ts'
import { type Answer, bankSite, linkOf, willing } from '../support/bank-links.ts'
import { qrCodeBody, qrCodeIn } from '../support/client.ts'
import { operator } from '../support/operator.ts'
import { open } from '../support/payer.ts'
import { errorOf } from '../support/service.ts'

const AMOUNT = { value: '5.00', currency: 'RUB' }

/** An answer to each registration; other messages are taken. */
const registering =
  (answer: (key: string) => Response | Error | Promise<Response | Error>): Answer =>
  (asked) =>
    asked.type === 'qrCode.register' ? answer(`${asked.data.key}`) : new Response(null, { status: 204 })
const giving = (body: (key: string) => unknown): Answer => registering((key) => Response.json(body(key)))

const list = async (site: ReturnType<typeof bankSite>) =>
  (await (await site.ask('/sbp/qrCodes')).json()) as { qrCodes: unknown[] }
const events = async (site: ReturnType<typeof bankSite>) =>
  ((await (await site.ask('/events')).json()) as { events: { type: string }[] }).events.map(
    ({ type }) => type,
  )

/** The lines of the log with a message, whose shape all lines have. */
const warningsOf = ({ logged, siteId }: ReturnType<typeof bankSite>, message: string) => {
  const lines: { message?: string }[] = logged.map((line) => JSON.parse(line))
  const shape = { time: expect.stringMatching(/^\d{4}-.*Z$/), level: 'warning', message, site: siteId }
  const found = lines.filter((line) => line.message === message)
  expect(found).toMatchObject(found.map(() => shape))
  return found.length
}

describe('a create', () => {
  it('asks the connector for the link once, with all that a bank needs, and answers it', async () => {
    const site = bankSite()
    const { answer } = await site.make(
      { paymentPurpose: 'Чай', redirectUrl: 'https://shop.example/', flags: ['CREATE_TOKEN'] },
      { ttl: 60 },
    )
    expect(site.asked).toEqual([
      {
        id: expect.stringMatching(/^qrCode\.register:[A-Z0-9]{32}$/),
        type: 'qrCode.register',
        timestamp: expect.any(String),
        data: {
          siteId: site.siteId,
          key: expect.stringMatching(/^[A-Z0-9]{32}$/),
          type: 'DYNAMIC',
          flags: ['CREATE_TOKEN'],
          ttl: 60,
          expiresOn: expect.stringMatching(/\+03:00$/),
          amount: AMOUNT,
          paymentPurpose: 'Чай',
          redirectUrl: 'https://shop.example/',
          // By default, the name of the site.
          tokenizationPurpose: site.siteId,
        },
      },
    ])
    const [asked] = site.asked
    expect(Date.parse(`${asked?.data.expiresOn}`) - Date.parse(asked?.timestamp ?? '')).toBe(3_600_000)
    expect(answer.qrCode.payload).toBe(linkOf(asked?.data.key))
    expect(answer.qrCode.status).toBe('CREATED')
    // The payer's page has an id of this service.
    expect(answer.pageUrl).toMatch(
      /\/pay\/[^/]+\/AD1P00[0-9A-V]{26}\?type=02&bank=\d{12}&sum=500&cur=RUB&crc=[0-9A-F]{4}$/,
    )
  })

  it('leaves out what the merchant did not say', async () => {
    const site = bankSite()
    await site.make({ amount: undefined })
    expect(Object.keys(site.asked[0]?.data ?? {}).sort()).toEqual([
      'expiresOn',
      'key',
      'siteId',
      'ttl',
      'type',
    ])
  })

  it('is replayed without asking the bank, also where its other fields differ', async () => {
    const site = bankSite()
    const body = qrCodeBody({ amount: { value: 5 } })
    const first = await qrCodeIn(await site.ask('/sbp/qrCodes', { body }))
    const again = await site.ask('/sbp/qrCodes', { body })
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await qrCodeIn(again)).toEqual(first)
    const other = await site.ask('/sbp/qrCodes', { body: { ...body, amount: { value: 6 } } })
    expect([other.status, Object.keys((await errorOf(other)).cause ?? {})]).toEqual([409, ['amount.value']])
    const pictured = { ...body, qrCode: { ...body.qrCode, image: { width: 200 } } }
    const drawn = await qrCodeIn(await site.ask('/sbp/qrCodes', { body: pictured }))
    expect(drawn.qrCode).toMatchObject({ ...first.qrCode, image: { width: 200, height: 200 } })
    expect(site.asked).toHaveLength(1)
  })

  it('has the same key for the same request, and another for each other meaning and site', async () => {
    const refusing = bankSite(registering(() => new Response(null, { status: 500 })))
    const keyFor = async (site: ReturnType<typeof bankSite>, body: object) => {
      await site.ask('/sbp/qrCodes', { body })
      return site.asked.at(-1)?.data.key
    }
    const body = { qrCodeUid: 'a', qrCode: { type: 'DYNAMIC' }, amount: { value: 5 } }
    const key = await keyFor(refusing, body)
    const meanings = [
      { ...body, qrCodeUid: 'b' },
      { ...body, qrCode: { type: 'DYNAMIC', ttl: 5 } },
      { ...body, qrCode: { type: 'TOKEN' } },
      { ...body, amount: { value: 5.01 } },
      { ...body, paymentPurpose: 'x' },
      { ...body, redirectUrl: 'https://shop.example/' },
      { ...body, flags: ['CREATE_TOKEN'] },
      { ...body, tokenizationPurpose: 'x' },
      { ...body, tokenizationAccount: 'x' },
    ]
    // A default that is said is the same request, and so is one with a picture, whatever its size.
    for (const qrCode of [{ ttl: 4320 }, { image: {} }, { image: { width: 200 } }])
      expect(await keyFor(refusing, { ...body, qrCode: { type: 'DYNAMIC', ...qrCode } })).toBe(key)
    const keys = [key]
    for (const meaning of meanings) keys.push(await keyFor(refusing, meaning))
    keys.push(await keyFor(bankSite(registering(() => new Response(null, { status: 500 }))), body))
    expect(new Set(keys).size).toBe(meanings.length + 2)
  })

  it('has the earlier end of the bank, in the answer, the page’s clock and the expiry', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') })
    try {
      const site = bankSite(
        giving((key) => ({ payload: linkOf(key), expiresOn: '2026-11-20T12:05:00.900Z' })),
      )
      const { qrCodeUid, answer } = await site.make({}, { ttl: 60 })
      expect([answer.expiresOn, answer.qrCode.ttl]).toEqual(['2026-11-20T15:05:00+03:00', 60])
      vi.setSystemTime(Date.parse('2026-11-20T12:04:59Z'))
      expect((await list(site)).qrCodes).toMatchObject([{ qrCode: { status: 'CREATED' } }])
      vi.setSystemTime(Date.parse('2026-11-20T12:05:00Z'))
      const read = await site.read(qrCodeUid)
      expect(read.qrCode.status).toBe('EXPIRED')
      for (const [status, count] of [
        ['EXPIRED', 1],
        ['CREATED', 0],
      ]) {
        const page = await (await site.ask(`/sbp/qrCodes?status=${status}`)).json()
        expect(page).toMatchObject({ qrCodes: { length: count } })
      }
      expect(await events(site)).toEqual(['qrCode.created', 'qrCode.expired'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('has its own end where the bank’s is later', async () => {
    const site = bankSite(giving((key) => ({ payload: linkOf(key), expiresOn: '2100-01-01T00:00:00Z' })))
    const { answer } = await site.make({}, { ttl: 1 })
    expect(Date.parse(answer.expiresOn ?? '') - Date.parse(answer.createdOn)).toBe(60_000)
  })

  it('warns of a wrong crc and takes the link, because test systems of banks send a constant', async () => {
    const site = bankSite()
    await site.make()
    expect(warningsOf(site, 'the link of a bank has a wrong crc')).toBe(1)
  })

  it.each([
    ['a link without a query', () => ({ payload: 'https://bank.example/pay/a.b_C-9' }), 'a.b_C-9'],
    ['a qrcId of the bank', (key: string) => ({ payload: linkOf(key), qrcId: 'q-1' }), 'q-1'],
    [
      'the sum and currency of the request',
      () => ({ payload: 'https://qr.nspk.ru/q-2?sum=500&cur=RUB' }),
      'q-2',
    ],
    ['a link of 512 characters', () => ({ payload: `https://bank.example/q-3?x=`.padEnd(512, 'x') }), 'q-3'],
  ])('takes %s: the network names it by its qrcId', async (_, body, qrcId) => {
    const site = bankSite(giving(body))
    const { qrCodeUid, answer } = await site.make({}, { image: { mediaType: 'image/svg+xml' } })
    expect(answer.qrCode.image?.content).not.toBe('')
    expect((await site.report(qrcId, 'p-1')).status).toBe(200)
    const read = await site.read(qrCodeUid)
    expect(read.qrCode).toMatchObject({ status: 'PAYED', payload: answer.qrCode.payload })
  })
})

describe('the link of a bank', () => {
  it.each([
    ['another host', 'https://upk.nspk.ru/{key}?type=02&bank=100000000001&sum=500&cur=RUB&crc=0000'],
    ['a host below that', 'https://a.b.nspk.ru/{key}?type=02&crc=0000'],
    ['another type', 'https://qr.nspk.ru/{key}?type=07&bank=100000000001&crc=0000'],
    ['an unknown parameter', 'https://qr.nspk.ru/{key}?type=02&sum=500&cur=RUB&wallet=dr&crc=0000'],
    ['one behind its crc, with capitals', 'https://QR.nspk.ru/{key}?type=02&crc=00ff&Ways=SBP%2CDR&ways='],
  ])('with %s is kept as given, in answers, the picture and the page', async (_, given) => {
    const payloadOf = (key: unknown) => given.replace('{key}', `${key}`)
    const site = bankSite(giving((key) => ({ payload: payloadOf(key) })))
    const { qrCodeUid, answer } = await site.make({}, { image: { width: 600 } })
    const payload = payloadOf(site.asked[0]?.data.key)
    expect(answer.qrCode.payload).toBe(payload)
    expect((await site.read(qrCodeUid)).qrCode.payload).toBe(payload)
    const png = Uint8Array.fromBase64(answer.qrCode.image?.content ?? '')
    expect(read(decodePng(png))).toEqual({ jsqr: payload, qr: payload })
    const page = await (await open(answer.pageUrl, {}, site.service)).text()
    expect(page).toContain(`href="${payload.replaceAll('&', '&amp;')}"`)
  })
})

describe('a create that gets no link', () => {
  const NO_LINKS: readonly [string, Answer][] = [
    ['a 500', registering(() => new Response(null, { status: 500 }))],
    ['a 204', registering(() => new Response(null, { status: 204 }))],
    ['a 404', registering(() => Response.json({ payload: linkOf('x') }, { status: 404 }))],
    ['a redirect', registering(() => Response.redirect('https://other.example/', 307))],
    ['no connection', registering(() => new Error('refused'))],
    ['a body that is not JSON', registering(() => new Response('OK'))],
    ['a body that is null', giving(() => null)],
    ['no payload', giving(() => ({}))],
    ['a payload over http', giving(() => ({ payload: 'http://qr.nspk.ru/a' }))],
    ['a payload with a space', giving(() => ({ payload: 'https://qr.nspk.ru/a b' }))],
    ['a payload with a letter beyond ASCII', giving(() => ({ payload: 'https://qr.nspk.ru/ф' }))],
    ['a payload without a host', giving(() => ({ payload: 'https://?a' }))],
    ['a payload of 513 characters', giving(() => ({ payload: 'https://qr.nspk.ru/a?'.padEnd(513, 'x') }))],
    ['a payload without an id', giving(() => ({ payload: 'https://qr.nspk.ru/?type=02' }))],
    ['an id of the wrong form', giving((key) => ({ payload: linkOf(key), qrcId: 'a b' }))],
    ['an id that is too long', giving((key) => ({ payload: linkOf(key), qrcId: 'a'.repeat(65) }))],
    ['an id that is a number', giving((key) => ({ payload: linkOf(key), qrcId: 1 }))],
    ['another sum', giving((key) => ({ payload: `https://qr.nspk.ru/${key}?sum=501&cur=RUB` }))],
    ['another currency', giving((key) => ({ payload: `https://qr.nspk.ru/${key}?sum=500&cur=USD` }))],
    ['a reference that is too long', giving((key) => ({ payload: linkOf(key), reference: 'x'.repeat(201) }))],
    ['an end that is no date', giving((key) => ({ payload: linkOf(key), expiresOn: 'tomorrow' }))],
    [
      'an end that has passed',
      giving((key) => ({ payload: linkOf(key), expiresOn: '2020-01-01T00:00:00Z' })),
    ],
  ]

  it.each(NO_LINKS)('because of %s is 503, stores nothing, and can be sent again', async (_, answer) => {
    let isUp = false
    const site = bankSite((asked) => (isUp ? willing(asked) : answer(asked)))
    const body = qrCodeBody({ amount: { value: 5 } })
    const response = await site.ask('/sbp/qrCodes', { body })
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
    expect((await errorOf(response)).errorCode).toBe('network.unavailable')
    expect(await list(site)).toEqual({ qrCodes: [] })
    expect(await events(site)).toEqual([])
    expect(warningsOf(site, 'the connector gave no link')).toBe(1)
    isUp = true
    const again = await site.ask('/sbp/qrCodes', { body })
    expect(again.headers.get('Idempotent-Replayed')).toBeNull()
    expect((await qrCodeIn(again)).qrCode.status).toBe('CREATED')
    expect(new Set(site.asked.map(({ data }) => data.key)).size).toBe(1)
  })

  it.each([
    [{ description: 'T-Bank takes at least 10 RUB' }, 'T-Bank takes at least 10 RUB'],
    [{ description: 'x'.repeat(300) }, 'x'.repeat(300)],
    [{ description: 'x'.repeat(301) }, 'the bank refuses this QR code'],
    [{ description: '' }, 'the bank refuses this QR code'],
    [{ description: 1 }, 'the bank refuses this QR code'],
    ['no', 'the bank refuses this QR code'],
  ])('because the bank refuses it with %j is 409 and stores nothing', async (body, description) => {
    const site = bankSite(registering(() => Response.json(body, { status: 422 })))
    const response = await site.create()
    const error = await errorOf(response)
    expect([response.status, error.errorCode, error.description]).toEqual([
      409,
      'network.refused',
      description,
    ])
    expect(await list(site)).toEqual({ qrCodes: [] })
  })

  it('because another QR code has the link is 503, and the link is not cancelled', async () => {
    const site = bankSite(giving(() => ({ payload: 'https://qr.nspk.ru/the-same' })))
    await site.make()
    const response = await site.create()
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([503, 'network.unavailable'])
    expect((await list(site)).qrCodes).toHaveLength(1)
    expect(site.askedFor('qrCode.cancel')).toEqual([])
  })

  it('never names the secret or the link in the log', async () => {
    const site = bankSite(giving((key) => ({ payload: linkOf(key), expiresOn: 'tomorrow' })))
    await site.create()
    expect(site.logged.join()).not.toMatch(/whsec_|qr\.nspk\.ru/)
  })
})

describe('two requests of one qrCodeUid', () => {
  /** Answers the registrations when as many have come, so that all creates are on their way. */
  function together(count: number, payload: (key: string, index: number) => string) {
    const { promise, resolve } = Promise.withResolvers<void>()
    let came = 0
    return registering(async (key) => {
      const index = came++
      if (came === count) resolve()
      await promise
      return Response.json({ payload: payload(key, index) })
    })
  }

  it('that are the same are one QR code and a replay, and its link is not cancelled', async () => {
    const site = bankSite(together(2, linkOf))
    const body = qrCodeBody()
    const responses = await Promise.all([1, 2].map(() => site.ask('/sbp/qrCodes', { body })))
    expect(responses.map(({ headers }) => headers.get('Idempotent-Replayed')).sort()).toEqual([null, 'true'])
    const [first, second] = await Promise.all(responses.map(qrCodeIn))
    expect(first).toEqual(second)
    expect(site.askedFor('qrCode.cancel')).toEqual([])
  })

  it('that got two links are one QR code, and the link that was registered in vain is cancelled once', async () => {
    const site = bankSite(together(2, (key, index) => linkOf(`${key}-${index}`)))
    const body = qrCodeBody()
    const responses = await Promise.all([1, 2].map(() => site.ask('/sbp/qrCodes', { body })))
    const [first, second] = await Promise.all(responses.map(qrCodeIn))
    expect(first).toEqual(second)
    await vi.waitFor(() => expect(site.askedFor('qrCode.cancel')).toHaveLength(1), 30_000)
    const [cancel] = site.askedFor('qrCode.cancel')
    const kept = new URL(first?.qrCode.payload ?? '').pathname.slice(1)
    expect(cancel?.data.qrcId).toMatch(/^[A-Z0-9]{32}-[01]$/)
    expect(cancel?.data.qrcId).not.toBe(kept)
    expect(cancel?.id).toMatch(/^qrCode\.cancel:[A-Z0-9]{32}$/)
  })

  it('that are the same, and between which the site is deleted, leave the QR code its link: it can be restored', async () => {
    const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let came = 0
    const site = bankSite(
      registering(async (key) => {
        await answers[came++]?.promise
        return Response.json({ payload: linkOf(key) })
      }),
      { DELETION_DAYS: '7' },
    )
    const { siteId, service } = site
    const body = qrCodeBody()
    const responses = [1, 2].map(() => site.ask('/sbp/qrCodes', { body }))
    await vi.waitFor(() => expect(came).toBe(2), 30_000)
    answers[0]?.resolve()
    expect((await Promise.race(responses)).status).toBe(200)
    const deletion = { method: 'DELETE', body: { siteId, force: true } }
    expect((await operator(`/${siteId}`, deletion, service)).status).toBe(202)
    answers[1]?.resolve()
    const statuses = (await Promise.all(responses)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 410])
    expect((await operator(`/${siteId}/restore`, { method: 'POST' }, service)).status).toBe(200)
    expect((await site.read(body.qrCodeUid)).qrCode.status).toBe('CREATED')
    expect(site.askedFor('qrCode.cancel')).toEqual([])
  })

  it('with other fields are one QR code and a 409, whose link is cancelled', async () => {
    const site = bankSite(together(2, linkOf))
    const responses = await Promise.all(
      [5, 6].map((value) => site.create({ qrCodeUid: 'a', amount: { value } })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    await vi.waitFor(() => expect(site.askedFor('qrCode.cancel')).toHaveLength(1), 30_000)
    expect((await list(site)).qrCodes).toHaveLength(1)
  })
})

it('with LINKS=own asks nobody, and reports by the network find the QR code as ever', async () => {
  const site = bankSite(willing, { LINKS: 'own' })
  const { linkId } = await site.make()
  expect((await site.report(linkId, 'p-1')).status).toBe(200)
  expect(site.asked).toEqual([])
})

it('a site whose links a bank made is not deleted while they can be paid, and the refusal says what force would leave', async () => {
  const site = bankSite()
  const { qrCodeUid } = await site.make({ amount: undefined }, { type: 'STATIC', ttl: undefined })
  const remove = () =>
    operator(`/${site.siteId}`, { method: 'DELETE', body: { siteId: site.siteId } }, site.service)
  const { errorCode, description } = await errorOf(await remove())
  expect(errorCode).toBe('payin.incorrect-method-invocation')
  expect(description).toBe(
    'the site has QR codes that can be paid and links at a bank, which force does not cancel, must have none, or send force',
  )
  await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
  // The bank has not been told yet.
  expect((await errorOf(await remove())).description).toContain('instructions that are pending')
})
