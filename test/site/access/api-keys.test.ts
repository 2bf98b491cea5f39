// The API keys in the site's object: what a call costs.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Caller } from '../../../src/contract/caller.ts'
import { creation, inNewSite } from '../../support/site.ts'

const reader: Caller = { actor: 'merchant', keyId: 'reader', scopes: ['merchant:read'] }

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('the use of a key', () => {
  it('is written after the answer, so that a read does not wait for a commit', () =>
    inNewSite(async ({ sql }, site) => {
      await site.create(creation('a'))
      const recorded = () => sql.exec("SELECT id FROM api_keys WHERE id = 'reader'").toArray().length
      await site.read(reader, { qrCodeUid: 'a' })
      expect(recorded()).toBe(0)
      while (recorded() === 0) await scheduler.wait(50)
    }))

  it('is written once in an hour, also where the object starts anew in it', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 10, 20, 9, 30) })
    const stub = env.SITES.getByName(crypto.randomUUID())
    await stub.create(creation('a'))
    /** Of which of these keys a use is written while each reads, until that of the last one is. */
    const writtenFor = (keyIds: string[]) =>
      runInDurableObject(stub, async (site, { storage: { sql } }) => {
        const exec = vi.spyOn(sql, 'exec')
        const written = () =>
          exec.mock.calls.flatMap(([query, id]) => (query.startsWith('INSERT INTO api_keys') ? [id] : []))
        // A use that comes while another is being written waits for the next call.
        while (!written().includes(keyIds.at(-1))) {
          for (const keyId of keyIds) await site.read({ ...reader, keyId }, { qrCodeUid: 'a' })
          await scheduler.wait(20)
        }
        return written().filter((id) => keyIds.includes(String(id)))
      })
    expect(await writtenFor(['a', 'b'])).toEqual(['a', 'b'])
    await evictDurableObject(stub)
    expect(await writtenFor(['a', 'b', 'c'])).toEqual(['c'])
    vi.setSystemTime(Date.UTC(2031, 10, 20, 10))
    expect(await writtenFor(['a', 'b'])).toEqual(['a', 'b'])
  })

  it('is in the list at once', () =>
    inNewSite(async (_, site) => {
      await site.create(creation('a'))
      await site.read(reader, { qrCodeUid: 'a' })
      const admin = { ...reader, keyId: 'admin' }
      expect(await site.apiKeys(admin)).toMatchObject({
        value: [{ id: 'test' }, { id: 'reader' }, { id: 'admin' }],
      })
    }))
})

describe('a call that is sent again', () => {
  it('adds a key once, and revokes it once', () =>
    inNewSite(async ({ sql }, site) => {
      const key = { id: 'a', label: 'Till', scope: 'merchant', createdAt: 1, expiresAt: 4_000_000_000 }
      for (let n = 0; n < 2; n++) await site.addApiKey(reader, key)
      for (let n = 0; n < 2; n++) await site.revokeApiKey(reader, 'a')
      expect(sql.exec('SELECT type FROM events ORDER BY number').toArray()).toEqual([
        { type: 'apiKey.created' },
        { type: 'apiKey.revoked' },
      ])
    }))
})
