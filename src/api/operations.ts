// The list of all operations of the API, with the type of the value that each one returns.
import type { Config } from '../config.ts'
import { apiKeys } from './api-keys.ts'
import { audit } from './audit.ts'
import { bankNumbers } from './bank-numbers.ts'
import { callbacks } from './callbacks.ts'
import { consoleSettlement } from './console-settlement.ts'
import { dayReport } from './day-report.ts'
import { events } from './events.ts'
import { images } from './images.ts'
import { logo } from './logo.ts'
import { network } from './network.ts'
import { networkReceipts } from './network-receipts.ts'
import { networkTokens } from './network-tokens.ts'
import { callbackKeys, notificationKeys } from './notification-keys.ts'
import { notifications } from './notifications.ts'
import { operatorKeys } from './operator-keys.ts'
import { operatorPeople } from './operator-people.ts'
import { operatorSettlements } from './operator-settlements.ts'
import { owners } from './owners.ts'
import { payments } from './payments.ts'
import { paymentsReport } from './payments-report.ts'
import { people } from './people.ts'
import { qrCodes } from './qr-codes.ts'
import { receipts } from './receipts.ts'
import { reconciliation } from './reconciliation.ts'
import { refunds } from './refunds.ts'
import { sales } from './sales.ts'
import { sandbox } from './sandbox.ts'
import { search } from './search.ts'
import { savedSettings, settings } from './settings.ts'
import { settlementReport } from './settlement-report.ts'
import { settlements } from './settlements.ts'
import { siteCashRegister } from './site-cash-register.ts'
import { siteDeletion } from './site-deletion.ts'
import { siteLimits } from './site-limits.ts'
import { sites } from './sites.ts'
import { tokens } from './tokens.ts'

/** The operations of the API, in the order of the document. */
export const operationsOf = (config: Pick<Config, 'currencies' | 'hasSandbox'>) => [
  ...qrCodes(config),
  ...images(),
  ...search(),
  ...payments(),
  ...tokens(),
  ...refunds(),
  ...sales(config),
  ...receipts(),
  ...settlements(),
  ...settlementReport(),
  ...paymentsReport(),
  ...bankNumbers(),
  ...dayReport(config),
  ...events(),
  ...notifications(),
  ...settings(config),
  ...logo(),
  ...notificationKeys(),
  ...callbacks(),
  ...callbackKeys(),
  ...apiKeys(),
  ...people(),
  ...network(),
  ...reconciliation(),
  ...networkTokens(),
  ...networkReceipts(),
  ...sites(),
  ...siteLimits(config),
  ...siteCashRegister(),
  ...siteDeletion(),
  ...owners(),
  ...operatorSettlements(),
  ...operatorKeys(),
  ...operatorPeople(),
  ...audit(),
  ...(config.hasSandbox ? sandbox(config) : []),
]

/** What the console runs besides: it is no part of the API. */
export const consoleOperations = (config: Pick<Config, 'currencies'>) => [
  savedSettings(config),
  ...consoleSettlement(),
]

type Each = ReturnType<typeof operationsOf | typeof consoleOperations>[number]

/** What the handler of each operation gives. */
export type Values = { [One in Each as One['operationId']]: Awaited<ReturnType<One['handle']>> }
