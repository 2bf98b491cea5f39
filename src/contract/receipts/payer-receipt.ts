// What a payer is shown of the receipt of a payment: whether the page asks where it goes, and the link once it is registered.
import { type Contact, Email, Phone } from './contact.ts'

export type ContactKind = 'email' | 'phone'

/** Of a DYNAMIC code, or of a sale that the browser has followed. */
export interface PayerReceipt {
  /** Set while a contact can be given or corrected: until the document is sent. What was given is never shown. */
  contact?: { kinds: readonly ContactKind[]; isGiven: boolean } | undefined
  /** Whether the document is made, and not registered yet: the page waits for it. */
  isPending: boolean
  /** The document, once it is registered, and where it can be read. */
  registered?: { receiptUid: string; url: string | undefined } | undefined
}

/**
 * A contact as a person types it: `me@shop.example`, `8 900 123-45-67`.
 * @param kinds those that the cash register takes
 * @returns undefined for any other text
 */
export function typedContact(text: string, kinds: readonly ContactKind[]): Contact | undefined {
  const trimmed = text.trim()
  if (trimmed.includes('@')) {
    const email = Email.safeParse(trimmed)
    return kinds.includes('email') && email.success ? { email: email.data } : undefined
  }
  const phone = Phone.safeParse(internationalPhone(trimmed))
  return kinds.includes('phone') && phone.success ? { phone: phone.data } : undefined
}

/** A Russian number with its country; what begins with a plus is of any country. */
function internationalPhone(text: string): string {
  if (!/^\+?[\d\s().-]+$/.test(text)) return ''
  const digits = text.replace(/\D/g, '')
  if (text.startsWith('+')) return `+${digits}`
  if (/^[78]\d{10}$/.test(digits)) return `+7${digits.slice(1)}`
  return /^9\d{9}$/.test(digits) ? `+7${digits}` : ''
}
