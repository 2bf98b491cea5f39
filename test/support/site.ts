// A site's object and its database, without the Worker in front of it.

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Caller } from '../../src/contract/caller.ts'
import type { QrCodeSpec } from '../../src/contract/qr-code.ts'
import type { SiteStub } from '../../src/gateway/context.ts'
import { unwrap } from '../../src/gateway/site-client.ts'
import { nextWake } from '../../src/site/clock.ts'
import type { Context, Initiator } from '../../src/site/context.ts'
import { TableMemory } from '../../src/site/database/memory.ts'
import { applyEarlyPayments } from '../../src/site/payments/early-payments.ts'
import { type Created, type Creation, createQrCode } from '../../src/site/qr-codes/creations.ts'
import { notificationKeyRows } from '../../src/site/settings/rows.ts'
import type { Site } from '../../src/site/site.ts'
import { seconds } from '../../src/site/time.ts'

export const MERCHANT: Caller = { actor: 'merchant', keyId: 'test', scopes: ['merchant'] }
export const NETWORK: Caller = { actor: 'network', keyId: 'network', scopes: ['network'] }
/** Of a report of the connector, to a deployment that takes roubles alone. */
export const ORIGIN = { network: 'external', currencies: ['RUB'] } as const

/** Runs in the object of a new site, which no other test has. */
export const inNewSite = <T>(
  work: (storage: DurableObjectStorage, site: Site) => T | Promise<T>,
): Promise<T> =>
  runInDurableObject(env.SITES.getByName(crypto.randomUUID()), (site, { storage }) => work(storage, site))

/** The context of an operation at a time in Unix seconds. */
export const contextOf = (sql: SqlStorage, now: number, by: Initiator = MERCHANT): Context => ({
  sql,
  memory: new TableMemory(sql, nextWake),
  siteId: 'test',
  now: seconds(now),
  by,
})

/** A request for a DYNAMIC QR code with a ttl of ten minutes, unless said otherwise. */
export const creation = (qrCodeUid: string, more: Partial<QrCodeSpec> = {}): Creation => ({
  caller: MERCHANT,
  spec: { qrCodeUid, type: 'DYNAMIC', ttl: 10, createToken: false, ...more },
  link: { base: 'https://link', bank: '100000000000', id: qrCodeUid.padStart(32, '0') },
})

/** Creates a QR code that binds an account, and reports the binding: its token is valid for one day. */
export async function addToken(site: Site, qrCodeUid: string): Promise<void> {
  unwrap(await site.create(creation(qrCodeUid, { type: 'TOKEN', tokenizationAccount: 'customer' })))
  const newToken = { value: `token of ${qrCodeUid}`, hash: `hash of ${qrCodeUid}`, days: 1 }
  const binding = { bindingUid: `b-${qrCodeUid}`, status: 'CREATED' as const, newToken }
  unwrap(await site.reportBinding(NETWORK, { qrCodeUid }, binding, { network: 'external' }))
}

/** Creates a QR code at the time of a context. */
export const createIn = (context: Context, creation: Omit<Creation, 'caller'>) =>
  createQrCode(context, creation, context.now, applyEarlyPayments)

/** Creates QR codes in their order, so many at once as the queue of a site takes. */
export async function createAll(
  site: Pick<SiteStub, 'create'>,
  creations: readonly Creation[],
): Promise<Created[]> {
  const created: Created[] = []
  for (let from = 0; from < creations.length; from += 500) {
    const outcomes = await Promise.all(creations.slice(from, from + 500).map((each) => site.create(each)))
    created.push(...outcomes.map(unwrap))
  }
  return created
}

/** The rows that SQLite reads while `work` runs, and what it returns. */
export function rowsReadBy<T>(sql: SqlStorage, work: (sql: SqlStorage) => T): { value: T; rowsRead: number } {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
  const counted = new Proxy(sql, {
    get: (target, name) => {
      if (name !== 'exec') return Reflect.get(target, name)
      return (query: string, ...bindings: SqlStorageValue[]) => {
        const cursor = target.exec(query, ...bindings)
        cursors.push(cursor)
        return cursor
      }
    },
  })
  const value = work(counted)
  return { value, rowsRead: cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0) }
}

/** The texts of the notification keys: the active one, and all of them, the active one first. */
export function activeKeys(sql: SqlStorage): { active: string | undefined; all: readonly string[] } {
  const rows = notificationKeyRows(sql)
  return { active: rows.find(({ active }) => active === 1)?.key, all: rows.map(({ key }) => key) }
}
