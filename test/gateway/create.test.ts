import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { COLLECTION, call, errorOf, qrCodeBody, serviceWith, siteThat, tokenOf } from '../support/service.ts'

describe('creations that share a call', () => {
  it('fail alone where one of them is at fault, in the books too', async () => {
    const site = env.SITES.getByName('shared')
    const creation = (qrCodeUid: string, ttl: number) => ({
      order: { qrCodeUid, type: 'DYNAMIC', ttl, createToken: false } as const,
      payload: `https://qr.nspk.ru/${qrCodeUid.padStart(32, '0')}?`,
    })
    // A column of whole numbers takes no half.
    const outcomes = await site.create([creation('a', 1), creation('b', 0.5), creation('c', 1)])
    expect(outcomes.map((outcome) => outcome instanceof Error)).toEqual([false, true, false])
    const page = await site.list({ limit: 10 })
    expect(page.ok && page.value.qrCodes.map(({ qrCodeUid }) => qrCodeUid)).toEqual(['c', 'a'])
  })

  it('have each a link to where its own request came to', async () => {
    const service = serviceWith({})
    const token = await tokenOf()
    const origins = ['http://a.test', 'http://b.test', 'http://c.test']
    const payloads = await Promise.all(
      origins.map(async (origin) => {
        const response = await service(
          new Request(origin + COLLECTION, {
            method: 'POST',
            headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
            body: JSON.stringify(qrCodeBody()),
          }),
        )
        return (await response.json<{ qrCode: { payload: string } }>()).qrCode.payload
      }),
    )
    expect(payloads.map((payload) => new URL(payload).origin)).toEqual(origins)
  })

  it('are 503 where the site does not answer in time', async () => {
    const service = serviceWith({
      site: () => siteThat(() => new Promise<never>(() => {})),
      sleep: () => scheduler.wait(0),
      waitUntil: () => {},
    })
    // Some of them lead, and wait for ever as one alone would; the others share.
    const response = await Promise.race(
      Array.from({ length: 20 }, () => call(COLLECTION, { body: qrCodeBody() }, service)),
    )
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])
    expect((await errorOf(response)).description).toContain('did not answer in time')
  })

  it('are answered each by what became of it: made, replayed, refused or failed', async () => {
    const held = Promise.withResolvers<void>()
    const demo = env.SITES.getByName('demo')
    const sizes: number[] = []
    const service = serviceWith({
      site: () => ({
        ...siteThat(() => Promise.reject(new Error('not asked for'))),
        async create(creations) {
          sizes.push(creations.length)
          if (sizes.length === 1) await held.promise
          const outcomes = await demo.create(creations)
          const faulty = creations.findIndex(({ order }) => order.paymentPurpose === 'to fail')
          return faulty < 0 ? outcomes : outcomes.with(faulty, new Error('a fault of its own'))
        },
      }),
    })
    const send = (body: object) => call(COLLECTION, { body }, service)
    const first = qrCodeBody()
    const waiting = [
      send(qrCodeBody()),
      send(first),
      send(first),
      send({ ...first, paymentPurpose: 'another' }),
    ]
    waiting.push(send(qrCodeBody({ paymentPurpose: 'to fail' })), send(qrCodeBody()))
    await scheduler.wait(0)
    held.resolve()
    const answers = await Promise.all(waiting)
    expect(sizes).toEqual([1, 5])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 409, 500, 200])
    expect(answers.map(({ headers }) => headers.get('Idempotent-Replayed'))).toEqual([
      null,
      null,
      'true',
      null,
      null,
      null,
    ])
    const [, , , refused, failed] = answers
    if (!refused || !failed) throw new Error('answers are missing')
    expect((await errorOf(refused)).errorCode).toBe('payin.resource.already.exists')
    expect(JSON.stringify(await errorOf(failed))).not.toContain('of its own')
  })
})
