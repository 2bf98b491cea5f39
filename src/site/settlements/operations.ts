// Payments and refunds of the site as matching takes them, and how they are found by what a bank calls them.
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { digestOf } from '../../settlement/digest.ts'
import type { BankIds } from '../../settlement/formats/entry.ts'
import type { Operation } from '../../settlement/operation.ts'
import type { SettlementBank } from '../../settlement/sources.ts'
import { inSeconds, int, oneOf, orNull, rowsWith, text } from '../rows/columns.ts'
import type { Binding, Sql } from '../rows/sql.ts'
import { CODE } from './schema.ts'

const COLUMNS = {
  number: int,
  payment: int,
  payment_uid: text,
  refund_uid: orNull(text),
  minor_units: int,
  currency: text,
  status: oneOf(PAYMENT_STATUSES),
  at: inSeconds,
  bank: orNull(text),
  bank_order: orNull(text),
  /** The bank's number of the payment, and of the refund. */
  payment_number: orNull(text),
  refund_number: orNull(text),
  link_id: text,
}
const readRows = rowsWith(COLUMNS)

/** A payment or a refund with what its bank calls it; minor_units is positive of both. */
export type OperationRow = ReturnType<typeof readRows>[number]

const PAYMENTS = `SELECT payments.number, payments.number AS payment, payment_uid, NULL AS refund_uid, minor_units, currency, status,
    changed_at AS at, bank, bank_order, network_uid AS payment_number, NULL AS refund_number, link_id
  FROM payments`

const REFUNDS = `SELECT refunds.number, refunds.payment, payment_uid, refund_uid, refunds.minor_units, currency, refunds.status,
    refunds.changed_at AS at, bank, bank_order, payments.network_uid AS payment_number,
    refunds.bank_number AS refund_number, link_id
  FROM refunds JOIN payments ON payments.number = refunds.payment`

/** The operations of a kind that the clauses after FROM select. */
export const operationRows = (
  sql: Sql,
  kind: Operation['kind'],
  clauses: string,
  ...bindings: Binding[]
): OperationRow[] => readRows(sql, `${kind === 'payment' ? PAYMENTS : REFUNDS} ${clauses}`, ...bindings)

/** Which it is among all. */
export const operationKey = ({ number, refund_uid }: OperationRow): string =>
  `${refund_uid === null ? 'payment' : 'refund'} ${number}`

export const kindOf = ({ refund_uid }: OperationRow): Operation['kind'] =>
  refund_uid === null ? 'payment' : 'refund'

/** Kopecks; of a refund negative. */
export const amountOf = (row: OperationRow): number =>
  row.refund_uid === null ? row.minor_units : 0 - row.minor_units

/** Whether it is of a bank, or can be: older payments do not say. */
export const canBeOf = ({ bank }: OperationRow, of: SettlementBank): boolean => bank === null || bank === of

/** @param bank whose entries it is compared with */
export function operationOf(row: OperationRow, bank: SettlementBank, siteId: string): Operation {
  return {
    kind: kindOf(row),
    uid: row.refund_uid === null ? row.payment_uid : `${row.payment_uid}\n${row.refund_uid}`,
    ...{ amount: amountOf(row), currency: row.currency, status: row.status, at: row.at },
    ids: idsOf(row, bank, siteId),
  }
}

/** What the files of a bank call it: docs/settlement.md says which number is which. */
export const idsOf = (row: OperationRow, bank: SettlementBank, siteId: string): BankIds =>
  IDS[bank](row, siteId)

/** A number that another bank's files have under the same name is not here: what differs by it is never a pair. */
const IDS: Record<SettlementBank, (row: OperationRow, siteId: string) => BankIds> = {
  tbank: ({ payment_number, bank_order }) => stated({ paymentId: payment_number, order: bank_order }),
  raiffeisen: (row, siteId) =>
    stated({
      ...{ order: row.bank_order, qrcId: row.link_id },
      refundId: row.refund_uid === null ? null : (row.refund_number ?? raiffeisenRefund(row, siteId)),
    }),
  tochka: ({ payment_number }) => stated({ operationId: payment_number }),
  'tochka-pay': ({ payment_number, refund_number, link_id }) =>
    stated({ paymentId: payment_number, refundId: refund_number, qrcId: link_id }),
}

const stated = (ids: Partial<Record<keyof BankIds, string | null>>): BankIds =>
  Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== null))

/** The id that the connector gives a refund at Raiffeisenbank: refundKeyOf of connector/money/refund/refunds.ts. */
const raiffeisenRefund = ({ payment_uid, refund_uid }: OperationRow, siteId: string): string =>
  digestOf(JSON.stringify([siteId, payment_uid, refund_uid])).slice(0, 40)

/** The conditions under which operations have a value of an id; `?` is a JSON array of values. No other id is looked for. */
const LISTED = '(SELECT value FROM json_each(?1))'
const OF_CODES = `${CODE} IN (SELECT number FROM qr_codes WHERE link_id IN ${LISTED}
    UNION ALL SELECT number FROM deleted_qr_codes WHERE link_id IN ${LISTED}
    UNION ALL SELECT value FROM json_each(?1))`
const OF_NUMBER = `payments.network_uid IN ${LISTED}`
const OF_PAYMENT = {
  ...{ paymentId: OF_NUMBER, operationId: OF_NUMBER },
  order: `payments.bank_order IN ${LISTED}`,
  qrcId: OF_CODES,
}
const CONDITIONS: Record<Operation['kind'], Partial<Record<keyof BankIds, string>>> = {
  payment: OF_PAYMENT,
  refund: { ...OF_PAYMENT, refundId: `refunds.bank_number IN ${LISTED}` },
}

/** The condition of a value of an id. */
export const conditionOf = (kind: Operation['kind'], name: keyof BankIds): string | undefined =>
  CONDITIONS[kind][name]
