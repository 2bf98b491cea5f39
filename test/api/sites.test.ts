// The operator's API: the list of sites, one site's health, its instructions, its restore, its export and its end.
import { abortAllDurableObjects, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { SiteAnswer } from '../../src/contract/site.ts'
import { Courier } from '../../src/entry/courier.ts'
import { Registry } from '../../src/registry/registry.ts'
import { freshSite } from '../support/admin.ts'
import { textIn } from '../support/client.ts'
import { healthOf, operator, siteIdsIn, sitePage } from '../support/operator.ts'
import { added, joined } from '../support/people.ts'
import { connected, refundingSite } from '../support/refunds.ts'
import { call, errorOf, refusalIn, serviceWith, tokenOf } from '../support/service.ts'
import { strict } from '../support/strict.ts'

afterEach(() => void vi.useRealTimers())

type Site = ReturnType<typeof freshSite>

const listed = (siteId: string) =>
  vi.waitFor(async () => expect(await siteIdsIn(`?q=${siteId}`)).toEqual([siteId]), 30_000)
const inSite = <T>({ stub }: Pick<Site, 'stub'>, work: (sql: SqlStorage) => T) =>
  runInDurableObject(stub, (_, { storage }) => work(storage.sql))
const remove = ({ siteId }: Pick<Site, 'siteId'>, more: object = {}) =>
  operator(`/${siteId}`, { method: 'DELETE', body: { siteId, ...more } })

/** What the operator asks of one site, but for its deletion. */
const CALLS = [
  ['', 'GET'],
  ['/export', 'GET'],
  ['/resume', 'POST'],
  ['/instructions/a-1/send', 'POST'],
] as const

describe('the list of sites', () => {
  it('has a site after its first write, by its name, with its shop and its creation', async () => {
    const site = freshSite()
    expect(await siteIdsIn(`?q=${site.siteId}`)).toEqual([])
    await site.ask('/settings', { method: 'PUT', body: { name: 'Tea shop' } })
    await listed(site.siteId)
    const { sites } = await sitePage(`?q=${site.siteId}`)
    const createdOn = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/)
    expect(sites).toEqual([{ siteId: site.siteId, name: 'Tea shop', createdOn }])
  })

  it.each([
    ['PUT', '/settings', {}],
    ['PATCH', '/settings', {}],
    ['DELETE', '/settings/logo', undefined],
  ])(
    'has a site whose first call, %s %s, changed nothing, with the time of that call',
    async (method, path, body) => {
      const site = freshSite()
      const before = Math.floor(Date.now() / 1000) * 1000
      expect((await site.ask(path, { method, body })).status).toBeLessThan(300)
      await listed(site.siteId)
      const { sites } = await sitePage(`?q=${site.siteId}`)
      expect(Date.parse(sites[0]?.createdOn ?? '')).toBeGreaterThanOrEqual(before)
    },
  )

  it('is read page by page, each site once, and filtered by what the names begin with', async () => {
    const prefix = `page.${crypto.randomUUID().slice(0, 8)}`
    const names = ['-1', '.1', '1', 'A', 'Z', '_', 'a', 'z'].map((end) => prefix + end)
    for (const siteId of [...names, `${prefix.slice(0, -1)}~`.replace('~', 'zz')]) {
      await env.SITES.getByName(siteId)
        .replaceSettings(
          { actor: 'merchant', keyId: 'test', scopes: [] },
          { notificationTypes: [] },
          undefined,
        )
        .then(({ ok }) => expect(ok).toBe(true))
    }
    await vi.waitFor(async () => expect(await siteIdsIn(`?q=${prefix}`)).toHaveLength(names.length), 30_000)
    const read: string[] = []
    for (let cursor = ''; ; ) {
      const page = await sitePage(`?q=${prefix}&limit=3${cursor}`)
      expect(page.sites.length).toBeLessThanOrEqual(3)
      read.push(...page.sites.map(({ siteId }) => siteId))
      if (page.nextCursor === undefined) break
      cursor = `&cursor=${page.nextCursor}`
    }
    expect(read).toEqual(names.toSorted())
    expect(await siteIdsIn(`?q=${prefix}z`)).toEqual([`${prefix}z`])
  })

  it.each([
    'limit=0',
    'limit=101',
    'q=%20',
    'q=',
    `q=${'a'.repeat(65)}`,
    'cursor=%25',
    'cursor=Kg',
    'page=2',
  ])('?%s: 400', async (query) =>
    expect(await refusalIn(await operator(`?${query}`))).toEqual([400, 'validation.error']),
  )
})

describe('the health of a site', () => {
  it('counts what it has, and says when it changed last', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = refundingSite()
    await site.paid()
    const { linkId } = await site.make()
    await site.report(linkId, 'declined', { status: 'DECLINED' })
    await site.make()
    const { qrCodeUid } = await site.make()
    vi.setSystemTime(Date.now() + 1_000)
    await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
    const health = await healthOf(site)
    expect(health).toMatchObject({
      siteId: site.siteId,
      restored: false,
      qrCodes: { CREATED: 1, DECLINED: 1, PAYED: 1, CANCELLED: 1 },
      payments: { COMPLETED: 1, DECLINED: 1 },
      refunds: {},
      tokens: {},
      notifications: { pending: 0, failed: 0 },
      instructions: { pending: 0, overdue: [] },
    })
    expect(health.bytes).toBeGreaterThan(4096)
    expect(health.epoch).toMatch(/^[0-9a-f]{16}$/)
    const { events } = await (await site.ask('/events')).json<{ events: { dateTime: string }[] }>()
    expect([health.createdOn, health.lastChange]).toEqual([events[0]?.dateTime, events.at(-1)?.dateTime])
    expect(health.lastChange).not.toBe(health.createdOn)
  })

  it('counts an expiry that nobody has recorded yet', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = freshSite()
    await site.make({}, { ttl: 1 })
    vi.setSystemTime(Date.now() + 61_000)
    expect((await healthOf(site)).qrCodes).toEqual({ EXPIRED: 1 })
  })

  it('shows notifications that wait and that have failed', async () => {
    const site = refundingSite()
    await site.ask('/settings', { method: 'PUT', body: { callbackUrl: 'https://shop.example/' } })
    await site.paid()
    await site.paid()
    await inSite(site, (sql) =>
      sql.exec("UPDATE outbox SET status = 'FAILED' WHERE event = (SELECT min(event) FROM outbox)"),
    )
    const { notifications } = await healthOf(site)
    expect(notifications).toEqual({ pending: 1, failed: 1, oldestPending: expect.any(String) })
  })

  it('lists an instruction that the network has not answered for an hour, and no other', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = refundingSite()
    const { linkId, paymentUid } = await site.paid()
    await site.refund(paymentUid, 1, 'early')
    vi.setSystemTime(Date.now() + 3_599_000)
    expect((await healthOf(site)).instructions).toMatchObject({ pending: 1, overdue: [] })
    vi.setSystemTime(Date.now() + 2000)
    await site.refund(paymentUid, 1, 'late')
    const { instructions } = await healthOf(site)
    expect(instructions.pending).toBe(2)
    const facts = { type: 'refund.create', taken: false, qrcId: linkId, paymentUid, refundUid: 'early' }
    const id = expect.stringMatching(/^[0-9a-f]{16}-\d+$/)
    expect(instructions.overdue).toEqual([{ id, since: instructions.oldestPending, ...facts }])
  })

  it('lists the 100 oldest of the instructions that are overdue; the metrics count all', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 1, 'r')
    await listed(site.siteId)
    // Beside the one that is there, each a millisecond later than the one before.
    await inSite(site, (sql) => {
      const columns = sql
        .exec("SELECT name FROM pragma_table_info('outbox') WHERE name NOT IN ('event', 'created_at')")
        .toArray()
        .map(({ name }) => name)
      sql.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO outbox (event, created_at, ${columns})
          SELECT event + i, created_at + i, ${columns} FROM outbox CROSS JOIN n`)
    })
    vi.setSystemTime(Date.now() + 3_601_000)
    const { instructions } = await healthOf(site)
    expect([instructions.pending, instructions.overdue.length]).toEqual([101, 100])
    const [{ event: first } = { event: 0 }] = await site.instructions()
    expect(instructions.overdue.map(({ id }) => Number(id.split('-')[1]))).toEqual(
      Array.from({ length: 100 }, (_, i) => first + i),
    )
    await runInDurableObject(site.stub, (object) => object.alarm())
    const { sites } = await sitePage(`?q=${site.siteId}`)
    expect(sites[0]?.stuck?.overdueInstructions).toBe(101)
  })

  it('of a site that nobody wrote to is 404, and makes none', async () => {
    const site = freshSite()
    for (const [below, method] of CALLS) {
      const response = await operator(`/${site.siteId}${below}`, { method })
      expect([below, ...(await refusalIn(response))]).toEqual([below, 404, 'payin.resource.not.found'])
    }
    expect(await refusalIn(await remove(site))).toEqual([404, 'payin.resource.not.found'])
    const tables = await inSite(site, (sql) =>
      sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'"),
    )
    expect(tables.toArray().filter(({ name }) => name === 'site')).toEqual([])
  })

  it('the operator’s key is not among the keys of the merchant', async () => {
    const site = freshSite()
    await site.make()
    await healthOf(site)
    const { apiKeys } = await (await site.ask('/apiKeys')).json<{ apiKeys: { id: string }[] }>()
    expect(apiKeys.map(({ id }) => id)).toEqual(['admin'])
  })
})

describe('who the operator is', () => {
  it.each([
    ['a merchant’s token', { sub: 'demo', scope: 'merchant:admin' }],
    ['a merchant’s token with the scope', { sub: 'demo', scope: 'operator' }],
    ['a token of all sites without the scope', { sub: '*', scope: 'merchant:admin network' }],
  ])('%s: 403', async (_, claims) => {
    const token = await tokenOf(claims)
    for (const below of ['', '/demo'])
      expect(await refusalIn(await operator(below, { token }))).toEqual([403, 'auth.forbidden'])
  })

  it('its token is good for no operation of a merchant or the network', async () => {
    const site = freshSite()
    const { linkId } = await site.make()
    const token = await tokenOf({ sub: '*', scope: 'operator merchant:admin network' })
    expect(await refusalIn(await site.ask('/sbp/qrCodes', { token }))).toEqual([403, 'auth.forbidden'])
    expect(await refusalIn(await site.report(linkId, 'p', {}, { token }))).toEqual([403, 'auth.forbidden'])
  })

  it('REVOKED_KEYS ends it', async () => {
    const fetch = serviceWith({ settings: { REVOKED_KEYS: 'operator' } })
    expect(await refusalIn(await operator('', {}, fetch))).toEqual([401, 'auth.unauthorized'])
  })

  it('no API key can have the scope', async () => {
    const body = { label: 'mine', scope: 'operator', days: 1 }
    expect(await refusalIn(await freshSite().ask('/apiKeys', { body }))).toEqual([400, 'validation.error'])
  })

  it('each call is logged with its key and its site', async () => {
    const lines: string[] = []
    await operator('/demo', {}, serviceWith({ log: (line) => lines.push(line) }))
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      route: '/operator/v1/sites/:siteId',
      site: 'demo',
      keyId: 'operator',
    })
  })

  it('an unknown endpoint is 401 without a token, and 404 with one', async () => {
    expect(await refusalIn(await operator('/demo/nothing', { token: null }))).toEqual([
      401,
      'auth.unauthorized',
    ])
    expect(await refusalIn(await operator('/demo/nothing'))).toEqual([404, 'http.url.not.found'])
  })
})

describe('an instruction that is sent now', () => {
  /** A refund whose instruction is not due for an hour. */
  async function waiting() {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    const instruct = vi.spyOn(Courier.prototype, 'instruct').mockResolvedValue({ httpStatus: 503, ms: 1 })
    await site.refund(paymentUid, 1, 'r')
    await inSite(site, (sql) =>
      sql.exec(
        'UPDATE outbox SET due_at = due_at + 3600000, send_at = send_at + 3600000, leased_until = NULL',
      ),
    )
    const [row] = await site.instructions()
    const id = `${(await healthOf(site)).epoch}-${row?.event}`
    instruct.mockReset()
    const send = (of = id) => operator(`/${site.siteId}/instructions/${of}/send`, { method: 'POST' })
    return { site, paymentUid, id, instruct, send }
  }

  it('goes out at once with its own id, and its answer is shown', async () => {
    const { site, id, instruct, send } = await waiting()
    instruct.mockResolvedValue({ httpStatus: 204, ms: 7 })
    const response = await send()
    expect([response.status, await response.json()]).toEqual([200, { httpStatus: 204, ms: 7 }])
    expect(instruct.mock.calls.map(([delivery]) => delivery.id)).toEqual([id])
    const [row] = await site.instructions()
    expect(row?.takenAt).toBeTypeOf('number')
    instruct.mockRestore()
  })

  it('that fails keeps its plan', async () => {
    const { site, instruct, send } = await waiting()
    const [before] = await site.instructions()
    instruct.mockResolvedValue({ error: 'no connection', ms: 3 })
    expect(await (await send()).json()).toEqual({ error: 'no connection', ms: 3 })
    const [after] = await site.instructions()
    expect([after?.dueAt, after?.countedAttempts, after?.attempts.length]).toEqual([
      before?.dueAt,
      before?.countedAttempts,
      1 + (before?.attempts.length ?? 0),
    ])
    instruct.mockRestore()
  })

  it('is refused while it is being sent, and while the site is restored', async () => {
    const { site, instruct, send } = await waiting()
    const { promise, resolve } = Promise.withResolvers<{ httpStatus: number; ms: number }>()
    instruct.mockReturnValue(promise)
    const first = send()
    await vi.waitFor(() => expect(instruct).toHaveBeenCalled(), 30_000)
    expect(await refusalIn(await send())).toEqual([409, 'payin.incorrect-method-invocation'])
    resolve({ httpStatus: 500, ms: 1 })
    expect((await first).status).toBe(200)
    await inSite(site, (sql) => sql.exec('UPDATE site SET restored = 1'))
    expect(await refusalIn(await send())).toEqual([409, 'site.restored'])
    instruct.mockRestore()
  })

  it('that is unknown, reported, or a notification is 404', async () => {
    const { site, paymentUid, instruct, send } = await waiting()
    expect(await refusalIn(await send('unknown'))).toEqual([404, 'payin.resource.not.found'])
    await site.reportRefund(paymentUid, 'r', { status: 'COMPLETED' })
    expect(await refusalIn(await send())).toEqual([404, 'payin.resource.not.found'])
    instruct.mockRestore()
  })
})

describe('a restored site', () => {
  it('says so, and is resumed while the service runs: refunds are accepted again', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await inSite(site, (sql) => sql.exec('UPDATE site SET restored = 1'))
    expect((await healthOf(site)).restored).toBe(true)
    expect(await refusalIn(await site.refund(paymentUid, 1, 'r'))).toEqual([409, 'site.restored'])
    for (const _ of [1, 2]) {
      const response = await operator(`/${site.siteId}/resume`, { method: 'POST' })
      expect([response.status, strict(SiteAnswer).parse(await response.json()).restored]).toEqual([
        200,
        false,
      ])
    }
    expect((await site.refund(paymentUid, 1, 'r')).status).toBe(200)
  })
})

describe('the export', () => {
  const exported = async (site: Pick<Site, 'siteId'>, query = '') => {
    const response = await operator(`/${site.siteId}/export${query}`)
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson')
    const text = await textIn(response)
    expect(text.endsWith('\n')).toBe(true)
    return text
      .trimEnd()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line))
  }
  const rowsOf = (lines: Record<string, unknown>[], kind: string) =>
    lines.filter((line) => line.kind === kind)

  it('has every row, a cursor behind each part, and an end', async () => {
    const site = refundingSite()
    const { qrCodeUid, paymentUid } = await site.paid({ method: 'sbp' }, { paymentPurpose: 'Две кружки' })
    await site.refund(paymentUid, 1, 'r')
    const { linkId } = await site.make({ tokenizationAccount: 'c-7', amount: undefined }, { type: 'TOKEN' })
    await site.bind(linkId, {}, 'b-1')
    const till = await site.make({ amount: undefined }, { type: 'COUNTER' })
    const sale = { amount: { value: 5 }, paymentPurpose: 'Чай' }
    await site.ask(`/sbp/qrCodes/${till.qrCodeUid}/sales/s-1`, { method: 'PUT', body: sale })
    const lines = await exported(site)
    expect(rowsOf(lines, 'qrCode')).toMatchObject([
      { qrCodeUid, paymentPurpose: 'Две кружки', qrCode: { status: 'PAYED' } },
      { tokenizationAccount: 'c-7', qrCode: { status: 'ACCEPTED' } },
      { qrCodeUid: till.qrCodeUid, qrCode: { type: 'COUNTER', status: 'CREATED' } },
    ])
    expect(rowsOf(lines, 'sale')).toMatchObject([
      {
        ...{ qrCodeUid: till.qrCodeUid, saleUid: 's-1', status: 'ACTIVE' },
        ...{ amount: { value: '5.00', currency: 'RUB' }, paymentPurpose: 'Чай' },
      },
    ])
    expect(rowsOf(lines, 'payment')).toMatchObject([
      { paymentId: paymentUid, qrcId: expect.any(String), method: 'sbp' },
    ])
    expect(rowsOf(lines, 'refund')).toMatchObject([{ refundId: 'r', paymentId: paymentUid }])
    expect(rowsOf(lines, 'token')).toMatchObject([{ status: 'CREATED', account: 'c-7', bindingUid: 'b-1' }])
    const { events } = await (await site.ask('/events')).json<{ events: object[] }>()
    expect(rowsOf(lines, 'event')).toMatchObject(events)
    expect(lines.at(-1)).toEqual({ kind: 'end' })
    expect(rowsOf(lines, 'cursor')).toHaveLength(9)
  })

  it('shows no value of a token', async () => {
    const site = freshSite()
    const { qrCodeUid, linkId } = await site.make({ amount: undefined }, { type: 'TOKEN' })
    await site.bind(linkId)
    const code = await (await site.ask(`/sbp/qrCodes/${qrCodeUid}`)).json<{ token: { value: string } }>()
    expect(code.token.value).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.stringify(await exported(site))).not.toContain(code.token.value)
  })

  it('has the people and their names, and neither passkeys, user handles nor invitations', async () => {
    const site = freshSite()
    const { passkey, session } = await joined(site, 'anna', 'cashier', { tills: ['a'] })
    const invitation = await added(site, 'boris', 'owner')
    await site.ask('/people/anna', { method: 'DELETE' })
    const lines = await exported(site)
    expect(rowsOf(lines, 'person')).toEqual([
      {
        ...{ kind: 'person', id: 'anna', name: 'Name of anna', role: 'cashier', tills: ['a'] },
        ...{ createdOn: expect.any(String), removedOn: expect.any(String) },
      },
      { kind: 'person', id: 'boris', name: 'Name of boris', role: 'owner', createdOn: expect.any(String) },
    ])
    const handles = await inSite(site, (sql) => sql.exec('SELECT handle FROM people').toArray())
    for (const secret of [passkey, session.id, invitation, ...handles.map(({ handle }) => String(handle))])
      expect(JSON.stringify(lines)).not.toContain(secret)
  })

  it('goes on behind any of its cursors, without a gap and without a repetition', async () => {
    const site = refundingSite()
    for (let i = 0; i < 3; i++) await site.paid()
    const whole = await exported(site)
    for (const [index, { kind, cursor }] of whole.entries()) {
      if (kind === 'cursor') expect(await exported(site, `?cursor=${cursor}`)).toEqual(whole.slice(index + 1))
    }
  })

  it.each(['qrCode', 'sale', 'payment', 'refund', 'token', 'person', 'event'])(
    'goes on behind a row of the kind %s without that row',
    async (kind) => {
      const site = refundingSite()
      const till = await site.make({ amount: undefined }, { type: 'COUNTER' })
      for (const n of [1, 2]) {
        const { paymentUid } = await site.paid()
        await site.refund(paymentUid, 1, 'r')
        const { linkId } = await site.make(
          { tokenizationAccount: `c-${n}`, amount: undefined },
          { type: 'TOKEN' },
        )
        await site.bind(linkId, {}, `b-${n}`)
        const sale = `/sbp/qrCodes/${till.qrCodeUid}/sales/s-${n}`
        await site.ask(sale, { method: 'PUT', body: { amount: { value: 5 } } })
        await site.ask(sale, { method: 'DELETE' })
        await site.ask('/people', { method: 'POST', body: { id: `p-${n}`, name: 'P', role: 'manager' } })
      }
      const whole = rowsOf(await exported(site), kind)
      expect(whole.length).toBeGreaterThan(1)
      const { epoch } = await healthOf(site)
      expect(rowsOf(await exported(site, `?cursor=${kind}-1-${epoch}`), kind)).toEqual(whole.slice(1))
    },
  )

  it('does not go on in another database: the cursor of a restored site is 410', async () => {
    const site = freshSite()
    await site.make()
    const cursors = (await exported(site)).flatMap(({ kind, cursor }) => (kind === 'cursor' ? [cursor] : []))
    await inSite(site, (sql) => sql.exec("UPDATE site SET epoch = 'fedcba9876543210'"))
    for (const cursor of cursors) {
      const response = await operator(`/${site.siteId}/export?cursor=${cursor}`)
      expect(await refusalIn(response)).toEqual([410, 'events.cursor.gone'])
    }
  })

  it('reads 250 rows a call', async () => {
    const site = freshSite()
    await site.make()
    await inSite(site, (sql) =>
      sql.exec(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 251)
        INSERT INTO events (number, type, at, caller) SELECT i, 'settings.changed', 1, 1 FROM n`),
    )
    const { epoch } = await healthOf(site)
    const lines = await exported(site, `?cursor=event-0-${epoch}`)
    expect(lines.findIndex(({ kind }) => kind === 'cursor')).toBe(250)
    expect(rowsOf(lines, 'event').map(({ id }) => id)).toEqual(Array.from({ length: 251 }, (_, i) => i + 1))
  })

  it('whose site ends meanwhile is broken off, and the log says so', async () => {
    const site = freshSite()
    await site.make()
    const lines: string[] = []
    let calls = 0
    const fetch = serviceWith({
      log: (line) => lines.push(line),
      site: (siteId) => {
        if (calls++ > 1) throw new Error('the site is gone')
        return env.SITES.getByName(siteId)
      },
    })
    const response = await operator(`/${site.siteId}/export`, {}, fetch)
    expect(response.status).toBe(200)
    await expect(textIn(response)).rejects.toThrow()
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'an answer was broken off', site: site.siteId }),
    )
  })

  it.each(['cursor=a', 'cursor=qrCode', 'cursor=qrCode-1', `cursor=qrCode--1-${'a'.repeat(16)}`, 'limit=5'])(
    '?%s: 400',
    async (query) =>
      expect(await refusalIn(await operator(`/demo/export?${query}`))).toEqual([400, 'validation.error']),
  )

  it('the error of a cursor says where cursors come from', async () => {
    const { cause } = await errorOf(await operator('/demo/export?cursor=a'))
    expect(cause).toEqual({ cursor: ['is "a", must be a cursor of the export'] })
  })
})

describe('a site that is deleted', () => {
  it('while codes can be paid or refunds are pending is 409, unless it is forced', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    const { qrCodeUid } = await site.make()
    expect(await refusalIn(await remove(site))).toEqual([409, 'payin.incorrect-method-invocation'])
    await site.refund(paymentUid, 1, 'r')
    await site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' })
    const { description } = await errorOf(await remove(site))
    expect(description).toBe(
      'the site has refunds or other instructions that are pending, must have none, or send force',
    )
    expect((await site.make()).qrCodeUid).toBeTypeOf('string')
    expect((await remove(site, { force: true })).status).toBe(204)
  })

  it('needs its own name in the body', async () => {
    const site = freshSite()
    await site.make()
    const path = `/${site.siteId}`
    for (const body of [{ siteId: 'other' }, {}, { siteId: site.siteId, forced: true }])
      expect(await refusalIn(await operator(path, { method: 'DELETE', body }))).toEqual([
        400,
        'validation.error',
      ])
    expect((await site.ask('/events')).status).toBe(200)
  })

  it('refuses every call from then on with 410, and is not in the list', async () => {
    const site = refundingSite()
    const { qrCodeUid, linkId } = await site.paid()
    await listed(site.siteId)
    expect((await remove(site)).status).toBe(204)
    const gone = [410, 'site.deleted']
    const again = async () => {
      expect(await refusalIn(await site.create({ qrCodeUid }))).toEqual(gone)
      expect(await refusalIn(await site.ask('/events'))).toEqual(gone)
      expect(await refusalIn(await site.ask('/settings', { method: 'PUT', body: {} }))).toEqual(gone)
      expect(await refusalIn(await site.report(linkId, 'late'))).toEqual(gone)
      for (const [below, method] of CALLS)
        expect(await refusalIn(await operator(`/${site.siteId}${below}`, { method }))).toEqual(gone)
      expect((await remove(site)).status).toBe(204)
    }
    await again()
    expect(await siteIdsIn(`?q=${site.siteId}`)).toEqual([])
    await abortAllDurableObjects()
    await again()
  })

  it('leaves its tombstone and no row', async () => {
    const site = refundingSite()
    await site.paid()
    await remove(site)
    const rows = await inSite(site, (sql) =>
      sql
        .exec("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'")
        .toArray()
        .flatMap(({ name }) =>
          Number(sql.exec(`SELECT count(*) AS count FROM "${name}"`).one().count) > 0 ? [name] : [],
        ),
    )
    expect(rows.filter((name) => name !== 'sqlite_sequence')).toEqual(['site'])
    expect(
      await inSite(site, (sql) => sql.exec('SELECT deleted_at, registry_entry, site_id FROM site').one()),
    ).toEqual({
      deleted_at: expect.any(Number),
      registry_entry: expect.stringContaining('deletedAt'),
      site_id: site.siteId,
    })
    const alarm = await runInDurableObject(site.stub, (_, { storage }) => storage.getAlarm())
    expect(alarm).toBeNull()
  })

  it('answers the long polls that wait on it', async () => {
    const site = freshSite()
    const { qrCodeUid } = await site.make()
    const poll = site.ask(`/sbp/qrCodes/${qrCodeUid}`, { headers: { Prefer: 'wait=60' } })
    const feed = site.ask('/events?after=', { headers: { Prefer: 'wait=60' } })
    await feed
    await scheduler.wait(50)
    expect((await remove(site, { force: true })).status).toBe(204)
    expect(await refusalIn(await poll)).toEqual([410, 'site.deleted'])
  })

  it('sends nothing any more, though the registry does not answer', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await listed(site.siteId)
    const instruct = vi.spyOn(Courier.prototype, 'instruct').mockResolvedValue({ httpStatus: 503, ms: 1 })
    // Sites of other tests can have instructions to send, too.
    const own = () => instruct.mock.calls.filter(([{ siteId }]) => siteId === site.siteId)
    await site.refund(paymentUid, 1, 'r')
    await vi.waitFor(() => expect(own()).toHaveLength(1), 30_000)
    const record = vi.spyOn(Registry.prototype, 'record').mockRejectedValue(new Error('not now'))
    expect((await remove(site, { force: true })).status).toBe(204)
    // Long after the next attempt would be due.
    vi.setSystemTime(Date.now() + 3_600_000)
    await runInDurableObject(site.stub, (object) => object.alarm())
    const alarm = await runInDurableObject(site.stub, (_, { storage }) => storage.getAlarm())
    expect(alarm).toBeGreaterThan(Date.now())
    expect(own()).toHaveLength(1)
    for (const spy of [record, instruct]) spy.mockRestore()
  })

  it('while the registry does not answer keeps its data, refuses all the same, and ends later', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const site = freshSite()
    await site.make()
    await listed(site.siteId)
    const record = vi.spyOn(Registry.prototype, 'record').mockRejectedValue(new Error('not now'))
    expect((await remove(site, { force: true })).status).toBe(204)
    expect(await refusalIn(await site.ask('/events'))).toEqual([410, 'site.deleted'])
    const events = () => inSite(site, (sql) => sql.exec('SELECT count(*) AS count FROM events').one().count)
    expect(await events()).toBe(1)
    record.mockRestore()
    vi.setSystemTime(Date.now() + 61_000)
    await runInDurableObject(site.stub, (object) => object.alarm())
    await vi.waitFor(async () => expect(await events()).toBe(0), 30_000)
    expect(await siteIdsIn(`?q=${site.siteId}`)).toEqual([])
  })

  describe('of a late report', () => {
    /** A site that was deleted, with a paid QR code, and the messages of the log from then on. */
    async function removed() {
      const site = refundingSite()
      const paid = await site.paid()
      expect((await remove(site)).status).toBe(204)
      const lines: string[] = []
      const fetch = serviceWith({ log: (line) => lines.push(line) })
      const late = () =>
        lines
          .map((line): Record<string, unknown> => JSON.parse(line))
          .filter(({ message }) => message === 'a report for a deleted site was refused')
      return { ...site.at(fetch), ...paid, fetch, late }
    }

    it('logs the payment, which nobody else keeps', async () => {
      const { siteId, linkId, report, late } = await removed()
      expect((await report(linkId, 'late', { amount: { value: 7 } })).status).toBe(410)
      expect(late()).toMatchObject([
        {
          ...{ level: 'warning', site: siteId, qrcId: linkId, paymentUid: 'late' },
          ...{ status: 'COMPLETED', amount: { minorUnits: 700, currency: 'RUB' } },
        },
      ])
    })

    it('logs the refund, too', async () => {
      const { siteId, paymentUid, reportRefund, late } = await removed()
      const refund = { status: 'COMPLETED', amount: { value: 2 } }
      const response = await reportRefund(paymentUid, 'late', refund)
      expect(await refusalIn(response)).toEqual([410, 'site.deleted'])
      expect(late()).toMatchObject([
        {
          ...{ level: 'warning', site: siteId, paymentUid, refundUid: 'late' },
          ...{ status: 'COMPLETED', amount: { minorUnits: 200 } },
        },
      ])
    })

    it('logs nothing of the calls that report nothing: of the network’s lists, the merchant and the operator', async () => {
      const { siteId, ask, fetch, late } = await removed()
      const token = await tokenOf({ sub: siteId, scope: 'network' })
      for (const list of ['qrCodes', 'refunds']) {
        const response = await call(`/network/v1/sites/${siteId}/${list}`, { token }, fetch)
        expect(await refusalIn(response)).toEqual([410, 'site.deleted'])
      }
      expect(await refusalIn(await ask('/events'))).toEqual([410, 'site.deleted'])
      for (const [below, method] of CALLS) {
        const response = await operator(`/${siteId}${below}`, { method }, fetch)
        expect(await refusalIn(response)).toEqual([410, 'site.deleted'])
      }
      expect(late()).toEqual([])
    })
  })

  it('of 50 requests that are in flight none is stored', async () => {
    const site = freshSite(connected)
    await site.make()
    const requests = Array.from({ length: 50 }, () => site.create())
    const removed = remove(site, { force: true })
    const statuses = new Set((await Promise.all(requests)).map(({ status }) => status))
    expect([...statuses].every((status) => status === 200 || status === 410)).toBe(true)
    expect((await removed).status).toBe(204)
    await vi.waitFor(
      async () =>
        expect(await inSite(site, (sql) => sql.exec('SELECT count(*) AS n FROM qr_codes').one().n)).toBe(0),
      30_000,
    )
  })
})
