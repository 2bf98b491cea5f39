// Decides what is done next with a refund: a table for each kind of key, by the call that was made and the bank's answer to it.
import type { RefundKey, RefundState } from '../../banks/bank.ts'
import { answered, type CallAnswer, HOLD } from '../../banks/call-answer.ts'

/**
 * `first`: its request. `repeat`: the same request under the same key. The others ask what became of it: of a `lost`
 * one no answer came, a `repeated` one was just sent again, a `pending` one was accepted, a `held` one is the operator's.
 */
export type RefundCall = 'first' | 'repeat' | 'lost' | 'repeated' | 'pending' | 'held'

type RefundStep =
  /** What the bank states of the refund counts. */
  | 'apply'
  | 'decline'
  | 'hold'
  /** It was not sent: its first request is made again. */
  | 'queue'
  /** The same request is made again, under the same key. */
  | 'repeat'
  /** The bank is asked at once what became of it. */
  | 'askNow'
  /** The bank is asked later what became of it. */
  | 'ask'
  /** The bank does not have it: it is asked again, and after an hour the refund is held. */
  | 'miss'

type Steps = Readonly<Record<CallAnswer, RefundStep>>

const REQUEST = { executed: 'apply', refused: 'decline', neverSent: 'queue' } as const
const QUESTION = { executed: 'apply', refused: 'ask', noAnswer: 'ask', neverSent: 'ask' } as const

/** At a bank that takes a key of ours again. After a lost answer only the status by the key decides. */
const WITH_KEY: Readonly<Record<RefundCall, Steps>> = {
  first: { ...REQUEST, notKnown: 'ask', noAnswer: 'ask' },
  // The first request may have counted: the answer to the second one does not say what became of the first.
  repeat: { executed: 'askNow', refused: 'hold', notKnown: 'ask', noAnswer: 'ask', neverSent: 'ask' },
  lost: { ...QUESTION, notKnown: 'repeat' },
  repeated: { ...QUESTION, notKnown: 'ask' },
  pending: { ...QUESTION, notKnown: 'hold' },
  held: { ...QUESTION, notKnown: 'ask' },
}

/** At a bank whose document does not say what a repeat of our key does. The status by the key decides, and nothing is sent again. */
const ASKED_BY_KEY: Readonly<Record<RefundCall, Steps>> = {
  first: { ...REQUEST, notKnown: 'ask', noAnswer: 'ask' },
  repeat: HOLD,
  lost: { ...QUESTION, notKnown: 'miss' },
  repeated: HOLD,
  pending: { ...QUESTION, notKnown: 'miss' },
  held: { ...QUESTION, notKnown: 'ask' },
}

/** At any other bank. What was sent once is never sent again. */
const WITHOUT_KEY: Readonly<Record<RefundCall, Steps>> = {
  first: { ...REQUEST, notKnown: 'hold', noAnswer: 'hold' },
  repeat: HOLD,
  lost: HOLD,
  repeated: HOLD,
  pending: { ...QUESTION, notKnown: 'ask' },
  held: { ...QUESTION, notKnown: 'ask' },
}

const STEPS: Readonly<Record<RefundKey, Readonly<Record<RefundCall, Steps>>>> = {
  REPEATED: WITH_KEY,
  ASKED: ASKED_BY_KEY,
  NONE: WITHOUT_KEY,
}

/** What follows from a call. `waitMs`: as long as the bank asks to wait. */
type RefundOutcome =
  | { step: 'apply'; state: RefundState }
  | { step: Exclude<RefundStep, 'apply'>; reason: string; waitMs: number }

/** Awaits a call of a refund, and says what follows. */
export async function outcomeOf(
  call: RefundCall,
  key: RefundKey,
  made: Promise<RefundState>,
): Promise<RefundOutcome> {
  const { answer, state, ...rest } = await answered(made)
  const step = STEPS[key][call][answer]
  if (step !== 'apply') return { step, ...rest }
  // The bank can state what was before the repeat, which may have counted.
  if (call === 'repeated' && state?.status === 'DECLINED')
    return { ...rest, step: 'ask', reason: state.reason }
  // Only what was executed is applied.
  return { step, state: state ?? { status: 'IN_DOUBT', reason: rest.reason } }
}
