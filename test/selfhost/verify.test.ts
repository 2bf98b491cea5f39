// npm run verify: what it finds in the data of a site.
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { objectsOf } from '../../bin/data/data-directory.ts'
import { checkSite } from '../../bin/data/site-checks.ts'
import { RULES } from '../../bin/data/site-rules.ts'
import { siteStorage } from '../../bin/data/site-storage.ts'
import { PaymentReceiptsAnswer } from '../../src/contract/receipts/list.ts'
import { migrate, SITE } from '../../src/site/database/schema.ts'
import { run, succeeds } from '../support/command.ts'
import { asOperator, EXTERNAL, fileOf, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { linkIdIn, qrCodeOf } from '../support/site-at.ts'

let directory: string

let data: string

beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
})

const ANNA = { id: 'anna', name: 'Anna', role: 'manager' }

describe('verify', () => {
  it('finds the last event of each payment and refund by an index, not among those of all others', () => {
    const database = new DatabaseSync(':memory:')
    migrate(siteStorage(database))
    const joins = RULES.flatMap(({ violations }) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${violations}`).all()
      return plan.map(({ detail }) => String(detail)).filter((detail) => / last_event\b/.test(detail))
    })
    expect(joins.filter((detail) => detail.startsWith('SEARCH'))).toHaveLength(3)
    expect(joins.filter((detail) => detail.startsWith('SCAN'))).toEqual([])
  })

  /** What breaks each rule. */
  const BREAKS: Record<string, string> = {
    'events are numbered from 1, without gaps but for those that retention deleted':
      'DELETE FROM events WHERE number = 1',
    'a QR code that retention deleted is there no more, and has no event but of payments that came later':
      "INSERT INTO deleted_qr_codes SELECT number, qr_code_uid, link_id, NULL, created_at FROM qr_codes WHERE qr_code_uid = 'open'",
    'the QR code of a payment or an event is there, or was deleted by retention':
      "UPDATE events SET qr_code = 99 WHERE type = 'qrCode.expired'",
    'a site that was deleted has nothing but its tombstone': `UPDATE site SET deleted_at = 1, registry_entry = '{"deletedAt":1}'`,
    'a QR code has exactly one event of its creation':
      "INSERT INTO events (type, at, caller, qr_code, status) SELECT type, at, caller, qr_code, NULL FROM events WHERE type = 'qrCode.created' LIMIT 1",
    'the status of a QR code is the one of its last event':
      "UPDATE qr_codes SET status = 'CANCELLED' WHERE qr_code_uid = 'open'",
    'an event that is named stands in the row of its QR code, or of a refund that the code shows':
      "UPDATE events SET named = 1 WHERE type = 'payment.declined'",
    'the events that stand in the row of a QR code are its creation, and the one of its status':
      "UPDATE qr_codes SET created_event = created_event + 1 WHERE qr_code_uid = 'open'",
    'a payment that is named is the one that its QR code shows':
      "UPDATE payments SET named = 1 WHERE payment_uid = 'pay-second'",
    'a QR code that has EXPIRED did so at the end of its ttl or its link, or at the later end of its charge':
      "UPDATE events SET at = at + 1 WHERE type = 'qrCode.expired'",
    'a PAYED QR code has the COMPLETED payment that it took, of its own amount, and no other QR code has one':
      "UPDATE qr_codes SET minor_units = 501 WHERE qr_code_uid = 'paid'",
    'an applied payment that WAITS or is COMPLETED is the one that its QR code shows, if that is paid once':
      "UPDATE qr_codes SET payment = NULL WHERE qr_code_uid = 'charged'",
    'every refund that an event tells of is there': "DELETE FROM refunds WHERE refund_uid = 'r-done'",
    'at most one COMPLETED payment is applied to a QR code that is paid once':
      "UPDATE payments SET applied = 1, not_applied_reason = NULL WHERE payment_uid = 'pay-second'",
    'a COMPLETED payment is applied, or has a reason why it is not':
      "UPDATE payments SET not_applied_reason = NULL WHERE payment_uid = 'pay-second'",
    'a payment is as its last event tells':
      "UPDATE payments SET currency = 'BYN' WHERE payment_uid = 'pay-second'",
    'a payment has a known method, or none':
      "UPDATE payments SET method = 'card' WHERE payment_uid = 'pay-second'",
    'a payment has the method that its last event tells, if that tells one':
      "UPDATE payments SET method = 'other' WHERE payment_uid = 'pay-second'",
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
    'a document that a cash register is to register has an instruction, and no other document has one':
      "UPDATE receipts SET state = 'REGISTERED' WHERE kind = 'refund'",
    'a document waits for a contact until a time, or for the document of its sale, as that stands':
      "UPDATE receipts SET due_at = NULL WHERE waits_for = 'contact'",
    'a payment shows the latest document of its sale, and a completed refund has one if it has items':
      "UPDATE payments SET receipt = NULL WHERE payment_uid = 'pay-receipt'",
    'an ACCEPTED QR code has the token of its binding':
      "UPDATE tokens SET qr_code = NULL WHERE binding_uid = 'binding-1'",
    'a row of the outbox belongs to an event, to its QR code, its payment and its refund':
      "UPDATE outbox SET qr_code = qr_code + 1 WHERE queue = 'merchant'",
    'a row of the outbox is PENDING and due, or it has ended and is not':
      "UPDATE outbox SET status = 'DELIVERED' WHERE queue = 'merchant'",
    'a QR code that is paid many times has payments of its own amount, of which it shows an applied one':
      "UPDATE qr_codes SET payment = NULL WHERE qr_code_uid = 'sticker'",
    'a PAYED sale has the COMPLETED payment that it took, of its own amount, and no other sale has one':
      "UPDATE sales SET minor_units = 1 WHERE sale_uid = 's-1'",
    'an applied payment of a COUNTER code is the one payment of a sale of that code':
      "UPDATE payments SET sale = NULL WHERE payment_uid = 'pay-sale'",
    'a sale is as its last event tells, and only the latest one of a code is open':
      "UPDATE sales SET status = 'EXPIRED' WHERE sale_uid = 's-2'",
    'a QR code that is paid once has an end, and no other has one':
      "UPDATE qr_codes SET ttl = 60 WHERE qr_code_uid = 'sticker'",
    'a QR code has the link of a bank and a page of its own, or neither':
      "UPDATE qr_codes SET payload = 'https://qr.example/x' WHERE qr_code_uid = 'open'",
    'a payment of a QR code is not kept as unknown, unless it waits to be applied':
      "UPDATE payments SET qr_code = NULL WHERE payment_uid = 'pay-second'",
    'a person has a known role, and tills only as a cashier': "UPDATE people SET role = 'boss'",
    'a passkey has a person, who is not removed, and so has a session, of a passkey of the same person':
      "INSERT INTO person_sessions (id, person, passkey, started_at, used_at) VALUES ('s', 'anna', 'p', 1, 1)",
    'an invitation has an end, and its person is not removed': 'UPDATE people SET invited_until = NULL',
    'every reference leads to a row': "UPDATE qr_codes SET link_base = 99 WHERE qr_code_uid = 'open'",
  }

  it('finds what breaks each of its rules, and nothing where nothing is broken', async () => {
    const served = await started(data, { settings: EXTERNAL })
    const site = siteOf(served)
    await site.ask('/settings', { method: 'PUT', body: { callbackUrl: 'https://merchant.example/' } })
    expect((await site.ask('/people', { method: 'POST', body: ANNA })).status).toBe(200)
    await site.create('open')
    await site.create('short', {}, { ttl: 1 })
    const paidLink = linkIdIn(await site.create('paid'))
    await site.report(paidLink, 'pay-paid')
    // A repeat adds a method, which no event tells.
    await site.report(paidLink, 'pay-paid', { method: 'digitalRouble' })
    expect((await site.report(paidLink, 'pay-second', { method: 'sbp' })).text).toContain('PAYED')
    expect((await site.refund('pay-paid', 'r-done', 1)).status).toBe(200)
    await site.reportRefund('pay-paid', 'r-done', { status: 'COMPLETED' })
    expect((await site.refund('pay-paid', 'r-waiting', 1)).status).toBe(200)
    // Refunds that nobody requested, and more of them than was paid of the second payment.
    for (const [payment, uid, value] of [
      ['pay-paid', 'bank-1', 1],
      ['pay-second', 'bank-1', 4],
      ['pay-second', 'bank-2', 2],
    ] as const) {
      const fact = { status: 'COMPLETED', amount: { value } }
      expect((await site.reportRefund(payment, uid, fact)).status).toBe(200)
    }
    const sticker = linkIdIn(await site.create('sticker', {}, { type: 'STATIC' }))
    for (const uid of ['pay-1', 'pay-2']) expect((await site.report(sticker, uid)).status).toBe(200)
    const till = linkIdIn(await site.create('till', { amount: undefined }, { type: 'COUNTER' }))
    for (const saleUid of ['s-1', 's-2']) {
      const body = { amount: { value: 5 } }
      expect((await site.ask(`/sbp/qrCodes/till/sales/${saleUid}`, { method: 'PUT', body })).status).toBe(200)
      if (saleUid === 's-1') await site.report(till, 'pay-sale', { saleUid })
    }
    expect((await site.ask('/sbp/qrCodes/till/sales/s-2', { method: 'DELETE' })).status).toBe(200)
    const bound = await site.create('bound', { amount: undefined }, { type: 'TOKEN' })
    await site.bind(linkIdIn(bound), 'binding-1')
    const token = qrCodeOf(await site.ask('/sbp/qrCodes/bound')).token?.value
    await site.create('charged')
    const charge = await site.ask('/sbp/qrCodes/charged/payments', { method: 'POST', body: { token } })
    expect(charge.text).toContain('INIT_PAYMENT_BY_TOKEN')
    // One event with two notifications.
    const kept = await site.create('kept', { amount: undefined, flags: ['CREATE_TOKEN'] })
    const binding = { bindingUid: 'binding-2', status: 'CREATED' }
    expect((await site.report(linkIdIn(kept), 'pay-kept', { binding })).text).toContain('PAYED')
    // A charge that is declined after the ttl.
    const lateLink = linkIdIn(await site.create('late', {}, { ttl: 1 }))
    const late = await site.ask('/sbp/qrCodes/late/payments', { method: 'POST', body: { token } })
    const lateUid = qrCodeOf(late).payment?.paymentUid ?? ''
    // A sale whose document is registered, its refund, and a payment whose document waits for a contact.
    const register = { kind: 'atol', ffd: '1.2' }
    expect(
      (await asOperator(served, '/sites/demo/cashRegister', { method: 'PUT', body: register })).status,
    ).toBe(200)
    const receipts = { place: 'https://shop.example', email: 'shop@shop.example' }
    expect((await site.ask('/settings', { method: 'PATCH', body: { receipts } })).status).toBe(200)
    const receipt = {
      taxation: 'usnIncome',
      items: [{ name: 'Tea', price: '5.00', vat: 'none' }],
    }
    const contact = { email: 'mary@shop.example' }
    await site.report(
      linkIdIn(await site.create('sold', { receipt: { contact, ...receipt } })),
      'pay-receipt',
    )
    const {
      receipts: [sale],
    } = PaymentReceiptsAnswer.parse(await site.value('/payments/pay-receipt/receipts'))
    const fiscal = { fn: '9999078900000000', fd: '4172', fpd: '2915480733' }
    const registered = { state: 'REGISTERED', fiscal }
    const path = `/network/v1/sites/demo/receipts/${sale?.receiptUid}`
    expect((await site.ask(path, { method: 'PUT', body: registered })).status).toBe(200)
    expect((await site.refund('pay-receipt', 'r-receipt', 1)).status).toBe(200)
    await site.reportRefund('pay-receipt', 'r-receipt', { status: 'COMPLETED' })
    const asked = await site.create('asked', { receipt })
    await site.report(linkIdIn(asked), 'pay-asked')
    await served.stop()
    // The minute of the ttl passes in the file.
    const database = new DatabaseSync(fileOf(data))
    database.exec("UPDATE qr_codes SET created_at = created_at - 120 WHERE qr_code_uid IN ('short', 'late')")
    database.close()
    const again = await started(data)
    const after = siteOf(again)
    expect((await after.report(lateLink, lateUid, { status: 'DECLINED' })).text).toContain('EXPIRED')
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

  it('finds nothing in a site that has settings and no QR code yet', async () => {
    const served = await started(data)
    const body = { callbackUrl: 'https://merchant.example/' }
    expect((await siteOf(served).ask('/settings', { method: 'PUT', body })).status).toBe(200)
    await served.stop()
    expect(succeeds('verify', '--data', data)).toBe('sites: 1, with problems: 0\n')
  })

  it('says that a file is corrupted, that its tables are others or of a newer version', async () => {
    const served = await started(data)
    await siteOf(served).create('a')
    await served.stop()
    const change = (sql: string) => {
      const database = new DatabaseSync(fileOf(data))
      database.exec(sql)
      database.close()
    }
    const known = SITE.versions.length
    change(`UPDATE site SET schema_version = ${known + 1}`)
    expect(succeeds('verify', '--data', data)).toContain(
      `of version ${known + 1} of the schema: what is newer than version ${known} is not checked`,
    )
    change(`UPDATE site SET schema_version = ${known}`)
    // As in a site that an earlier build made, which has none of the new ones.
    change('DROP INDEX qr_codes_by_status; CREATE INDEX qr_codes_by_status ON qr_codes (status)')
    expect(run('verify', '--data', data)).toMatchObject({
      status: 1,
      output: expect.stringMatching(/differ from those of this version: qr_codes_by_status$/m),
    })
    const { leavesOut = '' } = SITE.inNew ?? {}
    const names = [...leavesOut.matchAll(/INDEX (\w+)/g)].map(([, name]) => name)
    change(`${names.map((name) => `DROP INDEX ${name}`).join(';')}; ${leavesOut}`)
    expect(succeeds('verify', '--data', data)).toBe('sites: 1, with problems: 0\n')
    change('DROP INDEX qr_codes_by_status; CREATE TABLE more (x)')
    expect(run('verify', '--data', data)).toMatchObject({
      status: 1,
      output: expect.stringContaining('differ from those of this version: more,qr_codes_by_status'),
    })
    rmSync(fileOf(data))
    writeFileSync(fileOf(data), Buffer.alloc(8192, 'x'))
    expect(run('verify', '--data', data)).toMatchObject({
      status: 1,
      output: expect.stringContaining('file is not a database'),
    })
    expect(readdirSync(objectsOf(data)).length).toBeGreaterThan(0)
  })
})
