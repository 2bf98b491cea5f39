// The payer's page as HTML: which view a QR code has. It works without script (public/page.js improves it).
import type { Html } from '../layout.ts'
import { accountPage, endPage } from './account.ts'
import {
  acceptedView,
  chargingView,
  endedView,
  notArmedView,
  ownReceiptView,
  paidView,
  refundedView,
} from './final-views.ts'
import { openView } from './open-view.ts'
import type { PayerView } from './parts.ts'
import { type PayerState, stateOf } from './state.ts'

/** What the page shows: a new state is one row here, and its texts in texts.ts. */
const VIEWS: Record<PayerState, (view: PayerView) => Html> = {
  CREATED: openView,
  DECLINED: openView,
  INIT_PAYMENT_BY_TOKEN: chargingView,
  PAYED: paidView,
  ACCEPTED: acceptedView,
  UNBOUND: acceptedView,
  REFUNDED: refundedView,
  EXPIRED: endedView,
  CANCELLED: endedView,
  NOT_ARMED: notArmedView,
  NO_LINK: endedView,
}

/** The page of a QR code. It shows only those of the merchant's texts that are for the payer. */
export function payerPage(view: PayerView): Html {
  const { saved, address, isDeleted, paid } = view
  if (address.end && typeof saved === 'object' && saved.token.status === 'CREATED')
    return endPage(view, saved)
  if (isDeleted) return accountPage(view)
  return paid ? ownReceiptView(view, paid) : VIEWS[stateOf(view.qrCode)](view)
}
