// Sites without tables, or with those of an older version of the code.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../src/contract/settings.ts'
import type { Outcome } from '../../../src/errors.ts'
import { unwrap } from '../../../src/gateway/site-client.ts'
import { SITE, versionIn } from '../../../src/site/database/schema.ts'
import type { Site } from '../../../src/site/site.ts'
import { EARLIER_BUILD } from '../../support/earlier-build.ts'
import { creation, inNewSite, MERCHANT, NETWORK, ORIGIN } from '../../support/site.ts'

const newSite = () => env.SITES.getByName(crypto.randomUUID())
type Stub = ReturnType<typeof newSite>
type Call<T = unknown> = (site: Stub | Site) => Promise<Outcome<T>>

/** What is stored of a site. */
const stored = (site: Stub) =>
  runInDurableObject(site, async (_, { storage }) => ({
    objects: storage.sql.exec('SELECT name FROM sqlite_master').toArray(),
    alarm: await storage.getAlarm(),
  }))
const NOTHING = { objects: [], alarm: null }

const KEY = { qrCodeUid: 'a' }
const PAGE = { limit: 10 }
const CONNECTION = { network: 'external', isConnected: true, utcOffset: '+03:00' } as const
const AMOUNT = { minorUnits: 500, currency: 'RUB' }
const REPORT = { paymentUid: 'p', status: 'COMPLETED', amount: AMOUNT } as const
const BINDING = {
  bindingUid: 'b',
  status: 'CREATED',
  newToken: { value: 'v', hash: 'h', days: 1 },
} as const
const NOT_FOUND = { ok: false, code: 'payin.resource.not.found' }
const DONE = <T>(value: T) => ({ ok: true, value })

describe('a site that nobody wrote to', () => {
  const BEGINNING = { epoch: '', number: 0 }

  // An eviction takes a second, in which nothing is done: they take the same one.
  it.concurrent.each<[string, Call, unknown]>([
    ['a QR code', (site) => site.read(MERCHANT, KEY), NOT_FOUND],
    ['the payer’s page', (site) => site.readForPayer({ link: 'id?type=02' }), NOT_FOUND],
    ['the shop', (site) => site.shopForPayer(), DONE({})],
    ['a logo', (site) => site.logo('hash'), NOT_FOUND],
    ['a list', (site) => site.list(MERCHANT, PAGE), DONE({ qrCodes: [] })],
    [
      'a list by status',
      (site) => site.list(MERCHANT, { ...PAGE, status: ['EXPIRED'] }),
      DONE({ qrCodes: [] }),
    ],
    ['events', (site) => site.events(MERCHANT, KEY, PAGE), NOT_FOUND],
    [
      'the feed',
      (site) => site.feed(MERCHANT, PAGE),
      DONE({ value: { events: [], next: BEGINNING }, waited: false }),
    ],
    [
      'the feed of another epoch',
      (site) => site.feed(MERCHANT, { ...PAGE, after: { epoch: '0123456789abcdef', number: 0 } }),
      { ok: false, code: 'events.cursor.gone' },
    ],
    [
      'a poll of the feed',
      (site) => site.feed(MERCHANT, PAGE, { id: 'poll', milliseconds: 5 }),
      DONE({ value: { events: [], next: BEGINNING }, waited: true }),
    ],
    [
      'a poll',
      (site) => site.longPoll(MERCHANT, KEY, { id: 'p', version: 0, milliseconds: 9999 }),
      NOT_FOUND,
    ],
    ['payments', (site) => site.payments(MERCHANT, KEY, PAGE), NOT_FOUND],
    ['a payment', (site) => site.payment(MERCHANT, 'p'), NOT_FOUND],
    ['refunds', (site) => site.refunds(MERCHANT, 'p'), NOT_FOUND],
    ['a refund', (site) => site.refundOf(MERCHANT, { paymentUid: 'p' }, 'r'), NOT_FOUND],
    ['tokens', (site) => site.tokens(MERCHANT, '', PAGE), DONE({ tokens: [] })],
    [
      'the settings',
      (site) => site.settings(MERCHANT),
      DONE({ settings: DEFAULT_SETTINGS, revision: 'initial' }),
    ],
    ['notification keys', (site) => site.notificationKeys(MERCHANT), DONE([])],
    ['notifications', (site) => site.notifications(MERCHANT, PAGE), DONE({ notifications: [] })],
    ['a notification', (site) => site.notification(MERCHANT, 'n'), NOT_FOUND],
    ['a redelivery', (site) => site.redeliver(MERCHANT, 'n'), NOT_FOUND],
    ['the API keys', (site) => site.apiKeys(MERCHANT), DONE([{ id: 'test' }])],
    [
      'a test',
      (site) => site.deliverTest(MERCHANT),
      { ok: false, code: 'payin.incorrect-method-invocation' },
    ],
  ])('is read as an empty one, and stores nothing: %s', async (_, read, expected) => {
    const site = newSite()
    for (let n = 0; n < 2; n++) expect(await read(site)).toMatchObject(expected as object)
    // The use of the key is not written either.
    await scheduler.wait(10)
    expect(await stored(site)).toEqual(NOTHING)
    await evictDurableObject(site)
    expect(await stored(site)).toEqual(NOTHING)
  })

  const REFUSED: [string, Call][] = [
    ['a cancellation', (site) => site.cancel(MERCHANT, KEY)],
    ['a charge', (site) => site.charge(MERCHANT, KEY, { hash: 'h', account: '' }, CONNECTION)],
    ['a deletion of a token', (site) => site.deleteToken(MERCHANT, { hash: 'h', account: '' }, CONNECTION)],
    ['a refund', (site) => site.refund(MERCHANT, KEY, { refundUid: 'r', amount: AMOUNT }, CONNECTION)],
    ['a report of a refund', (site) => site.reportRefund(NETWORK, 'p', 'r', { status: 'COMPLETED' })],
    ['a report', (site) => site.report(NETWORK, { linkId: 'x', isKept: false }, REPORT, ORIGIN)],
    ['a binding', (site) => site.reportBinding(NETWORK, { linkId: 'x', isKept: false }, BINDING, ORIGIN)],
    ['a simulated payment', (site) => site.simulatePayment(MERCHANT, KEY, REPORT, ORIGIN)],
    ['a simulated binding', (site) => site.simulateBinding(MERCHANT, KEY, BINDING, ORIGIN)],
    ['the activation of a key', (site) => site.activateNotificationKey(MERCHANT, 'k')],
  ]
  it.each(REFUSED)('stores nothing of a write that is refused: %s', async (_, write) => {
    const site = newSite()
    expect(await write(site)).toMatchObject(NOT_FOUND)
    expect(await stored(site)).toEqual(NOTHING)
  })

  it('stores nothing of settings that another version is named for', async () => {
    const site = newSite()
    const outcome = await site.replaceSettings(MERCHANT, DEFAULT_SETTINGS, ['another'])
    expect(outcome).toMatchObject({ ok: false, code: 'http.precondition.failed' })
    expect(await stored(site)).toEqual(NOTHING)
  })

  it.each<[string, Call]>([
    ['a creation', (site) => site.create(creation('a'))],
    [
      'a change of the settings',
      (site) => site.replaceSettings(MERCHANT, { notificationTypes: [] }, undefined),
    ],
    ['a notification key', (site) => site.addNotificationKey(MERCHANT, { id: 'k', key: 'whsec_' })],
    ['a revocation', (site) => site.revokeApiKey(MERCHANT, 'k')],
    ['a report', (site) => site.report(NETWORK, { linkId: 'x', isKept: true }, REPORT, ORIGIN)],
    ['a binding', (site) => site.reportBinding(NETWORK, { linkId: 'x', isKept: true }, BINDING, ORIGIN)],
  ])('gets its tables by a write that is not refused: %s', async (_, write) => {
    const site = newSite()
    expect(await write(site)).toMatchObject({ ok: true })
    expect((await stored(site)).objects.length).toBeGreaterThan(10)
  })

  it('keeps a write that is done, whatever is refused in the same flush', () =>
    inNewSite(async (_, site) => {
      const outcomes = await Promise.all([
        ...REFUSED.map(([, write]) => write(site)),
        site.create(creation('a')),
        site.cancel(MERCHANT, { qrCodeUid: 'unknown' }),
      ])
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
      expect(unwrap(await site.read(MERCHANT, KEY)).status).toBe('CREATED')
    }))

  it('gets none by a first write that throws, and gets them by the next', () =>
    inNewSite(async ({ sql }, site) => {
      const broken = { ...creation('a'), spec: { ...creation('a').spec, ttl: 0.5 } }
      await expect(site.create(broken)).rejects.toThrow('SQLITE_CONSTRAINT')
      expect(sql.exec('SELECT name FROM sqlite_master').toArray()).toEqual([])
      expect(await site.create(creation('a'))).toMatchObject({ ok: true })
    }))

  it('ends a poll of its feed by its first event', () =>
    inNewSite(async (_, site) => {
      const poll = site.feed(MERCHANT, PAGE, { id: 'poll', milliseconds: 60_000 })
      await scheduler.wait(5)
      unwrap(await site.create(creation('a')))
      expect(unwrap(await poll)).toMatchObject({ waited: true, value: { events: [{ number: 1 }] } })
    }))
})

describe('a site with the tables of an older version', () => {
  const { versions } = SITE
  afterEach(() => {
    SITE.versions = versions
  })

  /** A site that has one QR code, made before there was another version of the schema. */
  async function olderSite(): Promise<Stub> {
    SITE.versions = versions
    const site = newSite()
    unwrap(await site.create(creation('a')))
    await evictDurableObject(site)
    SITE.versions = [...versions, 'CREATE TABLE added (x); ALTER TABLE site ADD COLUMN added INTEGER']
    return site
  }
  const versionOf = (site: Stub) => runInDurableObject(site, (_, { storage }) => versionIn(storage))

  it('is read as one that is up to date, and is brought up to date after that', async () => {
    const site = await olderSite()
    const payer = { actor: 'payer', scopes: [] } as const
    await runInDurableObject(site, async (object, { storage }) => {
      const reads = [
        object.read(payer, KEY),
        object.list(payer, PAGE),
        object.tokens(payer, '', PAGE),
      ] as const
      expect(versionIn(storage)).toBe(versions.length)
      const [qrCode, list, tokens] = await Promise.all(reads)
      expect(unwrap(qrCode).qrCodeUid).toBe('a')
      expect(unwrap(list).qrCodes).toHaveLength(1)
      expect(unwrap(tokens).tokens).toEqual([])
    })
    await vi.waitFor(async () => expect(await versionOf(site)).toBe(versions.length + 1), 30_000)
    expect(unwrap(await site.read(payer, KEY)).qrCodeUid).toBe('a')
  })

  it('is brought up to date by a write that is refused, too', async () => {
    const site = await olderSite()
    expect(await site.cancel(MERCHANT, { qrCodeUid: 'unknown' })).toMatchObject(NOT_FOUND)
    expect(await versionOf(site)).toBe(versions.length + 1)
  })

  it('answers a first write that fails as such, and stays as it was', async () => {
    const site = await olderSite()
    const broken = { ...creation('b'), spec: { ...creation('b').spec, ttl: 0.5 } }
    await runInDurableObject(site, async (object, { storage }) => {
      await expect(object.create(broken)).rejects.toThrow('SQLITE_CONSTRAINT')
      expect(versionIn(storage)).toBe(versions.length)
    })
  })
})

describe('a site with the tables of an earlier build', () => {
  const REFUSED = {
    ok: false,
    code: 'site.outdated',
    description: expect.stringMatching(/version 2 of a build before 0\.3\.0.*run 0\.2\.0 to read it/),
  }
  const OPERATOR = { actor: 'operator', keyId: 'operator', scopes: ['operator'] } as const

  it.each<[string, Call]>([
    ['a read', (site) => site.read(MERCHANT, KEY)],
    ['the payer’s page', (site) => site.readForPayer({ link: 'id?type=02' })],
    ['events', (site) => site.events(MERCHANT, KEY, PAGE)],
    ['a poll', (site) => site.longPoll(MERCHANT, KEY, { id: 'p', version: 0, milliseconds: 9999 })],
    ['a create', (site) => site.create(creation('a'))],
    ['another write', (site) => site.cancel(MERCHANT, KEY)],
    [
      'a report of the network',
      (site) => site.report(NETWORK, { linkId: 'x', isKept: true }, REPORT, ORIGIN),
    ],
    ['the operator’s question', (site) => site.health(OPERATOR)],
    ['a deletion', (site) => site.remove(OPERATOR, true)],
  ])('refuses every call by name, and stays as it was: %s', async (_, call) => {
    const site = newSite()
    await runInDurableObject(site, (_, { storage: { sql } }) => void sql.exec(EARLIER_BUILD))
    await evictDurableObject(site)
    const before = await stored(site)
    expect(await call(site)).toMatchObject(REFUSED)
    await runInDurableObject(site, (object) => object.alarm())
    expect(await stored(site)).toEqual(before)
  })
})
