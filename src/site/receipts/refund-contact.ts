// The contact of the receipt of a refund: the request can state one, and must where the receipt rides on the refund and there is none.
import { capabilitiesOf } from '../../contract/receipts/cash-register.ts'
import type { Contact } from '../../contract/receipts/contact.ts'
import { refuseContact } from '../../contract/receipts/register-rules.ts'
import type { Refusal } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { PaymentRow } from '../payments/rows.ts'
import type { RefundPlan } from '../rows/receipts.ts'
import { putContact, useContacts } from './contacts.ts'
import { saleDocument } from './rows.ts'
import { refusedFields, termsOf } from './terms.ts'

/** Why the contact of a refund is refused. @param plan of its receipt @returns validation.error */
export function refuseContactOfRefund(
  sql: SqlStorage,
  payment: PaymentRow,
  plan: Omit<RefundPlan, 'place'>,
  contact: Contact | undefined,
): Refusal | undefined {
  const sale = saleDocument(sql, payment.number)
  if (!sale) return undefined
  const { register } = termsOf(sql, sale.terms)
  if (contact) {
    const fields = refuseContact(contact, register)
    return fields && refusedFields(fields)
  }
  // The bank makes the receipt of a whole payment's refund of what was sold.
  const isNeeded = capabilitiesOf(register).rides && plan.isWhole !== true && sale.contact === null
  return isNeeded ? refusedFields({ 'receipt.contact': [IS_ERASED] }) : undefined
}

const IS_ERASED = 'is missing, must be stated: the contact of the payment was erased'

/** Keeps the contact of the refund that was accepted, or that of its payment, until the receipt was sent. */
export function keepContactOfRefund(
  context: Context,
  { number }: PaymentRow,
  contact: Contact | undefined,
): void {
  if (contact) putContact(context, { of: 'payment', row: number }, contact)
  else useContacts(context.sql, number, context.now)
}
