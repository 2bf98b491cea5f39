import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { unwrap } from '../../src/gateway/site-client.ts'
import { qrCodeBody } from '../support/client.ts'
import { COLLECTION, call, errorOf, serviceWith, siteThat, tokenOf } from '../support/service.ts'
import { creation, MERCHANT } from '../support/site.ts'

const FAILURE = {
  ok: false,
  code: 'internal.error',
  description: 'the service failed',
  fault: 'a fault of its own',
} as const

describe('creations in one batch', () => {
  it('fail alone where one of them fails, in the database too', async () => {
    const site = env.SITES.getByName('batch')
    // A STRICT column of integers refuses a fraction.
    const outcomes = await site.create([creation('a'), creation('b', { ttl: 0.5 }), creation('c')])
    expect(unwrap(outcomes).map((outcome) => (outcome.ok ? 'created' : outcome.code))).toEqual([
      'created',
      'internal.error',
      'created',
    ])
    const { qrCodes } = unwrap(await site.list(MERCHANT, { limit: 10 }))
    expect(qrCodes.map(({ qrCodeUid }) => qrCodeUid)).toEqual(['c', 'a'])
    const { events } = unwrap(await site.feed(MERCHANT, { limit: 10 })).value
    expect(events.map(({ number, qrCodeUid }) => [number, qrCodeUid])).toEqual([
      [1, 'a'],
      [2, 'c'],
    ])
  })

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

  it('are 503 where the site does not answer in time', async () => {
    const service = serviceWith({
      site: () => siteThat(() => new Promise<never>(() => {})),
      sleep: () => scheduler.wait(0),
      waitUntil: () => {},
    })
    // Those that send a call wait for it; those that share one do not wait longer than they must.
    const response = await Promise.race(
      Array.from({ length: 20 }, () => call(COLLECTION, { body: qrCodeBody() }, service)),
    )
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])
    expect((await errorOf(response)).description).toContain('did not answer in time')
  })

  it('are answered each by its own outcome: created, replayed, refused or failed', async () => {
    const released = Promise.withResolvers<void>()
    const demo = env.SITES.getByName('demo')
    const sizes: number[] = []
    const service = serviceWith({
      site: () => ({
        ...siteThat(() => Promise.reject(new Error('no other operation is expected'))),
        async create(creations) {
          sizes.push(creations.length)
          await released.promise
          const outcomes = unwrap(await demo.create(creations))
          const value = outcomes.map((outcome, i) =>
            creations[i]?.spec.paymentPurpose === 'to fail' ? FAILURE : outcome,
          )
          return { ok: true, value }
        },
      }),
    })
    const send = (body: object) => call(COLLECTION, { body }, service)
    const first = qrCodeBody()
    // As many calls as are in flight without a batch, and those that join the batch.
    const alone = Array.from({ length: 8 }, () => send(qrCodeBody()))
    const batched = [
      send(qrCodeBody()),
      send(first),
      send(first),
      send({ ...first, paymentPurpose: 'another' }),
      send(qrCodeBody({ paymentPurpose: 'to fail' })),
      send(qrCodeBody()),
    ]
    await scheduler.wait(0)
    released.resolve()
    expect((await Promise.all(alone)).map(({ status }) => status)).toEqual(alone.map(() => 200))
    const answers = await Promise.all(batched)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(14)
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(6)
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
