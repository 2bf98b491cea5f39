// The end of a binding in a deployment without a connector: nobody can be told, and nothing waits for it.
import { describe, expect, it } from 'vitest'
import { instructionDelay } from '../../../src/site/outbox/backoff.ts'
import { leaseDue } from '../../../src/site/outbox/outbox.ts'
import { recordResult } from '../../../src/site/outbox/results.ts'
import { outboxRows } from '../../../src/site/outbox/rows.ts'
import { deleteToken } from '../../../src/site/payments/token-ends.ts'
import { toMilliseconds } from '../../../src/site/time.ts'
import { reportBinding } from '../../../src/site/tokens/bindings.ts'
import { findToken } from '../../../src/site/tokens/rows.ts'
import { contextOf, createAll, creation, inNewSite, NETWORK } from '../../support/site.ts'

const DAY = 86_400
const UNCONNECTED = { error: 'NETWORK_URL is not set', ms: 0, isUnconnected: true } as const
const TOKEN = { hash: 'hash', account: '' }

/** A site whose only token can be charged for a day. */
const withToken = (work: (sql: SqlStorage, boundAt: number) => void) =>
  inNewSite(async ({ sql }, site) => {
    const [created] = await createAll(site, [creation('bind', { type: 'TOKEN' })])
    const boundAt = created?.qrCode.createdAt ?? 0
    const context = { ...contextOf(sql, boundAt, NETWORK), network: 'external' as const }
    const newToken = { value: 'value', hash: TOKEN.hash, days: 1 }
    reportBinding(context, { qrCodeUid: 'bind' }, { bindingUid: 'b', status: 'CREATED', newToken })
    work(sql, boundAt)
  })

const endToken = (sql: SqlStorage, now: number) =>
  deleteToken(contextOf(sql, now), TOKEN, { network: 'external', isConnected: true })

/** Sends what is due, in vain. */
function attempt(sql: SqlStorage, now: number) {
  const at = toMilliseconds(contextOf(sql, now).now)
  for (const row of leaseDue(sql, 'external', at))
    recordResult(sql, row, { ...UNCONNECTED, at }, (used, after) => instructionDelay(used, 0, after))
}

const instructions = (sql: SqlStorage) => outboxRows(sql, "WHERE queue = 'external'").length

describe('without NETWORK_URL', () => {
  it('the instruction of a token that expired is over at its first attempt, and the merchant’s deletion makes another', () =>
    withToken((sql, boundAt) => {
      const expired = boundAt + DAY
      // A write of the token records its end: the account is not its own, so that nothing else happens.
      deleteToken(
        contextOf(sql, expired),
        { ...TOKEN, account: 'another' },
        { network: 'external', isConnected: false },
      )
      expect([findToken(sql, TOKEN)?.status, instructions(sql)]).toEqual(['EXPIRED', 1])
      attempt(sql, expired)
      expect(instructions(sql)).toBe(0)
      expect(endToken(sql, expired)).toMatchObject({ ok: true })
      expect(instructions(sql)).toBe(1)
    }))

  it('a deletion that was accepted waits for a connector', () =>
    withToken((sql, boundAt) => {
      expect(endToken(sql, boundAt)).toMatchObject({ ok: true })
      attempt(sql, boundAt)
      expect(instructions(sql)).toBe(1)
    }))
})
