// Operations that the purposes of Raiffeisenbank's postings name. A payment is a posting of its own, in full.
import { dayIn, startOf } from './dates.ts'
import { shown } from './faults.ts'
import type { Section } from './statement-section.ts'
import type { NewEntry } from './tally.ts'

export interface Posting {
  /** Kopecks. */
  sum: number
  isCredit: boolean
  postedOn: string
  payer: string
  /** The tax number of the other side. */
  counterparty: string
  purpose: string
}

interface Operation {
  entry: Omit<NewEntry, 'line'>
  /** What is the same in each statement that has the posting. */
  stated: (string | number)[]
}

/** Anybody can write such a purpose: it counts in a posting of the bank alone. */
const TAX_ID_OF_BANK = '7744000302'

const OPERATION = /^(\d{1,20}) (IPS|RTRN) /
const WHOLE =
  /^(\d{1,20}) (IPS|RTRN) (MA[0-9A-Z]{1,18}|\d{1,20}) .*по операции СБП \[\1 - ([0-9A-Z]{8,64}) - [^\]]*\] за (\d\d)\/(\d\d)\/(\d\d)(?!\d)/
const FEE = /^IPS FEE /
const WHOLE_FEE = /^IPS FEE (\d{1,20}) (ON-US|OFF-US)\. .*по операции СБП за (\d\d)\/(\d\d)\/(\d\d)(?!\d)/

/**
 * The payment, the refund, or the fee of a day that a posting is.
 * @returns undefined where it is something else; `faulty` where it begins as one and cannot be read, which is a fault
 */
export function raiffeisenOperation(posting: Posting, document: Section): Operation | 'faulty' | undefined {
  if (posting.counterparty !== TAX_ID_OF_BANK) return undefined
  if (OPERATION.test(posting.purpose)) return operation(posting) ?? faulty(posting, document)
  if (FEE.test(posting.purpose)) return feeOfDay(posting) ?? faulty(posting, document)
  return undefined
}

function operation({ sum, isCredit, postedOn, purpose }: Posting): Operation | undefined {
  const [, number, word, merchant, qrcId, date = '', month = '', year = ''] = WHOLE.exec(purpose) ?? []
  const day = dayIn(`20${year}`, month, date)
  if (!number || !word || !merchant || !qrcId || day === undefined) return undefined
  const kind = word === 'IPS' ? 'payment' : 'refund'
  // A payment that is debited is neither.
  if (isCredit !== (kind === 'payment')) return undefined
  const gross = isCredit ? sum : 0 - sum
  return {
    entry: {
      ...{ kind, type: word, gross, operatedAt: startOf(day), hasTime: false, paidOn: postedOn, merchant },
      bankIds: { operationId: number, qrcId },
    },
    stated: [kind, number, merchant, qrcId, day],
  }
}

function feeOfDay({ sum, isCredit, postedOn, purpose }: Posting): Operation | undefined {
  const [, merchant, side, date = '', month = '', year = ''] = WHOLE_FEE.exec(purpose) ?? []
  const day = dayIn(`20${year}`, month, date)
  if (!merchant || !side || day === undefined) return undefined
  const fee = isCredit ? sum : 0 - sum
  return {
    entry: {
      ...{ kind: 'fee', type: `IPS FEE ${side}`, fee, operatedAt: startOf(day), hasTime: false },
      ...{ paidOn: postedOn, merchant, bankIds: {} },
    },
    stated: ['fee', side, merchant, day, fee],
  }
}

function faulty({ purpose, isCredit }: Posting, document: Section): 'faulty' {
  // The name of the payer is in brackets.
  const begin = shown(purpose.slice(0, Math.min(24, purpose.search(/\[|$/))))
  const side = isCredit ? 'credit' : 'debit'
  document.fault(
    'НазначениеПлатежа',
    `begins ${begin}, must be an operation that the bank describes, as a ${side}`,
  )
  return 'faulty'
}
