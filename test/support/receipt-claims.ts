// What must be true of the documents of a site when everything is at rest: each payment and refund has one, or its absence has a name.
import type { Document, ReceiptHistory } from './receipt-history.ts'
import type { Money } from './test-banks.ts'
import { kopecksOf, type TestRegister } from './test-registers.ts'

/** What the merchant was told of payments and refunds: `{paymentUid}/{refundUid}` of those with a result. */
interface Told {
  feed: ReadonlyMap<string, Money>
  results: ReadonlySet<string>
  /** Those of the results that are completed. */
  completed: ReadonlySet<string>
}

/** The attempts of one document have this in common. */
const subjectOf = ({ kind, paymentId, refundId = '', closingUid = '' }: Document): string =>
  [kind, paymentId, refundId, closingUid].join(' ')

/** @returns a line for each claim that is false */
export function problemsOf(
  history: ReceiptHistory,
  documents: readonly Document[],
  { feed, results, completed }: Told,
): string[] {
  const { bank, register } = history
  const problems: string[] = []
  // No payment and no refund is changed by its receipt.
  for (const { paymentUid, paid, refunded } of bank.ledger()) {
    const told = feed.get(paymentUid)
    if (told?.paid !== paid || told.refunded !== refunded)
      problems.push(`payment ${paymentUid}: the bank has ${paid} ${refunded}, told ${JSON.stringify(told)}`)
    if (told && !documents.some(({ kind, paymentId }) => kind === 'sale' && paymentId === paymentUid))
      problems.push(`payment ${paymentUid} has no document`)
  }
  const subjects = Map.groupBy(documents, subjectOf)
  const sold = new Set(documents.filter(({ kind }) => kind === 'sale').map(({ paymentId }) => paymentId))
  for (const key of completed) {
    const [paymentId = '', refundId = ''] = key.split('/')
    if (sold.has(paymentId) && !subjects.has(['refund', paymentId, refundId, ''].join(' ')))
      problems.push(`refund ${key} has no document`)
  }
  for (const { paymentId, closingUid } of history.closings)
    if (!subjects.has(['closing', paymentId, '', closingUid].join(' ')))
      problems.push(`closing ${closingUid} of ${paymentId} was accepted and has no document`)
  for (const [subject, attempts] of subjects) {
    const counted = attempts.filter(({ state, held }) => state === 'REGISTERED' || held !== undefined)
    if (counted.length > 1) problems.push(`${subject}: ${counted.length} attempts are registered or held`)
    const [{ paymentId } = { paymentId: '' }] = attempts
    const sale = documents.filter((each) => each.kind === 'sale' && each.paymentId === paymentId)
    for (const attempt of attempts) problems.push(...problemsOfOne(register, attempt, { attempts, sale }))
    const isRefunded = attempts.some(
      ({ kind, refundId, paymentId }) => kind === 'refund' && !results.has(`${paymentId}/${refundId}`),
    )
    if (isRefunded) problems.push(`${subject}: a document of a refund without a result`)
  }
  return [...problems, ...problemsAt(register, documents)]
}

/** Each registered document is one at the register, and what else the register has made is held. */
function problemsAt(register: TestRegister, documents: readonly Document[]): string[] {
  const made = Map.groupBy(register.made(), ({ identity }) => identity)
  const told = Map.groupBy(documents, (document) => register.identityOf(document))
  const problems: string[] = []
  for (const identity of new Set([...made.keys(), ...told.keys()])) {
    const [left, known] = [[...(made.get(identity) ?? [])], told.get(identity) ?? []]
    for (const document of known.filter(({ state }) => state === 'REGISTERED')) {
      const { fiscal, receiptUid } = document
      const own = left.findIndex(({ fd, total }) => fd === fiscal?.fd && total === kopecksOf(document))
      if (own >= 0) left.splice(own, 1)
      else
        problems.push(
          `${receiptUid} is REGISTERED with ${JSON.stringify(fiscal)}, the register has ${JSON.stringify(made.get(identity))}`,
        )
    }
    const held = known.filter((each) => each.held !== undefined)
    if (left.length > held.length) {
      const states = known.map(({ state, receiptUid }) => `${receiptUid} ${state}`).join(', ')
      problems.push(
        `the register has ${JSON.stringify(left)}, the service has ${states || 'no document of it'}`,
      )
    }
  }
  return problems
}

/** A document that is not registered says why. */
function problemsOfOne(
  register: TestRegister,
  document: Document,
  { attempts, sale }: { attempts: readonly Document[]; sale: readonly Document[] },
): string[] {
  const { receiptUid, state, held, error, waitsFor } = document
  const name = `${subjectOf(document)} ${receiptUid} ${JSON.stringify({ state, held, error, waitsFor })}`
  if (state === 'REGISTERED') return []
  if (state === 'FAILED') {
    const isReplaced = attempts.at(0) !== document && attempts.length > 1
    const isLeft = error?.canRetry && !isReplaced && !register.refusesForGood(document)
    return isLeft ? [`${name}: another attempt was to be made`] : []
  }
  if (state === 'SENT') return held === undefined ? [`${name}: it has no result`] : []
  if (waitsFor === undefined) return [`${name}: it was not sent`]
  return waitsRightly(waitsFor, sale) ? [] : [`${name}: it waits for nothing that can come`]
}

/** What a document may still wait for. @param sale the attempts of the sale's document, the latest first */
function waitsRightly(waitsFor: string, sale: readonly Document[]): boolean {
  if (sale.some(({ state }) => state === 'REGISTERED')) return false
  if (waitsFor === 'sale') return sale.some(({ state, held }) => state === 'SENT' && held !== undefined)
  return waitsFor === 'failedSale' && sale[0]?.state === 'FAILED'
}
