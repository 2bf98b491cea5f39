// The fields of the form by which a payer says where the receipt goes.

/** The value of `action`. */
export const GIVES_CONTACT = 'contact'
/** What the payer typed. */
export const CONTACT = 'contact'
/** The mark of the sale that the page of a COUNTER code showed. */
export const SALE_MARK = 'sale'
