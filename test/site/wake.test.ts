import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { migrate } from '../../src/site/migrations.ts'
import { createQrCode } from '../../src/site/qr-codes.ts'
import { recordExpiries } from '../../src/site/transitions.ts'
import { nextWake } from '../../src/site/wake.ts'

const CREATED_AT = 1_790_000_000
const TTL = 10

/** Runs a task on a site with 1,000 QR codes, each created a second after the one before. */
const onFullSite = (name: string, task: (sql: SqlStorage) => void) =>
  runInDurableObject(env.SITES.getByName(name), (_, { storage }) => {
    migrate(storage)
    for (let i = 0; i < 1000; i++) {
      const link = { base: 'https://qr.example', bank: '100000000000', id: `${i}` }
      const spec = { qrCodeUid: `${i}`, type: 'DYNAMIC', ttl: TTL, createToken: false } as const
      createQrCode(storage.sql, { caller: { actor: 'merchant', scopes: [] }, spec, link }, CREATED_AT + i)
    }
    task(storage.sql)
  })

/** The rows that the queries of a task read. */
function rowsRead(sql: SqlStorage, task: (sql: SqlStorage) => void): number {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
  const counting = new Proxy(sql, {
    get: (target, name) => {
      if (name !== 'exec') return Reflect.get(target, name)
      return (statement: string, ...bindings: SqlStorageValue[]) => {
        const cursor = target.exec(statement, ...bindings)
        cursors.push(cursor)
        return cursor
      }
    },
  })
  task(counting)
  return cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0)
}

it('the next wake is the earliest expiry, and reads one row however many QR codes can be paid', () =>
  onFullSite('wake', (sql) => {
    let wake: number | undefined
    expect(
      rowsRead(sql, (counting) => {
        wake = nextWake(counting)
      }),
    ).toBe(1)
    expect(wake).toBe((CREATED_AT + TTL * 60) * 1000)
  }))

it('recording one expiry reads a few rows however many QR codes can be paid', () =>
  onFullSite('expiry', (sql) => {
    const now = CREATED_AT + TTL * 60
    const read = rowsRead(sql, (counting) => {
      expect(recordExpiries(counting, now, 500)).toMatchObject([{ qr_code_uid: '0', status: 'EXPIRED' }])
    })
    expect(read).toBeLessThan(20)
  }))
