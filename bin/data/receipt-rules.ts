// Invariants of the documents of a site's cash register.
import type { SiteRule } from './site-rule.ts'

export const RECEIPT_RULES: readonly SiteRule[] = [
  {
    rule: 'a document that a cash register is to register has an instruction, and no other document has one',
    violations: `SELECT receipt_uid FROM receipts LEFT JOIN outbox ON outbox.event = receipts.event AND outbox.kind = 'receipt'
      WHERE iif(state IN ('WAITING', 'SENT') AND waits_for IS NULL, receipt_uid, NULL) IS NOT content ->> 'receiptUid'`,
  },
  {
    rule: 'a document waits for a contact until a time, or for the document of its sale, as that stands',
    violations: `SELECT receipts.receipt_uid FROM receipts LEFT JOIN receipts AS sale
        ON sale.number = (SELECT receipt FROM payments WHERE payments.number = receipts.payment)
      WHERE receipts.waits_for IS NOT NULL AND receipts.state <> 'WAITING'
        OR (receipts.waits_for IS 'contact') <> (receipts.due_at IS NOT NULL)
        OR receipts.waits_for = 'sale' AND sale.state NOT IN ('WAITING', 'SENT')
        OR receipts.waits_for = 'failedSale' AND sale.state <> 'FAILED'`,
  },
  {
    rule: 'a payment shows the latest document of its sale, and a completed refund has one if it has items',
    violations: `SELECT payment_uid FROM payments WHERE receipt IS NOT
        (SELECT max(number) FROM receipts WHERE payment = payments.number AND receipts.kind = 'sale')
      UNION ALL SELECT refund_uid FROM refunds WHERE items IS NOT NULL
        AND (status = 'COMPLETED') <> EXISTS (SELECT 1 FROM receipts WHERE refund = refunds.number)`,
  },
]
