// `Receipt` of T-Bank, which Init, Cancel and SendClosingReceipt carry (T-Bank acquiring API 1.80). Money is kopecks there too.
import { Refused } from '../../banks/bank-errors.ts'
import type { RidingReceipt } from '../../banks/bank-receipts.ts'
import { METHOD_WORDS, OBJECT_WORDS, TAXATION_WORDS, UNIT_WORDS, VAT_WORDS, wordOf } from '../words.ts'

const TITLE = 'T-Bank'

/** Its terminal has the shop's address and e-mail. */
type Lines = Omit<RidingReceipt, 'isWholePayment'>

/**
 * The field `Receipt` of Init and Cancel: without `Payments` all of it counts as paid cashless.
 * @throws Refused where the bank has no word for something of it, or it has no contact: the service refuses it before
 */
export function receiptOf({ ffd, items, taxation, contact }: Lines) {
  if (contact === undefined) throw new Refused(`${TITLE}: a receipt needs an e-mail or a phone`)
  return {
    FfdVersion: ffd,
    Taxation: wordOf(TITLE, 'taxation', TAXATION_WORDS, taxation),
    ...('email' in contact ? { Email: contact.email } : { Phone: contact.phone }),
    Items: items.map((item) => ({
      Name: item.name,
      Price: item.price,
      Quantity: item.quantity / 1000,
      Amount: item.amount,
      Tax: wordOf(TITLE, 'rate of VAT', VAT_WORDS, item.vat),
      PaymentMethod: wordOf(TITLE, 'method', METHOD_WORDS, item.method),
      PaymentObject: wordOf(TITLE, 'object', OBJECT_WORDS, item.object),
      // FFD 1.05 has no such field.
      ...(ffd === '1.2' && { MeasurementUnit: wordOf(TITLE, 'unit', UNIT_WORDS, item.unit) }),
    })),
  }
}

/** What an answer must not repeat to anybody. */
export const contactsOf = (receipt: Pick<Lines, 'contact'> | undefined): string[] =>
  Object.values(receipt?.contact ?? {})

/** `Receipt` of SendClosingReceipt: no money moves, and the prepayment is offset (tag 1215). @throws Refused */
export const closingReceiptOf = (lines: Lines) => ({
  ...receiptOf(lines),
  Payments: {
    Electronic: 0,
    AdvancePayment: lines.items.reduce((sum, { amount }) => sum + amount, 0),
  },
})
