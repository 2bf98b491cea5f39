// The payer's page as HTML: which view a QR code has. It works without script (public/page.js improves it).
import type { QrCode } from '../../contract/qr-code.ts'
import type { QrCodeStatus } from '../../contract/status.ts'
import type { Html } from '../layout.ts'
import { chargingView, endedView, paidView } from './final-views.ts'
import { openView } from './open-view.ts'
import type { PayerView } from './parts.ts'

/** What the page shows: a new state is one row here, and its texts in texts.ts. */
const VIEWS: Record<QrCodeStatus, (view: PayerView) => Html> = {
  CREATED: openView,
  DECLINED: openView,
  INIT_PAYMENT_BY_TOKEN: chargingView,
  PAYED: paidView,
  EXPIRED: endedView,
  CANCELLED: endedView,
}

const stateOf = ({ status }: QrCode): keyof typeof VIEWS => status

/** The page of a QR code. Of the merchant's texts it shows only those that are meant for the payer. */
export const payerPage = (view: PayerView): Html => VIEWS[stateOf(view.qrCode)](view)
