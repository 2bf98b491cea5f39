// The rows that each operation reads and writes: Cloudflare bills them, and docs/scale.md has this table.
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Site } from '../../src/site/site.ts'
import { type FreshSite, freshSite } from '../support/admin.ts'
import { invited, join } from '../support/guests.ts'
import { merchantServer } from '../support/merchant.ts'
import { notifiedSite } from '../support/notified-site.ts'
import { type TokenSite, tokenSite } from '../support/tokens.ts'

const [scale = ''] = Object.values(
  import.meta.glob<string>('../../docs/scale.md', { query: '?raw', import: 'default', eager: true }),
)

// Of a quarter of an hour, ahead of the real clock, by which tokens are checked.
const BEGIN = Date.UTC(2031, 10, 20, 9, 1)
beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: BEGIN }))
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

interface Rows {
  read: number
  written: number
}

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>
type Exec = (this: SqlStorage, query: string, ...bindings: SqlStorageValue[]) => Cursor

const sqlOf = (stub: DurableObjectStub<Site>): Promise<SqlStorage> =>
  runInDurableObject(stub, (_, { storage }) => storage.sql)

/** Counts the rows of the object of a site, from its start on. */
async function startCounting() {
  const prototype: { exec: Exec } = Object.getPrototypeOf(await sqlOf(freshSite().stub))
  const { exec } = prototype
  onTestFinished(() => void Object.assign(prototype, { exec }))
  const done: { sql: SqlStorage; cursor: Cursor }[] = []
  prototype.exec = function (...call) {
    const cursor = exec.apply(this, call)
    done.push({ sql: this, cursor })
    return cursor
  }
  return {
    async count({ stub }: Pick<FreshSite, 'stub'>, work: () => Promise<unknown>): Promise<Rows> {
      done.length = 0
      await work()
      const own = await sqlOf(stub)
      const cursors = done.filter(({ sql }) => sql === own).map(({ cursor }) => cursor)
      return {
        read: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
        written: cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
      }
    },
    /** Asks a site's database without counting. */
    ask: ({ stub }: Pick<FreshSite, 'stub'>, query: string): Promise<unknown> =>
      runInDurableObject(stub, (_, { storage: { sql } }) => exec.call(sql, query).toArray()),
  }
}

type Counter = Awaited<ReturnType<typeof startCounting>>

/** The rows of an operation in the table of the documentation: the numbers with which its columns begin. */
function documented(operation: string): Rows {
  const line = scale.split('\n').find((each) => each.startsWith(`| ${operation} `))
  const [, , read, written] =
    line?.split('|').map((column) => Number.parseInt(column.replace('about ', ''), 10)) ?? []
  if (read === undefined || written === undefined)
    throw new Error(`docs/scale.md has no row for ${operation}`)
  return { read, written }
}

/** Operations of a merchant's site and its network; each is counted where a day's and a quarter of an hour's figures have begun. */
const OPERATIONS: Record<string, (site: TokenSite, rows: Counter) => Promise<Rows>> = {
  create: (site, { count }) => count(site, () => site.make()),
  'replay, conflict': async (site, { count }) => {
    const { qrCodeUid } = await site.make()
    const conflict = await count(site, () => site.create({ qrCodeUid, amount: { value: 6 } }))
    expect(await count(site, () => site.make({ qrCodeUid }))).toEqual(conflict)
    return conflict
  },
  read: async (site, { count }) => {
    const { qrCodeUid } = await site.make()
    return count(site, () => site.read(qrCodeUid))
  },
  'read, of a paid code': async (site, { count }) => {
    const { qrCodeUid } = await site.paid()
    return count(site, () => site.read(qrCodeUid))
  },
  'report `COMPLETED`, applied': async (site, { count }) => {
    const { linkId } = await site.make()
    return count(site, () => site.pay(linkId))
  },
  'report `DECLINED`, applied': async (site, { count }) => {
    const { linkId } = await site.make()
    return count(site, () => site.pay(linkId, { status: 'DECLINED' }))
  },
  'report of a payment that is not applied': async (site, { count }) => {
    const { linkId } = await site.paid()
    return count(site, () => site.pay(linkId))
  },
  'the same report again': async (site, { count }) => {
    const { linkId } = await site.paid()
    await site.pay(linkId, {}, 'again')
    return count(site, () => site.pay(linkId, {}, 'again'))
  },
  cancel: async (site, { count }) => {
    const { qrCodeUid } = await site.make()
    return count(site, () => site.ask(`/sbp/qrCodes/${qrCodeUid}`, { method: 'DELETE' }))
  },
  'expiry of one code': async (site, { count }) => {
    await site.make({}, { ttl: 1 })
    vi.setSystemTime(BEGIN + 61_000)
    return count(site, () => runDurableObjectAlarm(site.stub))
  },
  'a refund': async (site, { count }) => {
    const { paymentUid } = await site.paid()
    return count(site, () => site.refund(paymentUid, 1))
  },
  'the report of its result': async (site, { count }) => {
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 1, 'refund')
    return count(site, () => site.reportRefund(paymentUid, 'refund', { status: 'COMPLETED' }))
  },
  'a charge of a token': async (site, { count }) => {
    const { value } = await site.bound()
    const { qrCodeUid } = await site.make()
    return count(site, () => site.charge(qrCodeUid, value))
  },
  'a page of 20 QR codes with `createdTo`': async (site, { count }) => {
    for (let i = 0; i < 30; i++) await site.make()
    return count(site, () => site.ask('/sbp/qrCodes?limit=20&createdTo=2032-01-01T00:00:00%2B03:00'))
  },
  'a page of 20 QR codes': async (site, { count }) => {
    for (let i = 0; i < 30; i++) await site.make()
    return count(site, () => site.ask('/sbp/qrCodes?limit=20'))
  },
  'a page of 20 QR codes that are `CREATED`': async (site, { count }) => {
    for (let i = 0; i < 30; i++) await site.make()
    return count(site, () => site.ask('/sbp/qrCodes?limit=20&status=CREATED'))
  },
  'a page of 20 events': async (site, { count }) => {
    for (let i = 0; i < 30; i++) await site.make()
    return count(site, () => site.ask('/events?limit=20'))
  },
  'a page of 20 payments': async (site, { count }) => {
    for (let i = 0; i < 30; i++) await site.paid()
    return count(site, () => site.ask('/payments?limit=20'))
  },
  'a payment': async (site, { count }) => {
    const { paymentUid } = await site.paid()
    return count(site, () => site.paymentOf(paymentUid))
  },
}

it.each(Object.entries(OPERATIONS))('%s: as many as the documentation says', async (name, measure) => {
  const site = tokenSite()
  // The connector is not called, and gets no instruction: its own part is not of the operation.
  await site.rest()
  for (let i = 0; i < 2; i++) await site.paid()
  expect([name, await measure(site, await startCounting())]).toEqual([name, documented(name)])
})

/** What is done beside it in the background differs by some rows. */
function expectAbout(rows: Rows, operation: string): void {
  const { read, written } = documented(operation)
  expect([operation, rows.written]).toEqual([operation, written])
  expect(Math.abs(rows.read - read), `${operation}: ${rows.read}`).toBeLessThan(read / 10)
}

it('the first create of a site, with its tables', async () => {
  const site = tokenSite()
  const { count } = await startCounting()
  expectAbout(await count(site, () => site.make()), 'the first create of a site, with its tables')
})

it('a read, by an object that starts', async () => {
  const site = tokenSite()
  const { qrCodeUid } = await site.make()
  const { count } = await startCounting()
  await abortAllDurableObjects()
  expectAbout(await count(site, () => site.read(qrCodeUid)), 'a read, by an object that starts')
})

it('the delivery of a notification', async () => {
  const server = merchantServer()
  const site = await notifiedSite()
  const { count, ask } = await startCounting()
  const isDelivered = async (number: number) => {
    await server.got(number)
    await vi.waitFor(async () =>
      expect(await ask(site, "SELECT count(*) AS n FROM outbox WHERE status = 'DELIVERED'")).toEqual([
        { n: number },
      ]),
    )
  }
  const paid = async (number: number) => {
    const { linkId } = await site.make()
    return count(site, async () => {
      await site.pay(linkId)
      await runDurableObjectAlarm(site.stub)
      await isDelivered(number)
    })
  }
  await paid(1)
  expectAbout(await paid(2), 'report `COMPLETED`, and its notification delivered')
})

const KEY_USE = "SELECT last_used_at FROM api_keys WHERE id = 'admin'"

it('a page that a person views writes nothing, but one row a day: that the session is used', async () => {
  vi.spyOn(console, 'log').mockReturnValue()
  const site = freshSite()
  const code = await invited(site.siteId, { id: 'anna', name: 'Анна', role: 'owner' })
  const { browser } = await join(code)
  const { count, ask } = await startCounting()
  const views = async () => {
    for (const page of ['/', '/me', '/people', '/payments', '/settings'])
      expect((await browser.get(page)).status).toBe(200)
  }
  await site.ask('/settings')
  // Both keys, this one and that of the invitation.
  await expect.poll(() => ask(site, 'SELECT count(*) AS n FROM api_keys')).toEqual([{ n: 2 }])
  const DAY_MS = 86_400_000
  for (const days of [1, 2]) {
    vi.setSystemTime(BEGIN + days * DAY_MS - 1000)
    const withoutUse = await count(site, async () => {
      await views()
      // The use of the key is written as late as that of a session: what the views write comes before it.
      const before = await ask(site, KEY_USE)
      await site.ask('/settings')
      await expect.poll(() => ask(site, KEY_USE)).not.toEqual(before)
    })
    expect(withoutUse.written).toBe(1)
    vi.setSystemTime(BEGIN + days * DAY_MS + 1000 * days)
    const used = Math.floor(Date.now() / 1000)
    const withUse = await count(site, async () => {
      await views()
      await expect.poll(() => ask(site, 'SELECT used_at FROM person_sessions')).toEqual([{ used_at: used }])
    })
    expect(withUse.written).toBe(1)
  }
})
