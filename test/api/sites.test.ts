import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { COLLECTION, call, errorOf, order, serviceWith, siteThat } from '../support/service.ts'

/** A service whose site fails `times` times with an exception that the platform marked so, and then works. */
function failing(marks: Record<string, boolean>, times: number) {
  const slept: number[] = []
  let stubs = 0
  const service = serviceWith({
    site(siteId) {
      const stub = env.SITES.getByName(siteId)
      if (++stubs > times) return stub
      const fail = async () => {
        throw Object.assign(new Error('the object was reset'), marks)
      }
      return siteThat(fail)
    },
    sleep: async (milliseconds) => {
      slept.push(milliseconds)
    },
  })
  const send = () => call(COLLECTION, { body: order() }, service)
  return { send, slept, stubs: () => stubs }
}

describe('a call to a site', () => {
  it('that failed and is retryable is sent again on a fresh stub, after a backoff', async () => {
    const { send, slept, stubs } = failing({ retryable: true }, 2)
    expect((await send()).status).toBe(200)
    expect(stubs()).toBe(3)
    expect(slept).toHaveLength(2)
    expect(slept[0]).toBeGreaterThanOrEqual(50)
    expect(slept[1]).toBeGreaterThanOrEqual(100)
    expect(slept[1]).toBeLessThan(200)
  })

  it('that stays retryable is 503 after three attempts, with Retry-After', async () => {
    const { send, stubs } = failing({ retryable: true }, 9)
    const response = await send()
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])
    expect((await errorOf(response)).errorCode).toBe('service.unavailable')
    expect(stubs()).toBe(3)
  })

  it.each([{ overloaded: true }, { overloaded: true, retryable: true }])(
    'that found the object overloaded (%j) is 503 at once: more calls would add to it',
    async (marks) => {
      const { send, stubs, slept } = failing(marks, 9)
      const response = await send()
      expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])
      expect([stubs(), slept]).toEqual([1, []])
    },
  )

  it('that failed for good is 500, sent once, and shows nothing of the fault', async () => {
    const { send, stubs } = failing({ remote: true }, 9)
    const response = await send()
    expect(response.status).toBe(500)
    const error = await errorOf(response)
    expect(error.errorCode).toBe('internal.error')
    expect(JSON.stringify(error)).not.toContain('reset')
    expect(stubs()).toBe(1)
  })
})

describe('a deployment that limits how often a site may ask', () => {
  it('answers 429 with Retry-After past the limit, counted per site', async () => {
    const keys: string[] = []
    const limiter = { limit: async ({ key }: { key: string }) => ({ success: keys.push(key) < 2 }) }
    const service = serviceWith({ limiter })
    expect((await call(COLLECTION, { body: order() }, service)).status).toBe(200)
    const response = await call(COLLECTION, { body: order() }, service)
    expect([response.status, response.headers.get('Retry-After')]).toEqual([429, '10'])
    expect((await errorOf(response)).errorCode).toBe('http.too.many.requests')
    expect(keys).toEqual(['demo', 'demo'])
  })

  it('does not count strangers', async () => {
    const limiter = { limit: async () => ({ success: false }) }
    const response = await call(COLLECTION, { body: order(), token: null }, serviceWith({ limiter }))
    expect(response.status).toBe(401)
  })
})

it('a site with too many calls waiting answers 503 to the rest, and keeps what it acknowledged', async () => {
  const crowded = env.SITES.getByName('crowded')
  const orders = Array.from({ length: 1500 }, () => crypto.randomUUID())
  const createAll = () =>
    Promise.all(
      orders.map((qrCodeUid) =>
        crowded.create(
          { qrCodeUid, type: 'DYNAMIC', ttl: 60, createToken: false },
          `https://link/${qrCodeUid}?`,
        ),
      ),
    )
  const outcomes = await createAll()
  expect(outcomes.filter(({ ok }) => ok).length).toBeGreaterThanOrEqual(1000)
  for (const outcome of outcomes) if (!outcome.ok) expect(outcome.code).toBe('service.unavailable')
  const again = await createAll()
  for (const [i, outcome] of again.entries()) {
    if (outcome.ok) expect(outcome.value.created).toBe(!outcomes[i]?.ok)
  }
})
