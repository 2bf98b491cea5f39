// What the object of a site needs for few of its calls: a module, loaded with the first of them (docs/decisions/0158-objects-load-what-few-calls-need.md).
import { sessionView } from './access/session-view.ts'
import { refuseTokenSignIn } from './access/token-sign-in.ts'
import { exportPage } from './database/export.ts'
import { healthOf } from './operator/health.ts'
import { setCashRegister, setLimits } from './operator/operator-settings.ts'
import { endRestore } from './operator/resume.ts'
import { notificationGroups } from './outbox/groups.ts'
import { notificationsOf, readNotification } from './outbox/notification-log.ts'
import { bankNumbersPage } from './payments/bank-numbers.ts'
import { dayFigures } from './payments/day-report.ts'
import { decidePayment } from './payments/decisions.ts'
import { listPayments } from './payments/payment-list.ts'
import { reportPage } from './payments/payments-report.ts'
import { networkQrCodes, waitingRefunds } from './payments/reconciliation.ts'
import { waitingCharges } from './payments/waiting-charges.ts'
import { useConfirmation } from './people/confirmation.ts'
import { passkeyOfHandle } from './people/passkeys.ts'
import { listPeople } from './people/people.ts'
import {
  addPasskeyRecorded,
  addRecorded,
  changeRecorded,
  endPersonSessions,
  invitedBy,
  inviteOwnerRecorded,
  inviteRecorded,
  joinRecorded,
  personSessions,
  removePasskeyRecorded,
  removeRecorded,
  signInRecorded,
} from './people/recorded.ts'
import { closeReceipt } from './receipts/closings.ts'
import { listReceipts, networkReceipts, readReceipt, receiptsOfPayment } from './receipts/list.ts'
import { reportReceipt } from './receipts/reports.ts'
import { requestReceipt } from './receipts/requests.ts'
import { retryReceipt } from './receipts/retries.ts'
import { readRefund, refundsOf } from './refunds/lookups.ts'
import { acceptRefund } from './refunds/refunds.ts'
import { pollSale } from './sale-long-polls.ts'
import { armSale, cancelSale, confirmSale, dropSale, readSale, salesOf, saleToCancel } from './sales/sales.ts'
import { search } from './search/search.ts'
import { deleteCallback, listCallbacks, putCallback, readCallback } from './settings/callbacks.ts'
import {
  activateNotificationKey,
  addNotificationKey,
  listNotificationKeys,
} from './settings/notification-keys.ts'
import { patchSettings, replaceLogo, replaceSettings, settingsVersion } from './settings/settings.ts'
import { networkBindings } from './tokens/network-bindings.ts'
import { listTokens } from './tokens/tokens.ts'

export const SELDOM = {
  ...{ sessionView, refuseTokenSignIn, exportPage, healthOf, setLimits, setCashRegister },
  ...{
    endRestore,
    notificationGroups,
    notificationsOf,
    readNotification,
    bankNumbersPage,
    dayFigures,
    decidePayment,
  },
  ...{ listPayments, reportPage, networkQrCodes, waitingRefunds, waitingCharges },
  ...{ useConfirmation, passkeyOfHandle, listPeople, addPasskeyRecorded, addRecorded },
  ...{ changeRecorded, endPersonSessions, invitedBy, inviteOwnerRecorded, inviteRecorded },
  ...{ joinRecorded, personSessions, removePasskeyRecorded, removeRecorded, signInRecorded },
  ...{ closeReceipt, listReceipts, networkReceipts, readReceipt, receiptsOfPayment },
  ...{ reportReceipt, requestReceipt, retryReceipt, readRefund, refundsOf, acceptRefund },
  ...{ pollSale, armSale, cancelSale, confirmSale, dropSale, readSale, salesOf, saleToCancel },
  ...{ search, deleteCallback, listCallbacks, putCallback, readCallback },
  ...{ activateNotificationKey, addNotificationKey, listNotificationKeys, patchSettings },
  ...{ replaceLogo, replaceSettings, settingsVersion, networkBindings, listTokens },
}

/** These functions, which a call awaits before it reads or writes. */
export type Seldom = typeof SELDOM
