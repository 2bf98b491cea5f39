// Compares charges that have ended with what the bank states of them.
import { roublesOf } from '../../amounts.ts'
import { NotKnown } from '../../banks/bank-errors.ts'
import type { Core, OpenSite } from '../../core.ts'
import { messageOf } from '../../log.ts'
import { listCharges } from '../../service/service.ts'
import { compareAmount } from '../payment/amount-differences.ts'
import { completeCharge } from './charges.ts'
import type { ChargeRow } from './rows.ts'
import { endedState } from './runner.ts'
import { recordChargeRefunds } from './webhook.ts'

/**
 * Compares the charges that were given or decided in a period, and names those that are held. One that the bank has made and
 * that was reported as declined is recorded as completed: it is a fact. Times are Unix milliseconds.
 * @returns a line for each difference
 */
export async function compareCharges(core: Core, from: number, to: number): Promise<string[]> {
  const { disk } = core
  const differences: string[] = []
  for (const charge of disk.charges.endedWithin(from, to)) {
    const text = await differenceOf(core, charge)
    if (text !== undefined) differences.push(`${nameOf(charge)}: ${text}`)
  }
  const held = disk.charges.held().filter(({ givenAt }) => givenAt >= from && givenAt < to)
  return [...differences, ...held.map((charge) => `${nameOf(charge)}: held, see settle`)]
}

const nameOf = ({ site, paymentUid, amount }: ChargeRow): string =>
  `${site} charge ${paymentUid}, ${roublesOf(amount)} RUB`

async function differenceOf(core: Core, charge: ChargeRow): Promise<string | undefined> {
  const open = core.banks.get(charge.bank)
  const { bindings } = open?.bank ?? {}
  // A charge without a known bank was sent to no bank.
  if (!open || !bindings) return
  try {
    const stated = await endedState(open, bindings, charge)
    if (charge.state === 'COMPLETED') {
      recordChargeRefunds(core, charge, stated)
      if (stated.status !== 'COMPLETED') return `reported as COMPLETED, at the bank it is ${stated.status}`
      compareAmount(core, charge, stated)
      return
    }
    if (stated.status === 'COMPLETED') {
      completeCharge(core, charge, stated)
      return `charged at the bank (${stated.number}), was reported as DECLINED: it is reported as COMPLETED now`
    }
    if (stated.status === 'PENDING') return 'reported as DECLINED, at the bank it is in progress'
  } catch (error) {
    if (!(error instanceof NotKnown)) return messageOf(error)
    if (charge.state === 'COMPLETED') return 'reported as COMPLETED, the bank does not have it'
    // An answer that the document does not have is no proof that nothing was charged.
    if (error.isAssumed) return messageOf(error)
  }
}

/** Charges that have ended here, and wait at the service. */
export async function* compareWaitingCharges(core: Core, site: OpenSite): AsyncGenerator<string> {
  for await (const { paymentUid } of listCharges(core, site)) {
    const charge = core.disk.charges.ended({ site: site.siteId, paymentUid })
    if (!charge) continue
    yield `${nameOf(charge)}: ${charge.state}, the service has it as WAITING: see replay`
  }
}
