// The document of Raiffeisenbank's fiscal API (October 2021): roubles as numbers, and the words of its enumerations.
import { Refused } from '../../banks/bank-errors.ts'
import type { NewDocument } from '../cash-register.ts'
import { METHOD_WORDS, OBJECT_WORDS, UNIT_WORDS, VAT_WORDS, wordOf } from '../words.ts'

export const TITLE = 'Raiffeisenbank'

const { agentCommission: _, composite: __, ...OBJECTS } = OBJECT_WORDS
/** It states none: what it registers is paid in full. */
const METHODS = { fullPayment: METHOD_WORDS.fullPayment }

type Lines = Pick<NewDocument, 'key' | 'items' | 'contact'>

/**
 * The body of `postSell` and `postRefund`. A rate that the document lacks is sent where the operator has said that the bank takes it.
 * @throws Refused for what the bank's document has no word for: the service refuses it before
 */
export function receiptOf({ key, items, contact }: Lines) {
  if (contact === undefined || !('email' in contact)) {
    throw new Refused(`${TITLE}: a receipt needs an e-mail`)
  }
  return {
    receiptNumber: key,
    client: { email: contact.email },
    items: items.map((item) => {
      wordOf(TITLE, 'method', METHODS, item.method)
      return {
        name: item.name,
        price: item.price / 100,
        quantity: item.quantity / 1000,
        amount: item.amount / 100,
        paymentObject: wordOf(TITLE, 'object', OBJECTS, item.object),
        measurementUnit: wordOf(TITLE, 'unit', UNIT_WORDS, item.unit),
        vatType: wordOf(TITLE, 'rate of VAT', VAT_WORDS, item.vat),
      }
    }),
    total: items.reduce((sum, { amount }) => sum + amount, 0) / 100,
  }
}
