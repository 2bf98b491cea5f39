// Classifies a bank's answer to a call as executed, refused, not executed, not known or no answer, by the answers that its document gives.
import * as z from 'zod'
import { withoutContact } from '../cash-registers/without-contact.ts'
import type { Metrics } from '../metrics.ts'
import type { Platform } from '../platform.ts'
import type { Authority } from '../tls/authorities.ts'
import { type Failure, failureOf, NotKnown, Refused, Unavailable } from './bank-errors.ts'
import { type BankAnswer, type BankRequest, send } from './http.ts'
import { networkOf } from './network.ts'

/** One row: an answer that the bank's document gives. */
export interface Documented<T> {
  /** Left out where the document states none: then any below 500. */
  status?: number
  /** Statuses that another than the bank's application gives: an answer with one of them is not this one. */
  except?: readonly number[]
  /** The shape of the body: an answer of another shape is not this one. */
  body: z.ZodType<T>
  /** The sentence of the document that says so, in its language. */
  says: string
  /** Whether the document does not say so, and the answer is taken for it. */
  isAssumed?: boolean
}

/**
 * The documented answers to one call. Each of them is *executed*, *refused for good*, *not executed* or *not known*; every
 * answer that is in no row is *no answer*, whatever its HTTP status: the bank may have executed the request.
 */
export interface Answers<T> {
  executed: Documented<T>
  /** Nothing was done and nothing will be; the text is the bank's reason. */
  refused?: readonly Documented<string>[]
  /** Nothing was done, and the same request can be executed later; the text is the bank's reason. */
  notExecuted?: readonly Documented<string>[]
  /** The bank does not have what it is asked about; the text is the bank's. */
  notKnown?: readonly Documented<string>[]
}

/**
 * Calls the bank and applies its rows.
 * @returns what was executed
 * @throws Refused; NotKnown; Unavailable where there is no answer
 */
export type Call = <T>(request: BankRequest, answers: Answers<T>) => Promise<T>

/** The label of the metric. */
const OUTCOMES: Readonly<Record<Failure, string>> = {
  refused: 'refused',
  notKnown: 'not_known',
  noAnswer: 'failed',
  neverSent: 'not_executed',
}

/** Credentials, as calls with them need it. */
interface Caller {
  of: 'bank' | 'register'
  name: string
  authorities: readonly Authority[]
}

/** The parts of the configuration that have them. */
const PARTS = { bank: 'banks', register: 'cashRegisters' } as const

export function callsOf({ of, name, authorities }: Caller, platform: Platform, metrics: Metrics): Call {
  const network = networkOf(platform, authorities, `${PARTS[of]}.${name}`)
  return async (request, answers) => {
    const started = platform.now()
    const finish = (outcome: string) =>
      metrics.observeCall({
        of,
        name,
        operation: request.operation,
        outcome,
        seconds: (platform.now() - started) / 1000,
      })
    try {
      const value = decide(request.operation, await send(request, network), answers)
      finish('ok')
      return value
    } catch (error) {
      finish(OUTCOMES[failureOf(error)])
      throw error
    }
  }
}

function decide<T>(operation: string, answer: BankAnswer, answers: Answers<T>): T {
  const executed = matchOf(answer, answers.executed)
  if (executed) return executed.value
  const refused = textOf(answer, answers.refused)
  if (refused) throw new Refused(refused.text.slice(0, 300))
  const { status, retryAfter } = answer
  const wait = retryAfter === undefined ? {} : { retryAfter }
  const postponed = textOf(answer, answers.notExecuted)
  if (postponed) throw new Unavailable(postponed.text.slice(0, 300), { isInDoubt: false, ...wait })
  const unknown = textOf(answer, answers.notKnown)
  if (unknown) throw new NotKnown(unknown.text.slice(0, 300), unknown)
  throw new Unavailable(`${operation}: the bank answers ${status}${explanationOf(answer)}`, {
    isInDoubt: true,
    status,
    ...wait,
  })
}

/** @returns undefined where the answer is not that of the row */
function matchOf<T>({ status, body }: BankAnswer, row: Documented<T>): { value: T } | undefined {
  const isItsStatus =
    row.status === undefined ? status < 500 && !row.except?.includes(status) : status === row.status
  const { success, data } = row.body.safeParse(body)
  return isItsStatus && success ? { value: data } : undefined
}

/** The text of the first row that the answer is, and whether it is only taken for it. */
function textOf(
  answer: BankAnswer,
  rows: readonly Documented<string>[] = [],
): { text: string; isAssumed: boolean } | undefined {
  for (const row of rows) {
    const match = matchOf(answer, row)
    if (match) return { text: match.value, isAssumed: row.isAssumed ?? false }
  }
}

/** What an answer that decides nothing says of itself, for the operator. HTML says nothing. */
const Statement = z
  .object({
    code: z.string(),
    message: z.string(),
    ErrorCode: z.string(),
    Message: z.string(),
    Details: z.string(),
  })
  .partial()

function explanationOf({ status, body }: BankAnswer): string {
  if (status === 401 || status === 403) return ' to the credentials'
  const said = Object.values(Statement.safeParse(body).data ?? {})
    .filter(Boolean)
    .join(', ')
  // A call with a receipt has the payer's contact, and its answer can quote it.
  if (said !== '') return `: ${withoutContact(said).slice(0, 200)}`
  return status < 400 ? ', not as documented' : ''
}
