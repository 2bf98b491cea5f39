// Invariants of every site's database: each rule is a query that selects its violations.
import { PAYMENT_METHODS } from '../../src/contract/payment.ts'
import { INSTRUCTIONS } from '../../src/site/outbox/rows.ts'
import { INDEXED_PAYMENTS, UNNAMED } from '../../src/site/rows/named.ts'
import { NAMED_RULES } from './named-rules.ts'
import { PEOPLE_RULES } from './people-rules.ts'
import { RECEIPT_RULES } from './receipt-rules.ts'
import type { SiteRule } from './site-rule.ts'

/** How many events of their creation QR codes have. */
const CREATIONS = `SELECT qr_code, count(*) AS count FROM events WHERE type = 'qrCode.created' AND qr_code IS NOT NULL GROUP BY qr_code`

/** The last event of each QR code that tells its status. */
const LAST_OF_CODES = `SELECT qr_code, status, max(number) FROM events WHERE qr_code IS NOT NULL AND status IS NOT NULL GROUP BY qr_code`

/** The last event of each payment. */
const LAST_OF_PAYMENTS = `SELECT CAST(payment ->> 'paymentUid' AS TEXT) AS uid, payment ->> 'status' AS status,
    payment ->> 'applied' AS applied, payment ->> '$.amount.minorUnits' AS minor_units,
    payment ->> '$.amount.currency' AS currency, payment ->> 'method' AS method, qr_code, max(number) AS number
  FROM events WHERE type LIKE 'payment.%' AND payment IS NOT NULL GROUP BY uid`

/** The last event of each refund. */
const LAST_OF_REFUNDS = `SELECT CAST(refund ->> 'refundUid' AS TEXT) AS uid, CAST(refund ->> 'paymentUid' AS TEXT) AS payment_uid,
    refund ->> 'status' AS status, refund ->> '$.amount.minorUnits' AS minor_units, max(number) AS number
  FROM events WHERE refund IS NOT NULL GROUP BY uid, payment_uid`

export const RULES: readonly SiteRule[] = [
  {
    rule: 'events are numbered from 1, without gaps but for those that retention deleted',
    violations: `SELECT present || ' events and ' || deleted_events || ' deleted, the last one is ' || last FROM (
        SELECT deleted_events, (SELECT count(*) FROM events) AS present,
          max(last_event, (SELECT ifnull(max(number), 0) FROM events)) AS last FROM site WHERE deleted_at IS NULL)
      WHERE present + deleted_events <> last`,
  },
  {
    rule: 'a QR code has exactly one event of its creation',
    violations: `SELECT qr_code_uid FROM qr_codes
      LEFT JOIN (${CREATIONS}) AS creations ON qr_code = qr_codes.number WHERE count IS NOT 1`,
  },
  {
    rule: 'the status of a QR code is the one of its last event',
    violations: `SELECT qr_code_uid || ' is ' || qr_codes.status FROM qr_codes
      LEFT JOIN (${LAST_OF_CODES}) AS last_event ON qr_code = qr_codes.number WHERE qr_codes.status IS NOT last_event.status`,
  },
  ...NAMED_RULES,
  {
    rule: 'a QR code that has EXPIRED did so at the end of its ttl or its link, or at the later end of its charge',
    violations: `SELECT qr_code_uid FROM events JOIN qr_codes ON qr_codes.number = events.qr_code
      LEFT JOIN events AS before ON before.number = events.number - 1 AND before.qr_code = events.qr_code
        AND before.type LIKE 'payment.%' AND before.at = events.at AND before.at > end_at
      WHERE events.type = 'qrCode.expired' AND events.at IS NOT end_at AND before.number IS NULL`,
  },
  {
    rule: 'a QR code that is paid once has an end, and no other has one',
    violations: `SELECT qr_code_uid FROM qr_codes WHERE (type IN ('DYNAMIC', 'TOKEN')) <> (end_at IS NOT NULL)`,
  },
  {
    rule: 'a QR code has the link of a bank and a page of its own, or neither',
    violations: 'SELECT qr_code_uid FROM qr_codes WHERE (payload IS NULL) <> (page_id IS NULL)',
  },
  {
    rule: 'a payment of a QR code is not kept as unknown, unless it waits to be applied',
    violations: `SELECT payment_uid FROM payments JOIN qr_codes ON qr_codes.link_id = payments.link_id
      WHERE payments.qr_code IS NULL AND qr_codes.number NOT IN (
        SELECT CAST(key AS INTEGER) FROM site, json_each(unapplied_payments))`,
  },
  {
    rule: 'a QR code that retention deleted is there no more, and has no event but of payments that came later',
    violations: `SELECT qr_code_uid FROM deleted_qr_codes AS deleted WHERE EXISTS (SELECT 1 FROM qr_codes
        WHERE number = deleted.number OR qr_code_uid = deleted.qr_code_uid OR link_id = deleted.link_id)
      OR EXISTS (SELECT 1 FROM events WHERE qr_code = deleted.number AND ${UNNAMED}
        AND (status IS NOT NULL OR payment IS NULL AND refund IS NULL))`,
  },
  {
    rule: 'the QR code of a payment or an event is there, or was deleted by retention',
    violations: `SELECT what FROM (SELECT 'payment ' || payment_uid AS what, qr_code FROM payments
        UNION ALL SELECT 'event ' || number, qr_code FROM events)
      WHERE qr_code IS NOT NULL AND qr_code NOT IN (SELECT number FROM qr_codes UNION ALL SELECT number FROM deleted_qr_codes)`,
  },
  {
    rule: 'a site that was deleted has nothing but its tombstone',
    violations: `SELECT site_id FROM site WHERE registry_entry ->> 'deletedAt' IS NOT NULL
      AND (EXISTS (SELECT 1 FROM events) OR EXISTS (SELECT 1 FROM qr_codes)
        OR EXISTS (SELECT 1 FROM deleted_qr_codes) OR EXISTS (SELECT 1 FROM outbox)
        OR EXISTS (SELECT 1 FROM people))`,
  },
  {
    rule: 'a PAYED QR code has the COMPLETED payment that it took, of its own amount, and no other QR code has one',
    violations: `SELECT qr_code_uid FROM qr_codes LEFT JOIN payments ON payments.number = payment
      AND qr_code = qr_codes.number AND applied = 1 AND payments.status = 'COMPLETED'
      AND (qr_codes.minor_units IS NULL
        OR (payments.minor_units = qr_codes.minor_units AND payments.currency = qr_codes.currency))
      WHERE qr_codes.type IN ('DYNAMIC', 'TOKEN') AND (qr_codes.status = 'PAYED') <> (payments.number IS NOT NULL)`,
  },
  {
    rule: 'an applied payment that WAITS or is COMPLETED is the one that its QR code shows, if that is paid once',
    violations: `SELECT payment_uid FROM payments JOIN qr_codes ON qr_codes.number = qr_code
      WHERE qr_codes.type IN ('DYNAMIC', 'TOKEN') AND applied = 1 AND payments.status <> 'DECLINED' AND payment IS NOT payments.number`,
  },
  {
    rule: 'at most one COMPLETED payment is applied to a QR code that is paid once',
    violations: `SELECT qr_code_uid FROM payments JOIN qr_codes ON qr_codes.number = qr_code
      WHERE applied = 1 AND payments.status = 'COMPLETED' AND qr_codes.type IN ('DYNAMIC', 'TOKEN') GROUP BY qr_code HAVING count(*) > 1`,
  },
  {
    rule: 'a QR code that is paid many times has payments of its own amount, of which it shows an applied one',
    violations: `SELECT qr_code_uid FROM qr_codes WHERE type IN ('STATIC', 'COUNTER') AND (
      payment IS NOT NULL AND payment NOT IN (
        SELECT number FROM payments WHERE ${INDEXED_PAYMENTS} +qr_codes.number AND applied = 1 AND payments.status = 'COMPLETED')
      OR payment IS NULL AND EXISTS (SELECT 1 FROM payments WHERE ${INDEXED_PAYMENTS} +qr_codes.number AND applied = 1)
      OR EXISTS (SELECT 1 FROM payments WHERE ${INDEXED_PAYMENTS} +qr_codes.number AND applied = 1
        AND (payments.minor_units <> qr_codes.minor_units OR payments.currency <> qr_codes.currency)))`,
  },
  {
    rule: 'a PAYED sale has the COMPLETED payment that it took, of its own amount, and no other sale has one',
    violations: `SELECT sale_uid FROM sales LEFT JOIN payments ON payments.number = sales.payment
      AND payments.sale = sales.number AND applied = 1 AND payments.status = 'COMPLETED'
      AND payments.minor_units = sales.minor_units AND payments.currency = sales.currency
      WHERE (sales.status = 'PAYED') <> (payments.number IS NOT NULL)`,
  },
  {
    rule: 'an applied payment of a COUNTER code is the one payment of a sale of that code',
    violations: `SELECT payment_uid FROM payments JOIN qr_codes ON qr_codes.number = payments.qr_code
      LEFT JOIN sales ON sales.number = sale AND sales.qr_code = payments.qr_code AND sales.payment = payments.number
      WHERE type = 'COUNTER' AND applied = 1 AND sales.number IS NULL`,
  },
  {
    rule: 'a sale is as its last event tells, and only the latest one of a code is open',
    violations: `SELECT sale_uid FROM sales WHERE status NOT IN ('WAITING', 'PAYED') AND status IS NOT (
      SELECT sale ->> 'status' FROM events WHERE events.qr_code = sales.qr_code AND ${UNNAMED} AND sale ->> 'saleUid' = sale_uid
      ORDER BY number DESC LIMIT 1)
      OR (ended_at IS NULL) <> (status IN ('WAITING', 'ACTIVE'))
      OR (ended_at IS NULL AND number < (SELECT max(number) FROM sales AS later WHERE later.qr_code = sales.qr_code))`,
  },
  {
    rule: 'a COMPLETED payment is applied, or has a reason why it is not',
    violations: `SELECT payment_uid FROM payments WHERE status = 'COMPLETED' AND (applied = 1) = (not_applied_reason IS NOT NULL)`,
  },
  {
    rule: 'a payment is as its last event tells',
    violations: `SELECT payment_uid FROM payments LEFT JOIN (${LAST_OF_PAYMENTS}) AS last_event ON uid = payment_uid
      WHERE payments.status IS NOT last_event.status OR payments.minor_units IS NOT last_event.minor_units
        OR payments.currency IS NOT last_event.currency OR payments.qr_code IS NOT last_event.qr_code
        OR (payments.status = 'COMPLETED' AND payments.applied IS NOT last_event.applied)`,
  },
  {
    rule: 'a payment has a known method, or none',
    violations: `SELECT payment_uid FROM payments WHERE method NOT IN (${PAYMENT_METHODS.map((method) => `'${method}'`)})`,
  },
  {
    rule: 'a payment has the method that its last event tells, if that tells one',
    violations: `SELECT uid FROM (${LAST_OF_PAYMENTS}) AS told WHERE method IS NOT NULL
      AND method IS NOT (SELECT method FROM payments WHERE payment_uid = told.uid)`,
  },
  {
    rule: 'every payment that an event tells of is there',
    violations: `SELECT uid FROM (${LAST_OF_PAYMENTS}) WHERE uid NOT IN (SELECT payment_uid FROM payments)`,
  },
  {
    rule: 'the sums of the completed payments are those of the events',
    violations: `SELECT currency || ' ' || sum(amount) FROM (
        SELECT currency, minor_units AS amount FROM payments WHERE status = 'COMPLETED'
        UNION ALL SELECT currency, -minor_units FROM (${LAST_OF_PAYMENTS}) WHERE status = 'COMPLETED')
      GROUP BY currency HAVING sum(amount) <> 0`,
  },
  {
    rule: 'a refund is as its last event tells',
    violations: `SELECT refund_uid FROM refunds JOIN payments ON payments.number = payment
      LEFT JOIN (${LAST_OF_REFUNDS}) AS last_event ON last_event.uid = refund_uid AND last_event.payment_uid = payments.payment_uid
      WHERE refunds.status IS NOT last_event.status OR refunds.minor_units IS NOT last_event.minor_units`,
  },
  {
    rule: 'every refund that an event tells of is there',
    violations: `SELECT uid FROM (${LAST_OF_REFUNDS}) AS told WHERE NOT EXISTS (
      SELECT 1 FROM payments JOIN refunds ON refunds.payment = payments.number AND refund_uid = told.uid
        WHERE payments.payment_uid = told.payment_uid)`,
  },
  {
    rule: 'a refund has the event that requested it, or that reported it',
    violations: `SELECT refund_uid FROM refunds JOIN payments ON payments.number = refunds.payment
      LEFT JOIN events ON events.number = refunds.event AND events.type IN ('refund.waiting', 'refund.completed')
        AND refund ->> 'refundUid' = refund_uid AND refund ->> 'paymentUid' = payment_uid
      WHERE events.number IS NULL`,
  },
  {
    rule: 'accepted refunds never exceed the payment, unless the network reported so',
    violations: `SELECT payment_uid FROM payments JOIN refunds ON payment = payments.number
      WHERE refunds.status IN ('WAITING', 'COMPLETED') GROUP BY payments.number
      HAVING sum(refunds.minor_units) > payments.minor_units AND payment_uid NOT IN (
        SELECT refund ->> 'paymentUid' FROM events WHERE refund ->> 'overRefunded' = 1)`,
  },
  {
    rule: 'a refund that WAITS has an instruction to the network, and no other refund has one',
    violations: `SELECT refund_uid FROM refunds
      LEFT JOIN outbox ON outbox.event = refunds.event AND kind = 'instruction'
      WHERE (refunds.status = 'WAITING') <> (outbox.event IS NOT NULL)`,
  },
  {
    rule: 'a QR code that is INIT_PAYMENT_BY_TOKEN has a charge that WAITS, and no other QR code has one applied',
    violations: `SELECT qr_code_uid FROM qr_codes LEFT JOIN payments ON payments.number = payment
      AND qr_code = qr_codes.number AND applied = 1 AND payments.status = 'WAITING'
      WHERE (qr_codes.status = 'INIT_PAYMENT_BY_TOKEN') <> (payments.number IS NOT NULL)`,
  },
  {
    rule: 'a payment that WAITS has an instruction to the network, and no other payment has one',
    violations: `SELECT payment_uid FROM payments
      LEFT JOIN outbox ON outbox.event = payments.event AND kind = 'instruction'
      WHERE (payments.status = 'WAITING') <> (outbox.event IS NOT NULL)`,
  },
  ...RECEIPT_RULES,
  {
    rule: 'an ACCEPTED QR code has the token of its binding',
    violations: `SELECT qr_code_uid FROM qr_codes WHERE status = 'ACCEPTED' AND NOT EXISTS (
      SELECT 1 FROM tokens WHERE qr_code = qr_codes.number AND binding_uid IS NOT NULL)`,
  },
  ...PEOPLE_RULES,
  {
    rule: 'a row of the outbox belongs to an event, to its QR code, its payment and its refund',
    violations: `SELECT outbox.event FROM outbox LEFT JOIN events ON events.number = outbox.event
      WHERE events.number IS NULL OR (queue LIKE 'merchant%') = (${INSTRUCTIONS})
        OR (queue LIKE 'merchant:%') <> (kind LIKE '%:' || substr(queue, 10))
        OR (outbox.qr_code IS NOT events.qr_code AND content ->> 'type' IS NOT 'receipt.register')
        OR (content ->> 'type' IN ('PAYMENT', 'payment.charge') AND content ->> 'paymentUid' IS NOT payment ->> 'paymentUid')
        OR (content ->> 'type' IN ('REFUND', 'refund.create')
          AND content ->> 'refundUid' IS NOT refund ->> 'refundUid')`,
  },
  {
    rule: 'a row of the outbox is PENDING and due, or it has ended and is not',
    violations: `SELECT event FROM outbox WHERE status NOT IN ('PENDING', 'DELIVERED', 'FAILED')
      OR (status = 'PENDING') <> (due_at IS NOT NULL) OR (due_at IS NULL) <> (send_at IS NULL)
      OR (status = 'PENDING') <> (delete_at IS NULL) OR (status <> 'PENDING' AND leased_until IS NOT NULL)`,
  },
]
