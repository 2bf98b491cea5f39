// The contact that a payer types on the page of a code or of a sale (contract, section 13).
import { capabilitiesOf } from '../../contract/receipts/cash-register.ts'
import type { Contact } from '../../contract/receipts/contact.ts'
import { isPayable } from '../../contract/status.ts'
import type { Outcome } from '../../errors.ts'
import { qrCodeAt, saleAt } from '../clock.ts'
import type { Context } from '../context.ts'
import { notAllowed, ok, QR_CODE_NOT_FOUND, SALE_NOT_FOUND } from '../outcomes.ts'
import { findQrCode, type QrCodeKey, type QrCodeRow } from '../qr-codes/rows.ts'
import { findSale, type SaleRow } from '../sales/rows.ts'
import { proceed } from './changes.ts'
import { type ContactOwner, putContact } from './contacts.ts'
import { saleDocument } from './rows.ts'
import { refusedFields, termsOf } from './terms.ts'

/** What the payer typed, and for which sale of a COUNTER code. */
export interface GivenContact {
  contact: Contact
  saleUid?: string | undefined
}

/**
 * Takes the contact, in place of an earlier one: a typo can be corrected until the document is sent. A document that waits for it is due
 * at once.
 * @returns payin.resource.not.found; payin.incorrect-method-invocation where none is asked for; validation.error of a kind that the cash
 * register does not take
 */
export function giveContact(
  context: Context,
  key: QrCodeKey,
  { contact, saleUid }: GivenContact,
): Outcome<void> {
  const { sql } = context
  const row = findQrCode(sql, key)
  if (!row) return QR_CODE_NOT_FOUND
  const sale = saleUid === undefined ? undefined : findSale(sql, row.number, saleUid)
  if (saleUid !== undefined && !sale) return SALE_NOT_FOUND
  const asked = askedOf(context, row, sale)
  if (!asked) return NOT_ASKED
  const [kind] = Object.keys(contact)
  const taken = capabilitiesOf(termsOf(sql, asked.terms).register).contacts
  if (!taken.some((each) => each === kind)) {
    return refusedFields({ [`contact.${kind}`]: [`is present, must be ${taken.join(' or ')}`] })
  }
  putContact(context, asked.owner, contact)
  if (asked.waiting !== undefined) proceed(context, asked.waiting)
  return ok(undefined)
}

const NOT_ASKED = notAllowed('no contact is asked for, or the receipt was sent already')

interface Asked {
  owner: ContactOwner
  /** The number of the terms. */
  terms: number
  /** The number of the document that waits for it. */
  waiting: number | undefined
}

/** Whose contact the page asks for now; undefined where it asks for none. @param sale of a COUNTER code, which the payer follows */
export function askedOf(
  { sql, now }: Pick<Context, 'sql' | 'now'>,
  row: QrCodeRow,
  sale: SaleRow | undefined,
): Asked | undefined {
  const of = sale ?? row
  const isOne = sale ? row.type === 'COUNTER' : row.type === 'DYNAMIC'
  if (!isOne || of.receipt_terms === null || !termsOf(sql, of.receipt_terms).askContact) return undefined
  const asked = {
    owner: { of: sale ? ('sale' as const) : ('qrCode' as const), row: of.number },
    terms: of.receipt_terms,
  }
  const document = of.payment === null ? undefined : saleDocument(sql, of.payment)
  if (document) return document.waits_for === 'contact' ? { ...asked, waiting: document.number } : undefined
  const canBePaid = sale ? saleAt(sale, now).status === 'ACTIVE' : isPayable(qrCodeAt(row, now).status)
  return canBePaid ? { ...asked, waiting: undefined } : undefined
}
