// Where a receipt goes: the payer's e-mail or phone. It is personal data: answers show it masked.
import * as z from 'zod/mini'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'

/** One of the two. */
export type Contact = { email: string } | { phone: string }

const EMAIL_RULE = 'an e-mail address of at most 64 characters'
const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/
const PHONE_RULE = '+ and 10 to 15 digits'
const PHONE = /^\+\d{10,15}$/

export const Email = z
  .string(EMAIL_RULE)
  .check(z.refine((text) => text.length <= 64 && EMAIL.test(text), EMAIL_RULE))
  .apply(meta, { format: 'email', maxLength: 64 })
export const Phone = z
  .string(PHONE_RULE)
  .check(z.regex(PHONE, PHONE_RULE))
  .apply(meta, {
    pattern: PHONE.source,
    description: PHONE_RULE,
    examples: ['+79001234567'],
  })

/** The schema of a contact: exactly one of `email` and `phone`. */
export const ContactRequest = z
  .pipe(
    strictObject({ email: z.optional(Email), phone: z.optional(Phone) }),
    z.transform((contact, context): Contact => {
      const { email, phone } = contact
      if (email !== undefined && phone === undefined) return { email }
      if (phone !== undefined && email === undefined) return { phone }
      context.issues.push({ code: 'custom', input: contact, message: 'either email or phone' })
      return z.NEVER
    }),
  )
  .apply(meta, { id: 'ReceiptContact', description: 'Where the receipt goes: either `email` or `phone`' })

/** A contact as answers show it: `m…@shop.example`, `+7 900 ***-**-67`. */
export function maskedContact(contact: Contact): { email: string } | { phone: string } {
  if ('email' in contact) {
    const at = contact.email.lastIndexOf('@')
    return { email: `${contact.email.slice(0, 1)}…${contact.email.slice(at)}` }
  }
  const { phone } = contact
  const start = /^\+7\d{10}$/.test(phone) ? `+7 ${phone.slice(2, 5)}` : phone.slice(0, 4)
  return { phone: `${start} ***-**-${phone.slice(-2)}` }
}
