import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/gateway/site-client.ts'
import { qrCodeBody } from '../support/client.ts'
import { COLLECTION, call, errorOf, serviceWith, siteWith, tokenOf } from '../support/service.ts'
import { creation, inNewSite, MERCHANT } from '../support/site.ts'

describe('creates at once', () => {
  it('fail alone where one of them fails, in the database too', () =>
    inNewSite(async (_, site) => {
      // A STRICT column of integers refuses a fraction.
      const creations = [creation('a'), creation('b', { ttl: 0.5 }), creation('c')]
      const outcomes = await Promise.allSettled(creations.map((each) => site.create(each)))
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      const { qrCodes } = unwrap(await site.list(MERCHANT, { limit: 10 }))
      expect(qrCodes.map(({ qrCodeUid }) => qrCodeUid)).toEqual(['c', 'a'])
      const { events } = unwrap(await site.feed(MERCHANT, { limit: 10 })).value
      expect(events.map(({ number, qrCodeUid }) => [number, qrCodeUid])).toEqual([
        [1, 'a'],
        [2, 'c'],
      ])
    }))

  it('each have a link to the origin of its own request', async () => {
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

  it('are answered each by its own outcome: created, replayed, refused or failed', async () => {
    const demo = env.SITES.getByName('demo')
    const service = serviceWith({
      site: () =>
        siteWith({
          create: async (each) =>
            each.spec.paymentPurpose === 'to fail'
              ? Promise.reject(new Error('of its own'))
              : demo.create(each),
        }),
    })
    const send = (body: object) => call(COLLECTION, { body }, service)
    const first = qrCodeBody()
    const answers = await Promise.all([
      send(qrCodeBody()),
      send(first),
      send(first),
      send({ ...first, paymentPurpose: 'another' }),
      send(qrCodeBody({ paymentPurpose: 'to fail' })),
      send(qrCodeBody()),
    ])
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
