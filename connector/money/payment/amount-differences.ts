// A bank states another amount of a payment than was reported: the report stays a fact, and the operator is told.
import { roublesOf } from '../../amounts.ts'
import type { Core } from '../../core.ts'
import type { AmountDifference } from './amount-difference-rows.ts'

/** A completed payment or charge as it was reported. */
interface Reported {
  site: string
  bank: string
  qrcId: string
  paymentUid: string
  amount: number
}

/** Records the amount that the bank states, where it is not the reported one. An amount that is assumed contradicts nothing. */
export function compareAmount(
  { disk, platform, log }: Core,
  { site, bank, qrcId, paymentUid, amount: reported }: Reported,
  { amount: stated, isAmountAssumed }: { amount: number; isAmountAssumed?: boolean },
): void {
  if (isAmountAssumed || stated === reported) return
  const difference = { site, paymentUid, stated, reported, bank, qrcId, foundAt: platform.now() }
  if (!disk.amountDifferences.insert(difference)) return
  log('error', 'a bank states another amount of a payment than was reported', {
    ...{ site, bank, qrcId, paymentUid, reported: roublesOf(reported), stated: roublesOf(stated) },
  })
}

/** As commands show it. */
export const differenceText = ({ site, paymentUid, qrcId, reported, stated }: AmountDifference): string =>
  `${site} payment ${paymentUid} of the code ${qrcId}: reported ${roublesOf(reported)} RUB, the bank states ${roublesOf(stated)} RUB`
