// Decides what is done next with a charge: one table, by the call that was made and the bank's answer to it.
import type { Failure } from '../../banks/bank-errors.ts'
import { answered } from '../../banks/call-answer.ts'

/**
 * `open` and the questions before it move no money. `charge` is made once for each charge. `ask`: what became of one that
 * was sent, or may have been.
 */
export type ChargeCall = 'open' | 'charge' | 'ask'

type ChargeStep =
  | 'decline'
  /** Nothing was sent: all of it is done again. */
  | 'retry'
  /** The bank is asked later what became of it. */
  | 'ask'
  /** The bank does not have it: it is asked again, and after an hour the charge is held. */
  | 'miss'

/** What was executed is applied. */
const STEPS: Readonly<Record<ChargeCall, Readonly<Record<Failure, ChargeStep>>>> = {
  open: { refused: 'decline', notKnown: 'retry', noAnswer: 'retry', neverSent: 'retry' },
  charge: { refused: 'decline', notKnown: 'ask', noAnswer: 'ask', neverSent: 'retry' },
  ask: { refused: 'ask', notKnown: 'miss', noAnswer: 'ask', neverSent: 'ask' },
}

/** What follows from a call. `waitMs`: as long as the bank asks to wait. */
type ChargeOutcome<T> = { step: 'apply'; value: T } | { step: ChargeStep; reason: string; waitMs: number }

/** Awaits a call of a charge, and says what follows. */
export async function chargeOutcomeOf<T>(call: ChargeCall, made: Promise<T>): Promise<ChargeOutcome<T>> {
  const { answer, state, reason, waitMs } = await answered(made)
  return answer === 'executed'
    ? { step: 'apply', value: state }
    : { step: STEPS[call][answer], reason, waitMs }
}
