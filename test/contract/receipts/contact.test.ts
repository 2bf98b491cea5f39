import { describe, expect, it } from 'vitest'
import { type Contact, ContactRequest, maskedContact } from '../../../src/contract/receipts/contact.ts'

describe('a contact', () => {
  it.each([
    [{ email: 'customer@shop.example' }],
    [{ email: 'a.b+c@sub.shop.example' }],
    [{ email: `${'a'.repeat(51)}@shop.example` }],
    [{ phone: '+79001234567' }],
    [{ phone: '+1234567890' }],
    [{ phone: '+123456789012345' }],
  ])('can be %o', (contact) => expect(ContactRequest.parse(contact)).toEqual(contact))

  it.each([
    [{}],
    [{ email: 'customer@shop.example', phone: '+79001234567' }],
    [{ email: 'customer' }],
    [{ email: '@shop.example' }],
    [{ email: 'customer@shop' }],
    [{ email: 'customer@shop.example\n' }],
    [{ email: 'a b@shop.example' }],
    [{ email: 'покупатель@shop.example' }],
    [{ email: `${'a'.repeat(52)}@shop.example` }],
    [{ phone: '89001234567' }],
    [{ phone: '+7 900 123-45-67' }],
    [{ phone: '+123456789' }],
    [{ phone: '+1234567890123456' }],
    [{ phone: '+79001234567', name: 'A' }],
  ])('cannot be %o', (contact) => expect(ContactRequest.safeParse(contact).success).toBe(false))

  it.each<[Contact, Contact]>([
    [{ email: 'maria@shop.example' }, { email: 'm…@shop.example' }],
    [{ email: 'm@shop.example' }, { email: 'm…@shop.example' }],
    [{ phone: '+79001234567' }, { phone: '+7 900 ***-**-67' }],
    [{ phone: '+375291234567' }, { phone: '+375 ***-**-67' }],
    [{ phone: '+1234567890' }, { phone: '+123 ***-**-90' }],
  ])('%o is shown as %o', (contact, masked) => expect(maskedContact(contact)).toEqual(masked))
})
