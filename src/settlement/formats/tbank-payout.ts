// What an operation of T-Bank's registry does to the payout. Signs are not said: they follow from the type and the arithmetic.
import type { Row } from './csv.ts'
import { roubles } from './money.ts'
import type { Column, Effect } from './tbank-columns.ts'
import type { Ways } from './ways.ts'

/** Kopecks, negative for what the merchant loses; `gross` is absent where the amount is not part of the payout. */
export interface Payout {
  gross?: number
  fee: number
  net: number
}

/** The sums of a line as it has them, in kopecks. */
export interface Stated {
  amount: number
  fee: number
  fiscalFee: number
  toBePaid: number
}

/** The sums of a line; each has two digits behind a point. */
export function statedIn(row: Row<Column>, hasFiscalFee: boolean): Stated {
  return {
    amount: row.kopecks('amount', 'point'),
    fee: row.kopecks('fee', 'point'),
    fiscalFee: hasFiscalFee ? row.kopecks('fiscalFee', 'point') : 0,
    toBePaid: row.kopecks('toBePaid', 'point'),
  }
}

/**
 * The amount less both fees must be what is to be paid.
 * @returns undefined, and a fault of the row, where it is not
 */
export function payoutOf(row: Row<Column>, stated: Stated, effect: Effect, ways: Ways): Payout | undefined {
  const fees = stated.fee + stated.fiscalFee
  if (stated.fee * stated.fiscalFee < 0) row.fault('fiscalFee', 'must have the sign of the other fee')
  switch (effect) {
    case 'adds':
      return added(row, stated, fees, ways)
    case 'takes':
      return taken(row, stated, fees, ways)
    case 'failed':
      return feeAlone(row, stated, fees, ways)
    case 'fee':
      return feeOf(row, stated, fees, ways)
  }
}

function added(row: Row<Column>, stated: Stated, fees: number, ways: Ways): Payout | undefined {
  const { amount, toBePaid } = stated
  if (amount <= 0) row.fault('amount', 'must be more than 0, by its type')
  const fee = toBePaid - amount
  if (fee !== -Math.abs(fees)) return wrongPayout(row, amount - Math.abs(fees))
  if (fee !== 0) ways.agree(row, 'fee', 'the sign of a fee', fees > 0)
  return { gross: amount, fee, net: toBePaid }
}

function taken(row: Row<Column>, stated: Stated, fees: number, ways: Ways): Payout | undefined {
  const gross = 0 - Math.abs(stated.amount)
  const net = 0 - Math.abs(stated.toBePaid)
  if (gross === 0) row.fault('amount', 'must not be 0, by its type')
  // The bank keeps its fee, or gives back that of the payment.
  const fee = net - gross
  if (Math.abs(fee) !== Math.abs(fees)) return wrongPayout(row, gross - fees)
  agreeOnSigns(row, stated, ways)
  if (fee !== 0) ways.agree(row, 'fee', 'the sign of a fee of what is taken back', fee > 0 === fees > 0)
  return { gross, fee, net }
}

/** A failed authorisation: its amount is not part of the payout. */
function feeAlone(row: Row<Column>, stated: Stated, fees: number, ways: Ways): Payout | undefined {
  const net = 0 - Math.abs(stated.toBePaid)
  if (net !== 0 - Math.abs(fees)) return wrongPayout(row, 0 - Math.abs(fees))
  if (net !== 0) ways.agree(row, 'toBePaid', SIGN_OF_PAYOUT, stated.toBePaid < 0)
  return { fee: net, net }
}

/** A fee by its type: which column has it is not said, and both together have no meaning that is certain. */
function feeOf(row: Row<Column>, stated: Stated, fees: number, ways: Ways): Payout | undefined {
  if (stated.amount !== 0 && fees !== 0) {
    row.fault('amount', `must be 0.00 beside a fee of ${roubles(fees)}`)
    return undefined
  }
  if (fees !== 0) return feeAlone(row, stated, fees, ways)
  const net = 0 - Math.abs(stated.toBePaid)
  if (net !== 0 - Math.abs(stated.amount)) return wrongPayout(row, 0 - Math.abs(stated.amount))
  agreeOnSigns(row, stated, ways)
  return { fee: net, net }
}

const SIGN_OF_PAYOUT = 'the sign of what is to be paid back'

function agreeOnSigns(row: Row<Column>, { amount, toBePaid }: Stated, ways: Ways): void {
  if (amount !== 0) ways.agree(row, 'amount', 'the sign of an amount that is taken back', amount < 0)
  if (toBePaid !== 0) ways.agree(row, 'toBePaid', SIGN_OF_PAYOUT, toBePaid < 0)
}

function wrongPayout(row: Row<Column>, due: number): undefined {
  row.fault('toBePaid', `must be ${roubles(due)}, the amount less the fees`)
  return undefined
}
