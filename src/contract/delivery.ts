// The result of a delivery: of a notification to the merchant, or of an instruction to the payment network.

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
