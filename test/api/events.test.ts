// The feed of a site's events (contract, sections 7 and 11).
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FeedAnswer } from '../../src/contract/event.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { linkIdOf, qrCodeBody } from '../support/client.ts'
import { expire } from '../support/qr-codes.ts'
import { call, errorOf, FORM, ORIGIN, sandbox, serviceWith, tokenOf } from '../support/service.ts'
import { createAll } from '../support/site.ts'
import { strict } from '../support/strict.ts'

beforeEach(() => {
  sent = 0
})

afterEach(() => vi.useRealTimers())

const siteOf = ({ siteId = 'demo' }: { siteId?: string }) => env.SITES.getByName(siteId)

/** The long polls of feeds that the Worker sent to objects. */
let sent = 0

const service = serviceWith({
  site(siteId) {
    const stub = env.SITES.getByName(siteId)
    return new Proxy(stub, {
      get(target, name) {
        if (name !== 'feed') return Reflect.get(target, name)
        return (...args: Parameters<typeof stub.feed>) => {
          if (args[2]) sent++
          return stub.feed(...args)
        }
      },
    })
  },
})

const listening = (polls: number) => vi.waitFor(() => expect(sent).toBe(polls), 20_000)

/** A site of its own, so that a test knows its whole feed. */
async function newSite() {
  const siteId = crypto.randomUUID()
  const claims = { sub: siteId, exp: 4_000_000_000 }
  const merchant = await tokenOf({ ...claims, jti: 'shop' })
  const network = await tokenOf({ ...claims, jti: 'bank', scope: 'network' })
  const base = `/payin/v1/sites/${siteId}`
  const codes = `${base}/sbp/qrCodes`

  const read = (after: string | undefined, query: Record<string, string> = {}, headers = {}) => {
    const parameters = new URLSearchParams({ ...(after !== undefined && { after }), ...query })
    return call(`${base}/events?${parameters}`, { token: merchant, headers }, service)
  }
  return {
    siteId,
    read,
    /** A new QR code for 5.00 RUB, of ten minutes. */
    async create(body = qrCodeBody({ amount: { value: 5 } }, { ttl: 10 }), token = merchant) {
      const response = await call(codes, { body, token })
      const { qrCode, pageUrl } = strict(QrCodeAnswer).parse(await response.json())
      return { uid: body.qrCodeUid, body, linkId: linkIdOf(qrCode.payload), pageUrl }
    },
    cancel: ({ uid }: { uid: string }) => call(`${codes}/${uid}`, { method: 'DELETE', token: merchant }),
    report: ({ linkId }: { linkId: string }, paymentUid: string, body = {}) =>
      call(`/network/v1/sites/${siteId}/qrCodes/${linkId}/payments/${paymentUid}`, {
        method: 'PUT',
        token: network,
        body: { status: 'COMPLETED', amount: { value: 5 }, ...body },
      }),
    sandboxPay: ({ uid }: { uid: string }) =>
      call(
        `/sandbox/v1/sites/${siteId}/qrCodes/${uid}/payments`,
        { body: { status: 'DECLINED' }, token: merchant },
        sandbox,
      ),
    /** Presses a button of the payer's page. */
    submit: ({ pageUrl }: { pageUrl: string }, action: string) =>
      call(
        pageUrl.slice(ORIGIN.length),
        {
          body: `action=${action}`,
          headers: FORM,
          token: null,
        },
        sandbox,
      ),
    async feed(after?: string, query: Record<string, string> = {}) {
      const response = await read(after, query)
      expect(response.status).toBe(200)
      return strict(FeedAnswer).parse(await response.json())
    },
    /** An empty page of the feed waits. */
    poll: (after: string | undefined, seconds: number) => read(after, {}, { Prefer: `wait=${seconds}` }),
  }
}

type TestSite = Awaited<ReturnType<typeof newSite>>

const waited = async (response: Response) => ({
  waited: response.headers.get('Preference-Applied'),
  ...strict(FeedAnswer).parse(await response.json()),
})

describe('the feed', () => {
  it('tells what happened and by whom, oldest first and numbered without gaps', async () => {
    const site = await newSite()
    const qrCode = await site.create()
    const by = await tokenOf({ sub: site.siteId, jti: 'another key' })
    const other = await site.create(qrCodeBody({ amount: { value: 7 } }, { ttl: 10 }), by)
    await site.report(qrCode, 'p1', { status: 'DECLINED' })
    await site.submit(qrCode, 'decline')
    await site.sandboxPay(qrCode)
    await site.report(qrCode, 'p2')
    await site.report(qrCode, 'p3')
    await site.cancel(other)
    const expired = await site.create()
    await expire(expired.uid, site.siteId)

    const { events } = await site.feed()
    const told = events.map(({ id, type, by: { actor, keyId }, qrCodeUid, status, payment }) =>
      [
        ...[id, type, actor, keyId ?? '', [qrCode, other, expired].findIndex(({ uid }) => uid === qrCodeUid)],
        ...[status, payment ? `${payment.status} ${payment.amount.value} ${payment.applied}` : ''],
      ].join(' '),
    )
    expect(told).toEqual([
      '1 qrCode.created merchant shop 0 CREATED ',
      '2 qrCode.created merchant another key 1 CREATED ',
      '3 payment.declined network bank 0 DECLINED DECLINED 5.00 true',
      '4 payment.declined payer  0 DECLINED DECLINED 5.00 true',
      '5 payment.declined merchant shop 0 DECLINED DECLINED 5.00 true',
      '6 payment.completed network bank 0 PAYED COMPLETED 5.00 true',
      '7 payment.completed network bank 0 PAYED COMPLETED 5.00 false',
      '8 qrCode.cancelled merchant shop 1 CANCELLED ',
      '9 qrCode.created merchant shop 2 CREATED ',
      '10 qrCode.expired clock  2 EXPIRED ',
    ])
    for (const { by } of events)
      if (by.actor === 'payer' || by.actor === 'clock') expect(by.keyId).toBeUndefined()
  })

  it.each<[string, (site: TestSite, qrCode: Awaited<ReturnType<TestSite['create']>>) => Promise<Response>]>([
    [
      'a create that is replayed',
      async (site, { body }) =>
        call(`/payin/v1/sites/${site.siteId}/sbp/qrCodes`, {
          body,
          token: await tokenOf({ sub: site.siteId, exp: 4_000_000_000 }),
        }),
    ],
    [
      'a create that is refused',
      async (site, { uid }) =>
        call(`/payin/v1/sites/${site.siteId}/sbp/qrCodes`, {
          body: qrCodeBody({ qrCodeUid: uid }),
          token: await tokenOf({ sub: site.siteId, exp: 4_000_000_000 }),
        }),
    ],
    ['a report that is replayed', (site, qrCode) => site.report(qrCode, 'p1', { status: 'DECLINED' })],
    [
      'a report that is refused',
      (site, qrCode) => site.report(qrCode, 'p1', { status: 'DECLINED', amount: { value: 6 } }),
    ],
    ['a report of an id that no link has', (site) => site.report({ linkId: 'AD1000!' }, 'p2')],
    ['a second cancellation', (site, qrCode) => site.cancel(qrCode)],
  ])('has no event for %s', async (_, act) => {
    const site = await newSite()
    const qrCode = await site.create()
    await site.report(qrCode, 'p1', { status: 'DECLINED' })
    await site.cancel(qrCode)
    const { nextCursor } = await site.feed()
    await (await act(site, qrCode)).text()
    expect(await site.feed(nextCursor)).toEqual({ events: [], nextCursor })
  })

  it('has the expiry, at its own time, before what found the QR code expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T17:00:00Z') })
    const site = await newSite()
    const qrCode = await site.create()
    vi.setSystemTime('2026-11-20T18:00:00Z')
    await site.report(qrCode, 'p')
    const [, ...events] = (await site.feed()).events
    expect(events.map(({ type, status, dateTime }) => [type, status, dateTime])).toEqual([
      ['qrCode.expired', 'EXPIRED', '2026-11-20T20:10:00+03:00'],
      ['payment.completed', 'PAYED', '2026-11-20T21:00:00+03:00'],
    ])
  })

  it('has every expiry that is due, oldest first, before any alarm', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = await newSite()
    const creations = Array.from({ length: 1200 }, (_, n) => ({
      caller: { actor: 'merchant', keyId: 'test', scopes: [] } as const,
      spec: { qrCodeUid: `${n}`, type: 'DYNAMIC', ttl: 1 + (n % 3), createToken: false } as const,
      link: { base: 'https://qr.nspk.ru', bank: '100000000000', id: `${n}` },
    }))
    await createAll(siteOf(site), creations)
    vi.setSystemTime(Date.now() + 180_000)
    const seen: number[] = []
    const expired: string[] = []
    for (let after: string | undefined; ; ) {
      const page: FeedAnswer = await site.feed(after, { limit: '1000' })
      if (page.events.length === 0) break
      seen.push(...page.events.map(({ id }) => id))
      expired.push(
        ...page.events.flatMap(({ type, dateTime }) => (type === 'qrCode.expired' ? [dateTime] : [])),
      )
      after = page.nextCursor
    }
    expect(seen).toEqual(Array.from({ length: 2400 }, (_, n) => n + 1))
    expect([expired.length, new Set(expired).size]).toEqual([1200, 3])
    expect(expired).toEqual(expired.toSorted())
  })

  it('comes in pages of 100, or of 1 to 1000 as asked; what happens meanwhile is on the pages to come', async () => {
    const site = await newSite()
    const qrCode = await site.create()
    for (let n = 0; n < 104; n++) await site.report(qrCode, `${n}`, { status: 'DECLINED' })
    const first = await site.feed()
    expect(first.events).toHaveLength(100)
    const second = await site.feed(first.nextCursor)
    expect(second.events).toHaveLength(5)
    await site.cancel(qrCode)
    const third = await site.feed(second.nextCursor)
    expect(third.events.map(({ type }) => type)).toEqual(['qrCode.cancelled'])
    const all = [...first.events, ...second.events, ...third.events]
    expect(all.map(({ id }) => id)).toEqual(all.map((_, n) => n + 1))
    expect((await site.feed(undefined, { limit: '1000' })).events).toEqual(all)
    for (const limit of [1, 53, 106]) {
      const pages: number[] = []
      const events: FeedAnswer['events'] = []
      for (let after: string | undefined; events.length < all.length; ) {
        const page: FeedAnswer = await site.feed(after, { limit: `${limit}` })
        pages.push(page.events.length)
        events.push(...page.events)
        after = page.nextCursor
      }
      expect(events).toEqual(all)
      expect(pages.every((length) => length === limit)).toBe(106 % limit === 0)
    }
  })

  it('goes back from its end, newest first, to an empty page', async () => {
    const site = await newSite()
    for (let i = 0; i < 5; i++) await site.create()
    const pages: number[][] = []
    for (let before = 'end'; pages.at(-1)?.length !== 0; ) {
      const { events, nextCursor } = await site.feed(undefined, { before, limit: '2' })
      pages.push(events.map(({ id }) => id))
      before = nextCursor
    }
    expect(pages).toEqual([[5, 4], [3, 2], [1], []])
  })

  it('from its end has what happens next, also while a long poll waits', async () => {
    const site = await newSite()
    await site.create()
    expect((await site.feed('end')).events).toEqual([])
    const polls = sent
    const answer = site.poll('end', 60)
    await listening(polls + 1)
    const { uid } = await site.create()
    expect((await waited(await answer)).events.map(({ qrCodeUid }) => qrCodeUid)).toEqual([uid])
  })

  it('goes in one direction', async () => {
    const site = await newSite()
    const { cause } = await errorOf(await site.read('end', { before: 'end' }))
    expect(Object.keys(cause ?? {})).toEqual(['before'])
  })

  it('has a nextCursor on every page, and an empty page repeats it', async () => {
    const site = await newSite()
    await site.create()
    const { nextCursor } = await site.feed()
    for (let n = 0; n < 2; n++) expect(await site.feed(nextCursor)).toEqual({ events: [], nextCursor })
  })

  it.each([
    ['limit', '0'],
    ['limit', '1001'],
    ['limit', '1.5'],
    ['limit', ''],
    ['after', ''],
    ['after', '5'],
    ['after', 'xyz-5'],
    ['after', '0123456789abcdef-'],
    ['cursor', 'MQ'],
  ])('is refused for %s=%s by name', async (name, value) => {
    const response = await call(`/payin/v1/sites/demo/events?${new URLSearchParams({ [name]: value })}`)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [name]])
  })
})

describe('the feed of a site that nobody wrote to', () => {
  it('is empty, leaves no tables, and its cursor leads to the first event', async () => {
    const site = await newSite()
    const empty = await site.feed()
    expect(empty.events).toEqual([])
    expect(await site.feed(empty.nextCursor)).toEqual(empty)
    const tables = await runInDurableObject(siteOf(site), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    )
    expect(tables).toEqual([])
    await site.create()
    expect((await site.feed(empty.nextCursor)).events).toMatchObject([{ id: 1, type: 'qrCode.created' }])
  })

  it('can be long polled: its first event is the answer', async () => {
    const site = await newSite()
    const poll = site.poll(undefined, 60)
    await listening(1)
    await site.create()
    expect(await waited(await poll)).toMatchObject({ waited: 'wait=60', events: [{ id: 1 }] })
  })
})

describe('a cursor of the feed', () => {
  it.each<[string, (cursor: string) => string]>([
    ['of another epoch', (cursor) => cursor.replace(/^[0-9a-f]{16}/, '0123456789abcdef')],
    ['beyond the end', (cursor) => cursor.replace(/\d+$/, (number) => `${Number(number) + 1}`)],
  ])('%s is 410, at once where it is long polled', async (_, alter) => {
    const site = await newSite()
    await site.create()
    const { nextCursor } = await site.feed()
    const altered = alter(nextCursor)
    expect(altered).not.toBe(nextCursor)
    for (const response of [await site.read(altered), await site.poll(altered, 60)]) {
      expect([response.status, (await errorOf(response)).errorCode]).toEqual([410, 'events.cursor.gone'])
    }
  })

  it('of a feed that is no longer there is 410, although nobody wrote to the site since', async () => {
    const site = await newSite()
    for (const response of [
      await site.read('0123456789abcdef-0'),
      await site.poll('0123456789abcdef-7', 60),
      await site.read('-1'),
    ]) {
      expect([response.status, (await errorOf(response)).errorCode]).toEqual([410, 'events.cursor.gone'])
    }
  })

  it('differs between sites', async () => {
    const [one, two] = [await newSite(), await newSite()]
    await one.create()
    await two.create()
    expect((await two.read((await one.feed()).nextCursor)).status).toBe(410)
  })
})

describe('a long poll of the feed', () => {
  it.each<[string, string, (site: TestSite, qrCode: Awaited<ReturnType<TestSite['create']>>) => unknown]>([
    ['a create', 'qrCode.created', (site) => site.create()],
    ['a cancellation', 'qrCode.cancelled', (site, qrCode) => site.cancel(qrCode)],
    ['a payment', 'payment.completed', (site, qrCode) => site.report(qrCode, 'p')],
    [
      'a payment that is not applied',
      'payment.completed',
      (site, qrCode) => site.report(qrCode, 'p', { amount: { value: 1 } }),
    ],
    [
      'an expiry that the alarm records',
      'qrCode.expired',
      async (site) => {
        vi.setSystemTime(Date.now() + 600_000)
        await runDurableObjectAlarm(siteOf(site))
      },
    ],
  ])('of an empty page is answered by the next event: %s', async (_, type, act) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = await newSite()
    const qrCode = await site.create()
    const { nextCursor } = await site.feed()
    const polls = [site.poll(nextCursor, 60), site.poll(nextCursor, 60)]
    await listening(2)
    await act(site, qrCode)
    for (const poll of polls) {
      const { waited: applied, events, nextCursor: next } = await waited(await poll)
      expect([applied, events.map(({ id, type }) => [id, type])]).toEqual(['wait=60', [[2, type]]])
      expect(await site.feed(nextCursor)).toEqual({ events, nextCursor: next })
    }
  })

  it('of a page with events is answered at once, without Preference-Applied', async () => {
    const site = await newSite()
    await site.create()
    expect(await waited(await site.poll(undefined, 60))).toMatchObject({ waited: null, events: [{ id: 1 }] })
  })

  it('is an empty page with the same cursor when the time is over', async () => {
    const site = await newSite()
    await site.create()
    const { nextCursor } = await site.feed()
    expect(await waited(await site.poll(nextCursor, 1))).toEqual({ waited: 'wait=1', events: [], nextCursor })
  })

  it('is not answered by what changes nothing', async () => {
    const site = await newSite()
    const { body } = await site.create()
    const { nextCursor } = await site.feed()
    const poll = site.poll(nextCursor, 60)
    await listening(1)
    await site.create(body)
    await site.create()
    expect((await waited(await poll)).events).toHaveLength(1)
    expect(sent).toBe(1)
  })
})
