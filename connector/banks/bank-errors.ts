// The errors of a bank's call: refused, not known, unauthorized, no answer (answers.ts says which).

/** *Refused for good*: nothing was done, and nothing will be. The message is for the merchant's developer. */
export class Refused extends Error {}

/** *Not known*: the bank states that it does not have what it was asked about. */
export class NotKnown extends Error {
  /** Whether the bank's document has no such answer, and it is taken for this one. */
  readonly isAssumed: boolean

  constructor(message: string, { isAssumed = false }: { isAssumed?: boolean } = {}) {
    super(message)
    this.isAssumed = isAssumed
  }
}

/** For `catch`: what the bank does not have is undefined. @throws every other error */
export function undefinedIfNotKnown(error: unknown): undefined {
  if (!(error instanceof NotKnown)) throw error
}

/** The reserved id is of another code: nothing was registered under it. */
export class QrcIdTaken extends Error {}

/** The signature of a webhook is missing or wrong, or it is of somebody else. */
export class Unauthorized extends Error {}

interface NoAnswer {
  isInDoubt: boolean
  status?: number
  retryAfter?: number
  cause?: unknown
}

/** *No answer*: none came, or none that the bank's document explains. */
export class Unavailable extends Error {
  /** Whether the bank may have executed the request: not if it was never sent. */
  readonly isInDoubt: boolean
  /** The HTTP status of an answer that the document does not explain; undefined where none came. */
  readonly status: number | undefined
  /** Seconds, where the bank states them. */
  readonly retryAfter: number | undefined
  constructor(message: string, { isInDoubt, status, retryAfter, cause }: NoAnswer) {
    super(message, { cause })
    this.isInDoubt = isInDoubt
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** For what is asked before the request that counts: its failure decides nothing and leaves nothing in doubt. */
export async function notInDoubt<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    const isKnown = error instanceof Refused || error instanceof NotKnown || error instanceof Unavailable
    if (!isKnown) throw error
    const { retryAfter } = error instanceof Unavailable ? error : {}
    throw new Unavailable(error.message, {
      isInDoubt: false,
      cause: error.cause,
      ...(retryAfter ? { retryAfter } : {}),
    })
  }
}

/** How a call failed: the answers that are no success, and a request that did not leave. */
export type Failure = 'refused' | 'notKnown' | 'noAnswer' | 'neverSent'

export function failureOf(error: unknown): Failure {
  if (error instanceof Refused) return 'refused'
  if (error instanceof NotKnown) return 'notKnown'
  return error instanceof Unavailable && !error.isInDoubt ? 'neverSent' : 'noAnswer'
}

/** How long the bank asks to wait, in milliseconds; 0 where it does not. */
export const waitOf = (error: unknown): number =>
  error instanceof Unavailable ? (error.retryAfter ?? 0) * 1000 : 0
