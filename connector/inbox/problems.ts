// Why a webhook waits, as the operator reads it.
import type { Problem, WebhookRow } from './rows.ts'

const TEXTS: Readonly<Record<Problem, string>> = {
  NO_SITE: 'no site has this code',
  NO_SALE: 'the bank tells of no paid sale of this code',
  NO_PAYMENT: 'the bank tells of no payment of that time',
  NO_BINDING: 'no site has this request to bind an account',
  NO_CHARGE: 'no site has this charge',
  CHARGE_OPEN: 'the charge has not ended',
  CHARGE_DECLINED: 'the charge was declined, and the bank states no end of it',
  NOT_KNOWN: 'the bank does not know what it is about',
  NO_RECEIPT: 'the service has asked for no such receipt of this payment',
  SEVERAL_RECEIPTS: 'it can be of several receipts of this payment',
}

/** The words of an error, where the last step had one. */
export const whyWaiting = ({ problem, note }: WebhookRow): string =>
  note || (problem === null ? 'not yet processed' : TEXTS[problem])
