// npm run verify: what it finds in the data of a site.
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { objectsOf } from '../../bin/data/data-directory.ts'
import { checkSite, RULES } from '../../bin/data/site-checks.ts'
import { run, succeeds } from '../support/command.ts'
import { EXTERNAL, fileOf, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import type { Site } from '../support/site-at.ts'

let directory: string

let data: string

beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
})

describe('verify', () => {
  const linkIdOf = async (site: Site, qrCodeUid: string) =>
    /"payload":"[^"]*\/(A[0-9A-Z]{31})/.exec((await site.ask(`/sbp/qrCodes/${qrCodeUid}`)).text)?.[1]

  /** What breaks each rule. */
  const BREAKS: Record<string, string> = {
    'events are numbered from 1, without gaps but for those that retention deleted':
      'DELETE FROM events WHERE number = 1',
    'a QR code that retention deleted has ended, and has no event but of payments that came later':
      "UPDATE qr_codes SET number = -number WHERE qr_code_uid = 'open'",
    'a site that was deleted has nothing but its tombstone': 'UPDATE site SET deleted_at = 1, announced = 1',
    'a QR code has exactly one event of its creation':
      "INSERT INTO events (type, at, caller, qr_code, status) SELECT type, at, caller, qr_code, NULL FROM events WHERE type = 'qrCode.created' LIMIT 1",
    'the status of a QR code is the one of its last event':
      "UPDATE qr_codes SET status = 'CANCELLED' WHERE qr_code_uid = 'open'",
    'a QR code that has EXPIRED did so at the end of its ttl, or at the later end of its charge':
      "UPDATE events SET at = at + 1 WHERE type = 'qrCode.expired'",
    'a PAYED QR code has the COMPLETED payment that it took, of its own amount, and no other QR code has one':
      "UPDATE qr_codes SET minor_units = 501 WHERE qr_code_uid = 'paid'",
    'at most one COMPLETED payment is applied to a QR code':
      "UPDATE payments SET applied = 1, not_applied_reason = NULL WHERE payment_uid = 'pay-second'",
    'a COMPLETED payment is applied, or has a reason why it is not':
      "UPDATE payments SET not_applied_reason = NULL WHERE payment_uid = 'pay-second'",
    'a payment is as its last event tells':
      "UPDATE payments SET currency = 'BYN' WHERE payment_uid = 'pay-second'",
    'every payment that an event tells of is there': "DELETE FROM payments WHERE payment_uid = 'pay-second'",
    'the sums of the completed payments are those of the events':
      "UPDATE payments SET minor_units = 499 WHERE payment_uid = 'pay-second'",
    'a refund is as its last event tells': "UPDATE refunds SET minor_units = 99 WHERE refund_uid = 'r-done'",
    'a refund has the event that requested it, or that reported it':
      "UPDATE refunds SET event = event - 1 WHERE refund_uid = 'bank-1'",
    'accepted refunds never exceed the payment, unless the network reported so':
      "UPDATE refunds SET minor_units = 501 WHERE refund_uid = 'r-done'",
    'a refund that WAITS has an instruction to the network, and no other refund has one':
      "DELETE FROM outbox WHERE queue <> 'merchant'",
    'a QR code that is INIT_PAYMENT_BY_TOKEN has a charge that WAITS, and no other QR code has one applied':
      "UPDATE qr_codes SET payment = NULL WHERE qr_code_uid = 'charged'",
    'a payment that WAITS has an instruction to the network, and no other payment has one':
      "UPDATE payments SET event = NULL WHERE status = 'WAITING'",
    'an ACCEPTED QR code has the token of its binding':
      "UPDATE tokens SET qr_code = NULL WHERE binding_uid = 'binding-1'",
    'a row of the outbox belongs to an event, to its QR code, its payment and its refund':
      "UPDATE outbox SET qr_code = qr_code + 1 WHERE queue = 'merchant'",
    'a row of the outbox is PENDING and due, or it has ended and is not':
      "UPDATE outbox SET status = 'DELIVERED' WHERE queue = 'merchant'",
    'every reference leads to a row': "UPDATE qr_codes SET link_base = 99 WHERE qr_code_uid = 'open'",
  }

  it('finds what breaks each of its rules, and nothing where nothing is broken', async () => {
    const served = await started(data, { settings: EXTERNAL })
    const site = siteOf(served)
    await site.ask('/settings', { method: 'PUT', body: { callbackUrl: 'https://merchant.example/' } })
    await site.create('open')
    await site.ask('/sbp/qrCodes', {
      method: 'POST',
      body: { qrCodeUid: 'short', qrCode: { type: 'DYNAMIC', ttl: 1 } },
    })
    await site.pay('paid')
    const linkId = await linkIdOf(site, 'paid')
    const second = await site.ask(`/network/v1/sites/demo/qrCodes/${linkId}/payments/pay-second`, {
      method: 'PUT',
      body: { status: 'COMPLETED', amount: { value: 5 } },
    })
    expect(second.text).toContain('PAYED')
    expect((await site.refund('pay-paid', 'r-done', 1)).status).toBe(200)
    await site.ask('/network/v1/sites/demo/payments/pay-paid/refunds/r-done', {
      method: 'PUT',
      body: { status: 'COMPLETED' },
    })
    expect((await site.refund('pay-paid', 'r-waiting', 1)).status).toBe(200)
    // Refunds that nobody requested, and more of them than was paid of the second payment.
    for (const [payment, uid, value] of [
      ['pay-paid', 'bank-1', 1],
      ['pay-second', 'bank-1', 4],
      ['pay-second', 'bank-2', 2],
    ] as const) {
      const made = await site.ask(`/network/v1/sites/demo/payments/${payment}/refunds/${uid}`, {
        method: 'PUT',
        body: { status: 'COMPLETED', amount: { value } },
      })
      expect(made.status).toBe(200)
    }
    await site.ask('/sbp/qrCodes', {
      method: 'POST',
      body: { qrCodeUid: 'bound', qrCode: { type: 'TOKEN' } },
    })
    const bindingId = await linkIdOf(site, 'bound')
    await site.ask(`/network/v1/sites/demo/qrCodes/${bindingId}/bindings/binding-1`, {
      method: 'PUT',
      body: { status: 'CREATED' },
    })
    const token = /"value":"([^"]+)"/.exec((await site.ask('/sbp/qrCodes/bound')).text)?.[1]
    await site.create('charged')
    const charge = await site.ask('/sbp/qrCodes/charged/payments', { method: 'POST', body: { token } })
    expect(charge.text).toContain('INIT_PAYMENT_BY_TOKEN')
    // One event with two notifications.
    await site.ask('/sbp/qrCodes', {
      method: 'POST',
      body: { qrCodeUid: 'kept', qrCode: { type: 'DYNAMIC' }, flags: ['CREATE_TOKEN'] },
    })
    const paid = await site.ask(
      `/network/v1/sites/demo/qrCodes/${await linkIdOf(site, 'kept')}/payments/pay-kept`,
      {
        method: 'PUT',
        body: {
          status: 'COMPLETED',
          amount: { value: 5 },
          binding: { bindingUid: 'binding-2', status: 'CREATED' },
        },
      },
    )
    expect(paid.text).toContain('PAYED')
    // A charge that is declined after the ttl.
    await site.ask('/sbp/qrCodes', {
      method: 'POST',
      body: { qrCodeUid: 'late', qrCode: { type: 'DYNAMIC', ttl: 1 }, amount: { value: 5 } },
    })
    const lateLink = await linkIdOf(site, 'late')
    const late = await site.ask('/sbp/qrCodes/late/payments', { method: 'POST', body: { token } })
    const lateUid = /"paymentUid":"([^"]+)"/.exec(late.text)?.[1]
    await served.stop()
    // The minute of the ttl passes in the file.
    const database = new DatabaseSync(fileOf(data))
    database.exec("UPDATE qr_codes SET created_at = created_at - 120 WHERE qr_code_uid IN ('short', 'late')")
    database.close()
    const again = await started(data)
    const after = siteOf(again)
    const declined = await after.ask(`/network/v1/sites/demo/qrCodes/${lateLink}/payments/${lateUid}`, {
      method: 'PUT',
      body: { status: 'DECLINED', amount: { value: 5 } },
    })
    expect(declined.text).toContain('EXPIRED')
    await after.ask('/events')
    await again.stop()
    expect(succeeds('verify', '--data', data)).toBe('sites: 1, with problems: 0\n')

    expect(Object.keys(BREAKS).toSorted()).toEqual(
      [...RULES.map(({ rule }) => rule), 'every reference leads to a row'].toSorted(),
    )
    const broken = join(directory, 'broken')
    for (const [rule, sql] of Object.entries(BREAKS)) {
      rmSync(broken, { recursive: true, force: true })
      cpSync(data, broken, { recursive: true })
      const copy = new DatabaseSync(fileOf(broken), { enableForeignKeyConstraints: false })
      expect([rule, copy.prepare(sql).run().changes]).not.toEqual([rule, 0])
      copy.close()
      expect(checkSite(fileOf(broken)).problems).toContain(`not so: ${rule}`)
    }
    expect(run('verify', '--data', broken)).toEqual({
      status: 1,
      output: expect.stringContaining('demo: not so: every reference leads to a row'),
    })
  })

  it('says that a file is corrupted, that a migration is another one, or of a newer version', async () => {
    const served = await started(data)
    await siteOf(served).create('a')
    await served.stop()
    const change = (sql: string) => {
      const database = new DatabaseSync(fileOf(data))
      database.exec(sql)
      database.close()
    }
    change("INSERT INTO migrations (statement) VALUES ('SELECT 1')")
    expect(succeeds('verify', '--data', data)).toContain('1 migrations are of a newer version')
    change("UPDATE migrations SET statement = 'SELECT 2' WHERE version = 1")
    expect(run('verify', '--data', data)).toMatchObject({
      status: 1,
      output: expect.stringContaining('migration 1 is not the one of this version'),
    })
    writeFileSync(fileOf(data), Buffer.alloc(8192, 'x'))
    expect(run('verify', '--data', data)).toMatchObject({
      status: 1,
      output: expect.stringContaining('file is not a database'),
    })
    expect(readdirSync(objectsOf(data)).length).toBeGreaterThan(0)
  })
})
