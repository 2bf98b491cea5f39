// The columns of T-Bank's registry and the types of its operations («Формат реестра», T-Bank acquiring API 1.80).
import type { EntryKind } from './entry.ts'

/** In their order. The bank numbers them 1 to 21; `fiscalFee` is 13.1, which can be absent. */
const COLUMNS = [
  ...['number', 'payer', 'system', 'order', 'date', 'time', 'zone', 'operationId', 'terminal'],
  ...['processedOn', 'paidOn', 'amount', 'fee', 'fiscalFee', 'toBePaid', 'type', 'rrn', 'paymentId'],
  ...['terminalName', 'region', 'data', 'description'],
] as const
export type Column = (typeof COLUMNS)[number]

export const WITH_FISCAL_FEE: readonly Column[] = COLUMNS
export const WITHOUT_FISCAL_FEE: readonly Column[] = COLUMNS.filter((name) => name !== 'fiscalFee')

/** What an operation does to the payout: it adds its amount or takes it, or takes a fee alone. */
export type Effect = 'adds' | 'takes' | 'failed' | 'fee'

export interface OperationType {
  kind: EntryKind
  effect: Effect
}

const ADDED = [
  'CancelRefund',
  'Chargeback_Reversal',
  '2Chargeback_Reversal',
  'CR_Chargeback',
  'Representment',
]
const TAKEN = ['Chargeback', '2Chargeback', 'Representment_Reversal']
const FEES = [
  'ServiceFee',
  'Chargeback_Fee',
  'CR_Chargeback_Fee',
  'Chargeback_Reversal_Fee',
  'Representment_Fee',
]

const all = (types: readonly string[], type: OperationType): [string, OperationType][] =>
  types.map((each) => [each, type])

export const TYPES: ReadonlyMap<string, OperationType> = new Map([
  ...all(['Debit'], { kind: 'payment', effect: 'adds' }),
  ...all(['Credit'], { kind: 'refund', effect: 'takes' }),
  ...all([...ADDED, 'DebitClientCorrection', 'DebitCorrection'], { kind: 'correction', effect: 'adds' }),
  ...all([...TAKEN, 'CreditClientCorrection', 'CreditCorrection'], { kind: 'correction', effect: 'takes' }),
  ...all(['AUTH_FAIL'], { kind: 'fee', effect: 'failed' }),
  ...all(FEES, { kind: 'fee', effect: 'fee' }),
])

/** How it was paid: the FPS operations are those of QR codes. */
export const OURS = 'SBP'
export const SYSTEMS: readonly string[] = [OURS, 'Visa', 'MC', 'Mir', 'T-Pay', 'SberPay']
