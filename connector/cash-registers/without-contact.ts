// Takes payers' contacts out of what a cash register, a bank or the operator says: it reaches the log and the merchant.

const EMAIL = /[^\s"'<>():,;]+@[^\s"'<>():,;]+/g
/** With `+`, or of Russia: 7 or 8, and ten digits. Other numbers are of documents, drives and taxpayers. */
const PHONE = /(?<!\d)(?:(?:\+?7|8)(?:[\s().‐-—-]{0,3}\d){10}|\+(?:[\s().‐-—-]{0,3}\d){10,15})(?!\d)/g
/** Behind it nothing is read: the search of an e-mail takes the square of the length. */
const MAX_READ = 2_000
const MAX_LENGTH = 300

/** The beginning of the text, with a mark in the place of everything that looks like an e-mail or a phone. */
export const withoutContact = (text: string): string =>
  // Cut after the search: a part of a contact would not be recognised.
  text.slice(0, MAX_READ).replace(EMAIL, '(contact)').replace(PHONE, '(contact)').slice(0, MAX_LENGTH)
