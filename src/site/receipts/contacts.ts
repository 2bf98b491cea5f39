// The tables `contacts` and `contact_texts`: the only place of a payer's e-mail or phone, from which it is erased to the last byte.
import type { Contact } from '../../contract/receipts/contact.ts'
import type { ContactTexts, Context, Memory } from '../context.ts'
import { integer, type Sql } from '../rows/sql.ts'
import { type Milliseconds, plus, type Seconds, seconds, toMilliseconds } from '../time.ts'

export interface ContactContext extends Pick<Context, 'now'> {
  sql: Sql
  memory: Pick<Memory, 'contactTexts' | 'contactAppended' | 'forgetContactTexts'>
}

/** Whose contact it is: of a code, of a sale, or of a payment, for which the merchant stated another one later. */
export interface ContactOwner {
  of: 'qrCode' | 'sale' | 'payment'
  /** The number of its row. */
  row: number
}

/** No phone has an @. */
export const contactIn = (text: string): Contact => (text.includes('@') ? { email: text } : { phone: text })

/** Every text has this length, so that each is written in the place of another. */
const LENGTH = 64
export const BLANK = ' '.repeat(LENGTH)

const storedText = (contact: Contact): string =>
  ('email' in contact ? contact.email : contact.phone).padEnd(LENGTH)

/** Which text the next contact takes, from the tables. */
export const contactTextsIn = (sql: Sql): ContactTexts => ({
  latest: integer(sql, 'SELECT max(number) FROM contact_texts'),
  free: integer(sql, "SELECT text FROM contacts WHERE of = 'free' LIMIT 1"),
})

/** Puts a contact in place of the one that was there. */
export function putContact(context: ContactContext, owner: ContactOwner, contact: Contact): void {
  const { sql, now } = context
  const known = integer(sql, 'SELECT text FROM contacts WHERE of = ? AND row = ?', owner.of, owner.row)
  if (known === undefined) {
    addContact(context, owner, contact)
  } else {
    sql.exec('UPDATE contact_texts SET contact = ? WHERE number = ?', storedText(contact), known)
    sql.exec('UPDATE contacts SET used_at = ? WHERE of = ? AND row = ?', now, owner.of, owner.row)
  }
}

/** Puts a contact where none was. */
export function addContact(
  { sql, memory, now }: ContactContext,
  { of, row }: ContactOwner,
  contact: Contact,
): void {
  const { latest, free } = memory.contactTexts
  if (free === undefined) {
    const number = (latest ?? fill(sql)) + 1
    sql.exec('INSERT INTO contact_texts (number, contact) VALUES (?, ?)', number, storedText(contact))
    sql.exec('INSERT INTO contacts (of, row, used_at, text) VALUES (?, ?, ?, ?)', of, row, now, number)
    memory.contactAppended(number)
  } else {
    sql.exec('UPDATE contact_texts SET contact = ? WHERE number = ?', storedText(contact), free)
    const taken = "UPDATE contacts SET of = ?, row = ?, used_at = ? WHERE of = 'free' AND row = ?"
    sql.exec(taken, of, row, now, free)
    memory.forgetContactTexts()
  }
}

/** Fills the first page of the table with rows of no text, see the schema. @returns the number of the last one */
function fill(sql: Sql): number {
  const filler = '0'.repeat(3000)
  sql.exec('INSERT INTO contact_texts (number, contact) VALUES (1, ?), (2, ?)', filler, filler)
  return 2
}

/** Whether somebody has stated a contact. */
export const hasContact = (sql: Sql, { of, row }: ContactOwner): boolean =>
  integer(sql, 'SELECT 1 FROM contacts WHERE of = ? AND row = ?', of, row) !== undefined

/** The contact of a payment of the row of a query, as a subquery: the merchant's for it, else the sale's, else the code's. */
export const contactOf = (payment: string): string =>
  `(SELECT rtrim(contact) FROM contact_texts WHERE number = coalesce(${[
    `'payment' AND row = ${payment}`,
    `'sale' AND row = (SELECT sale FROM payments WHERE payments.number = ${payment})`,
    `'qrCode' AND row = (SELECT qr_code FROM payments WHERE payments.number = ${payment})`,
  ]
    .map((owner) => `(SELECT text FROM contacts WHERE of = ${owner})`)
    .join(', ')}))`

/** Notes that a document of a payment has the contact: it is kept on. */
export const useContacts = (sql: Sql, payment: number, now: Seconds): void =>
  void sql.exec(
    `UPDATE contacts SET used_at = ?2 WHERE +used_at < ?2 AND (of = 'payment' AND row = ?1
       OR of = 'sale' AND row = (SELECT sale FROM payments WHERE number = ?1)
       OR of = 'qrCode' AND row = (SELECT qr_code FROM payments WHERE number = ?1))`,
    ...[payment, now],
  )

export const DAY = seconds(86_400)

/** For how many days contacts are kept that nothing uses. */
export const daysOf = (sql: Sql): number | undefined =>
  integer(sql, 'SELECT retention_days FROM site WHERE retention_days IS NOT NULL')

/** When the next contact is old enough to be erased; undefined where there is none, or contacts are kept for ever. */
export function nextErasure(sql: Sql): Milliseconds | undefined {
  const first = integer(sql, "SELECT used_at FROM contacts WHERE of <> 'free' ORDER BY used_at LIMIT 1")
  const days = first === undefined ? undefined : daysOf(sql)
  return first === undefined || days === undefined
    ? undefined
    : toMilliseconds(plus(seconds(first), seconds(days * DAY)))
}
