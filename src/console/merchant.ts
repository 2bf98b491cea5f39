// The merchant's pages, in the order of the navigation.
import { ACCOUNTS } from './pages/accounts.ts'
import { ADDRESSES } from './pages/addresses.ts'
import { DECISION } from './pages/decision.ts'
import { DEVICES } from './pages/devices.ts'
import { EVENTS } from './pages/events.ts'
import { FEED } from './pages/feed.ts'
import { NEW_QR_CODE } from './pages/new-qr-code.ts'
import { NOTIFICATIONS } from './pages/notifications.ts'
import { PAYMENT } from './pages/payment.ts'
import { PAYMENTS } from './pages/payments.ts'
import { PAYMENTS_FILES } from './pages/payments-files.ts'
import { PEOPLE_PAGES } from './pages/people.ts'
import { PERSON } from './pages/person.ts'
import { QR_CODE } from './pages/qr-code.ts'
import { QR_CODES } from './pages/qr-codes.ts'
import { REFUND } from './pages/refund.ts'
import { SEARCH } from './pages/search.ts'
import { SETTINGS } from './pages/settings.ts'
import { TILL } from './pages/till.ts'
import { TILLS } from './pages/tills.ts'
import { TODAY } from './pages/today.ts'
import { RECEIPTS } from './receipts/routes.ts'
import { SETTLEMENT } from './settlement/routes.ts'
import type { Route } from './visit.ts'

export const MERCHANT_ROUTES: readonly Route[] = [
  TODAY,
  FEED,
  SEARCH,
  QR_CODES,
  ...NEW_QR_CODE,
  ...QR_CODE,
  PAYMENTS,
  ...PAYMENTS_FILES,
  PAYMENT,
  ...REFUND,
  ...ACCOUNTS,
  ...DECISION,
  ...TILLS,
  ...TILL,
  ...NOTIFICATIONS,
  ...RECEIPTS,
  ...SETTLEMENT,
  EVENTS,
  ...SETTINGS,
  ...ADDRESSES,
  ...PEOPLE_PAGES,
  ...PERSON,
  ...DEVICES,
]
