// Calls of a site's object: which are tried again or limited, and what the client gets when one fails.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { UNNAMED } from '../../src/contract/site-id.ts'
import { qrCodeBody } from '../support/client.ts'
import {
  COLLECTION,
  call,
  create,
  errorOf,
  FORM,
  ORIGIN,
  serviceWith,
  siteThat,
  siteWith,
  tokenOf,
} from '../support/service.ts'
import { creation } from '../support/site.ts'

/** A service whose site fails `times` times with an exception that the platform marked so, and then works. */
function failing(marks: Record<string, boolean>, times: number, message = 'the object was reset') {
  const slept: number[] = []
  let stubs = 0
  const service = serviceWith({
    site(siteId) {
      const stub = env.SITES.getByName(siteId)
      if (++stubs > times) return stub
      const fail = async () => {
        throw Object.assign(new Error(message), marks)
      }
      return siteThat(fail)
    },
    async sleep(milliseconds) {
      // A time limit, not a backoff: it is not reached.
      if (milliseconds > 1000) return new Promise(() => {})
      slept.push(milliseconds)
    },
  })
  const send = () => call(COLLECTION, { body: qrCodeBody() }, service)
  const read = () => call(COLLECTION, {}, service)
  return { send, read, slept, stubs: () => stubs }
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

  it('that reached the object without its name is repeated after the object was told it', async () => {
    const introduced: string[] = []
    let isNamed = false
    let calls = 0
    const service = serviceWith({
      site: (siteId) =>
        siteThat(
          async () => {
            calls++
            throw new Error(UNNAMED)
          },
          isNamed
            ? { create: (given) => env.SITES.getByName(siteId).create(given) }
            : {
                async introduce(name) {
                  introduced.push(name)
                  isNamed = true
                },
              },
        ),
    })
    expect((await call(COLLECTION, { body: qrCodeBody() }, service)).status).toBe(200)
    expect([introduced, calls]).toEqual([['demo'], 1])
  })

  it('that never reaches an object with a name is 503 after three attempts', async () => {
    let calls = 0
    const service = serviceWith({
      site: () =>
        siteThat(
          async () => {
            calls++
            throw new Error(UNNAMED)
          },
          { async introduce() {} },
        ),
      sleep: async (milliseconds) => (milliseconds > 1000 ? new Promise(() => {}) : undefined),
    })
    expect((await call(COLLECTION, { body: qrCodeBody() }, service)).status).toBe(503)
    expect(calls).toBe(6)
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
      // A turn, without which workerd can end in a cluster (docs/cluster.md).
      expect([stubs(), slept]).toEqual([1, [0]])
    },
  )

  it('that reads is sent again where the object was reset above its memory limit, whatever the platform marks', async () => {
    const message = "Durable Object's isolate exceeded its memory limit and was reset."
    const { read, stubs } = failing({ overloaded: true, durableObjectReset: true }, 2, message)
    expect((await read()).status).toBe(200)
    expect(stubs()).toBe(3)
  })

  it('that reads is sent again where a write of another one, which the disk did not take, reset the object', async () => {
    const { read, stubs } = failing({}, 2, 'database or disk is full: SQLITE_FULL')
    expect((await read()).status).toBe(200)
    expect(stubs()).toBe(3)
  })

  it.each([
    ['writes', 'once', 1],
    ['reads', 'three times', 3],
  ] as const)('that %s is 503 without storage, sent %s', async (what, _, times) => {
    const { read, send, stubs } = failing({}, 9, 'database or disk is full: SQLITE_FULL')
    const response = await (what === 'reads' ? read() : send())
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(stubs()).toBe(times)
  })

  it('that failed and is not retryable is 500, sent once, and shows no detail of the error', async () => {
    const { send, stubs } = failing({ remote: true }, 9)
    const response = await send()
    expect(response.status).toBe(500)
    const error = await errorOf(response)
    expect(error.errorCode).toBe('internal.error')
    expect(JSON.stringify(error)).not.toContain('reset')
    expect(stubs()).toBe(1)
  })
})

describe('in a cluster a call to a site whose owner nobody reaches', () => {
  it.each(['a write', 'a long poll'])(
    'is 503 after a time, for %s: it may have run, and is not sent again',
    async (what) => {
      const qrCodeUid = crypto.randomUUID()
      const ETag = (await call(COLLECTION, { body: qrCodeBody({ qrCodeUid }) })).headers.get('ETag') ?? ''
      const [path, options] =
        what === 'a write'
          ? [COLLECTION, { body: qrCodeBody({ qrCodeUid }) }]
          : [`${COLLECTION}/${qrCodeUid}`, { headers: { Prefer: 'wait=60', 'If-None-Match': ETag } }]
      let calls = 0
      const service = serviceWith({
        site: () =>
          siteThat(() => {
            calls++
            return new Promise(() => {})
          }),
        limited: async () => undefined,
      })
      const response = await call(path, options, service)
      expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])
      expect((await errorOf(response)).description).toBe(
        'site demo does not answer, the request may have been carried out, send it again',
      )
      expect(calls).toBe(1)
    },
  )

  it('is answered where the site answers in time', async () => {
    const service = serviceWith({ limited: (work) => work })
    expect((await call(COLLECTION, { body: qrCodeBody() }, service)).status).toBe(200)
  })
})

describe('a deployment with a rate limiter', () => {
  it('answers 429 with Retry-After past the limit', async () => {
    const keys: string[] = []
    const limiter = { limit: async ({ key }: { key: string }) => ({ success: keys.push(key) < 2 }) }
    const service = serviceWith({ limiter })
    expect((await call(COLLECTION, { body: qrCodeBody() }, service)).status).toBe(200)
    const response = await call(COLLECTION, { body: qrCodeBody() }, service)
    expect([response.status, response.headers.get('Retry-After')]).toEqual([429, '10'])
    expect((await errorOf(response)).errorCode).toBe('http.too.many.requests')
    expect(keys).toEqual(['key:demo:test', 'key:demo:test'])
  })

  it('counts each key of a site by itself: one that is revoked, or may do nothing here, uses up no other’s limit', async () => {
    const keys: string[] = []
    const limiter = {
      limit: async ({ key }: { key: string }) => ({ success: keys.push(key) > 0 && key.endsWith(':test') }),
    }
    const service = serviceWith({ limiter })
    const exp = 4_000_000_000
    const other = await tokenOf({ sub: 'demo', jti: 'other', exp })
    const powerless = await tokenOf({ sub: 'demo', jti: 'powerless', scope: 'network', exp })
    for (const token of [other, powerless]) {
      expect((await call(COLLECTION, { body: qrCodeBody(), token }, service)).status).toBe(429)
    }
    expect((await call(COLLECTION, { body: qrCodeBody() }, service)).status).toBe(200)
    expect(keys).toEqual(['key:demo:other', 'key:demo:powerless', 'key:demo:test'])
  })

  it.each([
    ['page', '', 'GET'],
    ['list of banks', '/banks', 'GET'],
    ['state', '/state', 'GET'],
    ['payment', '', 'POST'],
  ])(
    'counts payers by their link, apart from the merchant and from other links: their %s gets 429',
    async (_, suffix, method) => {
      const keys: string[] = []
      const limiter = {
        limit: async ({ key }: { key: string }) => ({
          success: keys.push(key) > 0 && !key.startsWith('link:'),
        }),
      }
      const service = serviceWith({ settings: { PAYMENT_NETWORK: 'sandbox' }, limiter })
      const { pageUrl } = await create(qrCodeBody(), {}, service)
      const path = pageUrl.slice(ORIGIN.length).replace('?', `${suffix}?`)
      const response = await call(path, { token: null, method, headers: FORM }, service)
      expect([response.status, response.headers.get('Retry-After')]).toEqual([429, '10'])
      expect(keys).toEqual(['key:demo:test', `link:demo:${new URL(pageUrl).pathname.split('/').at(-1)}`])
    },
  )

  it('does not count unauthenticated callers', async () => {
    const limiter = { limit: async () => ({ success: false }) }
    const response = await call(COLLECTION, { body: qrCodeBody(), token: null }, serviceWith({ limiter }))
    expect(response.status).toBe(401)
  })
})

it('a site with too many queued creates refuses the rest with 503, and keeps what it acknowledged', async () => {
  const crowded = env.SITES.getByName('crowded')
  const uids = Array.from({ length: 1200 }, () => crypto.randomUUID())
  // Inside the object, so that all calls arrive before the next flush.
  const createAll = (uids: readonly string[]) =>
    runInDurableObject(crowded, (site) =>
      Promise.all(
        uids.map(async (qrCodeUid) => {
          const { link } = creation(crypto.randomUUID())
          return { qrCodeUid, outcome: await site.create({ ...creation(qrCodeUid), link }) }
        }),
      ),
    )
  const inDatabase = () =>
    runInDurableObject(crowded, (_, { storage }) =>
      storage.sql
        .exec<{ uid: string }>('SELECT qr_code_uid AS uid FROM qr_codes ORDER BY uid')
        .toArray()
        .map(({ uid }) => uid),
    )

  const answers = await createAll(uids)
  const taken = answers.filter(({ outcome }) => outcome.ok).map(({ qrCodeUid }) => qrCodeUid)
  const refused = answers.filter(({ outcome }) => !outcome.ok).map(({ qrCodeUid }) => qrCodeUid)
  expect(refused).not.toEqual([])
  expect(taken.length + refused.length).toBe(uids.length)
  expect(await inDatabase()).toEqual(taken.toSorted())

  const refusals = answers.flatMap(({ outcome }) => (outcome.ok ? [] : [outcome]))
  expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['service.unavailable']))
  const [refusal] = refusals
  if (!refusal) throw new Error('no create was refused')
  const service = serviceWith({ site: () => siteWith({ create: async () => refusal }) })
  const response = await call(COLLECTION, { body: qrCodeBody() }, service)
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '1'])

  for (const [again, isReplayed] of [
    [taken.slice(500), true],
    [taken.slice(0, 500), true],
    [refused, false],
  ] as const) {
    for (const { outcome } of await createAll(again))
      expect(outcome).toMatchObject({ ok: true, value: { isReplayed } })
  }
  expect(await inDatabase()).toEqual(uids.toSorted())
})

/** The messages of the runtime, by what the client is told of the site. */
const FAILURES = {
  'without its storage': [
    'database or disk is full: SQLITE_FULL',
    'attempt to write a readonly database: SQLITE_READONLY',
    'attempt to write a readonly database: SQLITE_READONLY (extended: SQLITE_READONLY_DBMOVED)',
    'disk I/O error: SQLITE_IOERR',
    'disk I/O error: SQLITE_IOERR (extended: SQLITE_IOERR_NOMEM)',
    'database disk image is malformed: SQLITE_CORRUPT',
    'file is not a database: SQLITE_NOTADB',
    'unable to open database file: SQLITE_CANTOPEN',
    'out of memory: SQLITE_NOMEM',
    'database is locked: SQLITE_BUSY',
    'locking protocol: SQLITE_PROTOCOL',
    'access permission denied: SQLITE_PERM',
    'large file support is disabled: SQLITE_NOLFS',
    'internal error; reference = 56n1jm2moldf93op78odkr51',
    'internal error',
    'Internal error in Durable Object storage caused object to be reset; reference = 8t4dqqpoq1ctvjr8kca8fl4c',
    'Internal error in Durable Object storage write caused object to be reset; reference = 8t4dqqpoq1ct',
    'Internal error in Durable Object storage deleteAll() caused object to be reset; reference = 8t4dqqpoq1ct',
    'Internal error while starting up Durable Object storage caused object to be reset.',
    'Durable Object storage operation exceeded timeout which caused object to be reset.',
    'Durable Object storage is no longer accessible.',
    'cannot access storage because object has moved to a different machine',
    "The Durable Object's code has been updated, this version can no longer access storage.",
  ],
  restarting: [
    "Durable Object's isolate exceeded its memory limit and was reset.",
    'Worker has exceeded memory limit.',
    'Worker exceeded memory limit.',
    'Durable Object exceeded its CPU time limit and was reset.',
    'Worker exceeded CPU time limit.',
    'Durable Object reset because its code was updated.',
    'A call to blockConcurrencyWhile() in a Durable Object waited for too long. The call was canceled and the Durable Object was reset.',
    'Actor exceeded event execution time and was disconnected.',
    'Alarm exceeded its allowed execution time',
    'Cannot resolve Durable Object due to transient issue on remote node.',
    'Network connection lost.',
    'The execution context which hosts this callback is no longer running.',
    'The execution context responding to this call was canceled.',
    "Couldn't complete operation because the execution context has ended.",
  ],
} as const

/** What a site that fails with a message answers. */
async function answersOf(message: string) {
  const lines: string[] = []
  let calls = 0
  const service = serviceWith({
    log: (line) => lines.push(line),
    site: () =>
      siteThat(async () => {
        calls++
        throw new Error(message)
      }),
    sleep: async (milliseconds) => (milliseconds > 1000 ? new Promise(() => {}) : undefined),
  })
  const answer = async (options: object) => {
    calls = 0
    const response = await call(COLLECTION, options, service)
    const { errorCode, description } = await errorOf(response)
    return { status: response.status, errorCode, description, calls }
  }
  return { write: await answer({ body: qrCodeBody() }), read: await answer({}), log: lines.join() }
}

describe('an object that is away', () => {
  it.each(
    Object.entries(FAILURES).flatMap(([state, messages]) => messages.map((message) => [message, state])),
  )(
    'with “%s” is %s: 503, writes are sent once and reads three times, the log has the reason',
    async (message, state) => {
      const refusal = {
        status: 503,
        errorCode: 'service.unavailable',
        description: `site demo is ${state}, send the request again`,
      }
      const { write, read, log } = await answersOf(message)
      expect([write, read]).toEqual([
        { ...refusal, calls: 1 },
        { ...refusal, calls: 3 },
      ])
      expect(log).toContain(message)
    },
  )

  it.each([
    'Durable Object is overloaded. Too many requests queued.',
    'Durable Object is overloaded. Too much data queued.',
    'Durable Object is overloaded. Requests queued for too long.',
    'Durable Object is overloaded. Too many requests for the same object within a 10 second window.',
    "Durable Object's isolate exceeded its memory limit due to overflowing the storage cache. All objects in the isolate were reset.",
    'Service overloaded; retry later.',
  ])('with “%s” is overloaded: 503, and nothing is sent again', async (message) => {
    const refusal = {
      status: 503,
      errorCode: 'service.unavailable',
      description: 'site demo is overloaded, send the request again',
      calls: 1,
    }
    expect(await answersOf(message)).toMatchObject({ write: refusal, read: refusal })
  })

  it.each([
    'no such table: qr_codes: SQLITE_ERROR',
    'UNIQUE constraint failed: t.a: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)',
    'string or blob too big: SQLITE_TOOBIG',
    'database table is locked: SQLITE_LOCKED',
    'datatype mismatch: SQLITE_MISMATCH',
    'not authorized: SQLITE_AUTH',
    'Durable Object was reset and rolled back to its last known good state because the application left the database in a state where constraints were violated: FOREIGN KEY',
    'RPC method not implemented: nothing',
    "Cannot read properties of undefined (reading 'x')",
    'the payment says: Network connection lost.',
  ])('is not what “%s” says: that is a defect, 500, sent once', async (message) => {
    const refusal = { status: 500, errorCode: 'internal.error', calls: 1 }
    expect(await answersOf(message)).toMatchObject({ write: refusal, read: refusal })
  })
})
