// The statuses of a T-Bank payment session that are read in more than one place ("Статусная модель платежа").

/** Paid, whatever was refunded since. */
export const PAID = ['CONFIRMED', 'REFUNDING', 'ASYNC_REFUNDING', 'PARTIAL_REFUNDED', 'REFUNDED']

/** How much of it the bank states to have given back. */
export const REFUNDED: Readonly<Record<string, 'ALL' | 'PART'>> = {
  PARTIAL_REFUNDED: 'PART',
  REFUNDED: 'ALL',
}

/** The session is closed unpaid. */
export const OVER = ['DEADLINE_EXPIRED', 'CANCELED', 'REJECTED']
