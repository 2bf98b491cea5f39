// What came of a call at a bank or a cash register, as the tables of rules take it.
import { messageOf } from '../log.ts'
import { type Failure, failureOf, waitOf } from './bank-errors.ts'

/** It was executed, or failed. */
export type CallAnswer = 'executed' | Failure

/** Whatever the answer is, the operator decides. */
export const HOLD = {
  executed: 'hold',
  refused: 'hold',
  notKnown: 'hold',
  noAnswer: 'hold',
  neverSent: 'hold',
} as const satisfies Readonly<Record<CallAnswer, 'hold'>>

/** The state where the call was executed, else why not. `waitMs`: as long as the other side asks to wait. */
type Answered<State> =
  | { answer: 'executed'; state: State; reason: string; waitMs: number }
  | { answer: Failure; state: undefined; reason: string; waitMs: number }

/** Awaits a call. */
export async function answered<State>(made: Promise<State>): Promise<Answered<State>> {
  try {
    return { answer: 'executed', state: await made, reason: '', waitMs: 0 }
  } catch (error) {
    return { answer: failureOf(error), state: undefined, reason: messageOf(error), waitMs: waitOf(error) }
  }
}
