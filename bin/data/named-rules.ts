// Invariants of the rows that a QR code names, see src/site/rows/named.ts.
import type { SiteRule } from './site-rule.ts'

export const NAMED_RULES: readonly SiteRule[] = [
  {
    rule: 'an event that is named stands in the row of its QR code, or of a refund that the code shows',
    violations: `SELECT 'event ' || events.number FROM events LEFT JOIN qr_codes ON qr_codes.number = qr_code
      WHERE named = 1 AND events.number IS NOT created_event AND events.number IS NOT ended_event AND NOT EXISTS (
        SELECT 1 FROM refunds WHERE refunds.payment = qr_codes.payment AND events.number IN (event, completed_event))`,
  },
  {
    rule: 'the events that stand in the row of a QR code are its creation, and the one of its status',
    violations: `SELECT qr_code_uid FROM qr_codes
      LEFT JOIN events AS created ON created.number = created_event AND created.qr_code = qr_codes.number
      LEFT JOIN events AS ended ON ended.number = ended_event AND ended.qr_code = qr_codes.number
      WHERE (created_event IS NOT NULL AND created.type IS NOT 'qrCode.created')
        OR (ended_event IS NOT NULL AND (ended.status IS NULL OR ended.status NOT IN ('EXPIRED', 'CANCELLED', qr_codes.status)
          OR qr_codes.status NOT IN ('PAYED', ended.status)))`,
  },
  {
    rule: 'a payment that is named is the one that its QR code shows',
    violations: `SELECT payment_uid FROM payments LEFT JOIN qr_codes ON qr_codes.number = qr_code
      WHERE named = 1 AND qr_codes.payment IS NOT payments.number`,
  },
]
