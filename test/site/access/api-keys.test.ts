// The API keys in the site's object: what a call costs.
import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../src/contract/caller.ts'
import { creation, inNewSite } from '../../support/site.ts'

const reader: Caller = { actor: 'merchant', keyId: 'reader', scopes: ['merchant:read'] }

describe('the use of a key', () => {
  it('is written after the answer, so that a read does not wait for a commit', () =>
    inNewSite(async ({ sql }, site) => {
      await site.create(creation('a'))
      const recorded = () => sql.exec("SELECT id FROM api_keys WHERE id = 'reader'").toArray().length
      await site.read(reader, { qrCodeUid: 'a' })
      expect(recorded()).toBe(0)
      while (recorded() === 0) await scheduler.wait(50)
    }))

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
