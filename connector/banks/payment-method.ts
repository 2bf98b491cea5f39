// How a payment was made, in the words of the contract (section 9).

/** `other`: the bank states a method that is none of these. */
export const PAYMENT_METHODS = ['sbp', 'digitalRouble', 'other'] as const
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]
