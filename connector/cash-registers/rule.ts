// Decides what is done next with a document: one table, by the call that was made and the register's answer to it.
import { answered, type CallAnswer, HOLD } from '../banks/call-answer.ts'
import type { Asks, DocumentState } from './cash-register.ts'
import { withoutContact } from './without-contact.ts'

/**
 * `first`: the stored request. `again`: the same bytes once more. The others ask what became of it: of a `lost` one no answer
 * came, a `pending` one is at the register, a `held` one is the operator's.
 */
export type DocumentCall = 'first' | 'again' | 'lost' | 'pending' | 'held'

type DocumentStep =
  /** What the register states of the document counts. */
  | 'apply'
  /** It was refused for good. */
  | 'fail'
  | 'hold'
  /** It was not sent: its first request is made again. */
  | 'queue'
  /** The stored request is sent again, now. */
  | 'again'
  /** It is asked later what became of it. */
  | 'ask'

type Steps = Readonly<Record<CallAnswer, DocumentStep>>

const FIRST: Steps = {
  executed: 'apply',
  refused: 'fail',
  notKnown: 'ask',
  noAnswer: 'ask',
  neverSent: 'queue',
}
/** The first request may have counted: a refusal of the second one does not say what became of the first. */
const AGAIN: Steps = {
  executed: 'apply',
  refused: 'hold',
  notKnown: 'ask',
  noAnswer: 'ask',
  neverSent: 'ask',
}
const QUESTION: Steps = {
  executed: 'apply',
  refused: 'ask',
  notKnown: 'ask',
  noAnswer: 'ask',
  neverSent: 'ask',
}

const STEPS: Readonly<Record<Asks, Readonly<Record<DocumentCall, Steps>>>> = {
  // After a lost answer only what the register states of the key decides.
  KEY: {
    first: FIRST,
    again: AGAIN,
    lost: { ...QUESTION, notKnown: 'again' },
    pending: QUESTION,
    held: QUESTION,
  },
  // The same request is the question: the key of ours in it is answered with the first document.
  REPEAT: { first: FIRST, again: AGAIN, lost: AGAIN, pending: QUESTION, held: QUESTION },
  // What was sent once is never sent again.
  NEVER: {
    first: { ...FIRST, notKnown: 'hold', noAnswer: 'hold' },
    again: HOLD,
    lost: HOLD,
    pending: QUESTION,
    held: QUESTION,
  },
}

/** What follows from a call. `waitMs`: as long as the register asks to wait. */
type DocumentOutcome =
  | { step: 'apply'; state: DocumentState }
  | { step: Exclude<DocumentStep, 'apply'>; reason: string; waitMs: number }

/** Awaits a call about a document, and says what follows. */
export async function outcomeOf(
  call: DocumentCall,
  asks: Asks,
  made: Promise<DocumentState>,
): Promise<DocumentOutcome> {
  const { answer, state, waitMs, ...said } = await answered(made.then(spoken))
  const rest = { reason: withoutContact(said.reason), waitMs }
  const step = STEPS[asks][call][answer]
  if (step !== 'apply') return { step, ...rest }
  // Only what was executed is applied.
  return { step, state: state ?? { status: 'IN_DOUBT', reason: rest.reason } }
}

const spoken = (state: DocumentState): DocumentState =>
  'reason' in state ? { ...state, reason: withoutContact(state.reason) } : state
