// What a document of a cash register needs: its state as the console names it, what happened, and what to do.
import type { ReceiptDocument } from '../../contract/receipts/document.ts'
import type { ReceiptTexts } from '../texts-receipts.ts'

/** A document that is not registered for so long is a matter of a correction. A retry begins anew: it can be registered in time. */
const LATE_SECONDS = 86_400

type Document = Pick<ReceiptDocument, 'state' | 'held' | 'waitsFor' | 'error' | 'isReplaced' | 'createdAt'>

/** A name of STATES. */
export function receiptState({ state, held, isReplaced }: Document): string {
  if (isReplaced) return 'RECEIPT_REPLACED'
  return state === 'SENT' && held !== undefined ? 'RECEIPT_HELD' : `RECEIPT_${state}`
}

/** Why a document is not registered; undefined of one that is. */
export function adviceOf({
  state,
  held,
  waitsFor,
  error,
}: Document): keyof ReceiptTexts['advice'] | undefined {
  if (state === 'REGISTERED') return undefined
  if (error) return error.reason === 'refused' && !error.canRetry ? 'final' : error.reason
  if (held !== undefined) return 'held'
  return waitsFor ?? (state === 'SENT' ? 'sent' : 'waiting')
}

/**
 * What is to be done after a day, in place of the advice: another receipt, or a correction, could be a second document of what the
 * register has made late. What waits for another document is done with that one.
 * @param now Unix seconds
 * @returns a name of `late`
 */
export function lateAdviceOf(
  { state, waitsFor, isReplaced, createdAt }: Document,
  now: number,
): keyof ReceiptTexts['late'] | undefined {
  if (state === 'REGISTERED' || isReplaced || now - createdAt <= LATE_SECONDS) return undefined
  if (state === 'FAILED') return 'failed'
  return waitsFor === undefined ? 'open' : undefined
}

/** Whether another attempt can be made here. @param now Unix seconds */
export const canRetry = (document: Document, now: number): boolean =>
  document.state === 'FAILED' &&
  !document.isReplaced &&
  document.error?.canRetry === true &&
  lateAdviceOf(document, now) === undefined
