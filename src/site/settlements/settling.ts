// What the object of a site does with settlements: a module, loaded with the first call or alarm that needs it. The erasure of contacts
// is in it because the alarm needs it as seldom.
import { eraseContacts } from '../receipts/contact-erasure.ts'
import { workOnSettlements } from './alarm.ts'
import { figuresOf, monthsOf } from './figures.ts'
import {
  abandonImport,
  appendEntries,
  beginImport,
  completeImport,
  continueImport,
  deleteSettlement,
  readSettlement,
} from './imports.ts'
import { entriesOfPayment, listEntries, listSettlements } from './lists.ts'
import { settlementMonth, settlementReport } from './month.ts'

export const SETTLEMENTS = {
  ...{ eraseContacts, workOnSettlements, figuresOf, monthsOf, abandonImport, appendEntries, beginImport },
  ...{ completeImport, continueImport, deleteSettlement, readSettlement, entriesOfPayment },
  ...{ listEntries, listSettlements, settlementMonth, settlementReport },
}

/** These functions, which a call or an alarm awaits before it reads or writes. */
export type SettlementFunctions = typeof SETTLEMENTS
