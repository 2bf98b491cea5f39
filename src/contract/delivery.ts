// A delivery of a notification to the merchant, or of an instruction to the payment network: its result, and when it is tried again.

const MINUTE = 60
const HOUR = 60 * MINUTE

/** Seconds from each failed attempt to the next. */
export const RETRY_DELAYS: readonly number[] = [
  ...[5, MINUTE, 5 * MINUTE, 5 * MINUTE, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
]

/** The delays as people read them: `5 seconds, 1 minute, …`. */
export const retryDelaysText = (): string => RETRY_DELAYS.map(inWords).join(', ')

function inWords(delay: number): string {
  if (delay >= HOUR) return counted(delay / HOUR, 'hour')
  return delay >= MINUTE ? counted(delay / MINUTE, 'minute') : counted(delay, 'second')
}

const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`

/** The status of the answer, or why there was none. */
export interface DeliveryResult {
  httpStatus?: number | undefined
  error?: string | undefined
  /** Milliseconds that the delivery took. */
  ms: number
}

/** Whether the endpoint accepted it. */
export const isAccepted = ({ httpStatus }: Pick<DeliveryResult, 'httpStatus'>): boolean =>
  httpStatus !== undefined && httpStatus >= 200 && httpStatus < 300

/**
 * The result as the courier gives it; `retryAfter` is the header of the answer, in seconds, `isUnconnected` of an instruction
 * that nobody takes: the deployment has no connector.
 */
export type Delivered = DeliveryResult & { retryAfter?: number | undefined; isUnconnected?: true | undefined }

/** A delivery that was tried; `at` is Unix milliseconds, `origin` of a notification the scheme, host and port that it went to. */
export type Attempt = DeliveryResult & { at: number; origin?: string | undefined }
