// Erases contacts to the last byte: one of few parts of the alarm that most sites never need.
import { int, rowsWith, text } from '../rows/columns.ts'
import { paymentsOfCode } from '../rows/named.ts'
import { BLANK, type ContactContext, DAY, daysOf } from './contacts.ts'

/** Contacts that one write looks at. */
const SWEEP = 50

/** The payments that a contact is of. */
const PAYMENTS = `SELECT contacts.row WHERE contacts.of = 'payment' UNION ALL SELECT payment FROM sales WHERE contacts.of = 'sale' AND sales.number = contacts.row
    UNION ALL SELECT number FROM (${paymentsOfCode('+contacts.row')}) WHERE contacts.of = 'qrCode'`

/** Whether something still needs a contact: a code or a sale that can be paid, a refund that waits, or a document that is not registered. */
const IS_NEEDED = `EXISTS (SELECT 1 FROM receipts WHERE +state IN ('WAITING', 'SENT') AND payment IN (${PAYMENTS}))
  OR EXISTS (SELECT 1 FROM refunds WHERE +status = 'WAITING' AND items IS NOT NULL AND payment IN (${PAYMENTS}))
  OR contacts.of = 'qrCode' AND EXISTS (SELECT 1 FROM qr_codes WHERE qr_codes.number = contacts.row AND status IN ('CREATED', 'DECLINED', 'INIT_PAYMENT_BY_TOKEN'))
  OR contacts.of = 'sale' AND EXISTS (SELECT 1 FROM sales WHERE sales.number = contacts.row AND ended_at IS NULL)`

const readOwners = rowsWith({ of: text, row: int })

/** Erases contacts that no document has used for the time of retention; one that is still needed is looked at again a day later. */
export function eraseContacts({ sql, memory, now }: ContactContext): void {
  const days = daysOf(sql)
  if (days === undefined) return
  const before = now - days * DAY
  const query = "SELECT of, row FROM contacts WHERE of <> 'free' AND used_at <= ? ORDER BY used_at LIMIT ?"
  const owners = readOwners(sql, query, before, SWEEP)
  if (owners.length === 0) return
  const old = JSON.stringify(owners.map(({ of, row }) => [of, row]))
  // Joined, because SQLite finds no pair of an IN by the key.
  const listed = 'contacts.of = old.value ->> 0 AND contacts.row = old.value ->> 1'
  sql.exec(
    `UPDATE contacts SET used_at = ? FROM json_each(?) AS old WHERE ${listed} AND (${IS_NEEDED})`,
    ...[before + DAY, old],
  )
  sql.exec(
    `UPDATE contact_texts SET contact = ? WHERE number IN
       (SELECT text FROM json_each(?) AS old JOIN contacts ON ${listed} WHERE used_at <= ?)`,
    ...[BLANK, old, before],
  )
  sql.exec(
    `UPDATE contacts SET of = 'free', row = text FROM json_each(?) AS old WHERE ${listed} AND used_at <= ?`,
    ...[old, before],
  )
  memory.forgetContactTexts()
}
