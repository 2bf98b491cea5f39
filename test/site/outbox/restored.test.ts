// A site that was restored from a backup: what was instructed since is unknown.

import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { nextWake } from '../../../src/site/clock.ts'
import { leaseDue, nextDelivery } from '../../../src/site/outbox/outbox.ts'
import { milliseconds } from '../../../src/site/time.ts'
import { refundIn, refundingSite } from '../../support/refunds.ts'
import { errorOf } from '../../support/service.ts'

describe('a restored site', () => {
  const mark = (site: ReturnType<typeof refundingSite>, restored: 0 | 1) =>
    runInDurableObject(site.stub, (_, { storage }) => {
      storage.sql.exec('UPDATE site SET restored = ?', restored)
    })

  it('refuses a new refund by both addresses, replays an old one, and records the report of it', async () => {
    const site = refundingSite()
    const { paymentUid, qrCodeUid } = await site.paid()
    const first = await refundIn(await site.refund(paymentUid, 1, 'r-1'))
    await mark(site, 1)
    const events = (await site.feed()).length
    for (const request of [
      () => site.refund(paymentUid, 1, 'r-2'),
      () =>
        site.ask(`/sbp/qrCodes/${qrCodeUid}/refunds/r-2`, { method: 'PUT', body: { amount: { value: 1 } } }),
    ]) {
      const response = await request()
      const { errorCode, description } = await errorOf(response)
      expect([response.status, errorCode, description]).toEqual([
        409,
        'site.restored',
        'the site was restored from a backup, and the operator has not resumed it yet',
      ])
    }
    expect(await site.refundsOf(paymentUid)).toEqual([first])
    expect((await site.feed()).length).toBe(events)
    const replay = await site.refund(paymentUid, 1, 'r-1')
    expect([replay.status, replay.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    expect((await site.reportRefund(paymentUid, 'r-1', { status: 'COMPLETED' })).status).toBe(200)
    await mark(site, 0)
    expect((await site.refund(paymentUid, 1, 'r-2')).status).toBe(200)
  })

  it('says what is wrong with a refund before it says that it waits', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid({ status: 'DECLINED' })
    await mark(site, 1)
    expect((await errorOf(await site.refund(paymentUid, 1))).errorCode).toBe(
      'payin.incorrect-method-invocation',
    )
  })

  it('sends the network nothing, and is not woken for it, until it is resumed', async () => {
    const site = refundingSite()
    const { paymentUid } = await site.paid()
    await site.refund(paymentUid, 1, 'r-1')
    const due = (restored: 0 | 1) =>
      runInDurableObject(site.stub, (_, { storage }) => {
        const { sql } = storage
        sql.exec('UPDATE site SET restored = ?', restored)
        sql.exec(
          "UPDATE outbox SET leased_until = NULL, overdue_at = NULL, send_at = 1000, due_at = 1000 WHERE queue = 'external'",
        )
        sql.exec('DELETE FROM endpoints')
        const found = { next: nextDelivery(sql, 'external'), wake: nextWake(sql) }
        return { ...found, leased: leaseDue(sql, 'external', milliseconds(2000)).length }
      })
    expect(await due(1)).toEqual({ next: undefined, wake: undefined, leased: 0 })
    expect(await due(0)).toEqual({ next: 1000, wake: 1000, leased: 1 })
  })
})
