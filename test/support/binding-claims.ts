// What must be true of charges when everything is at rest: each moved money once at most, and the merchant knows of it.
import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Merchant } from './bank-deployment.ts'
import type { BindingBank } from './binding-bank.ts'
import type { Charge, Code } from './binding-merchant.ts'

const PaymentAnswer = z.object({
  status: z.object({ value: z.string() }),
  refundedAmount: z.object({ value: z.string() }),
  paymentMethod: z.object({ type: z.string() }),
})

/** What a history has asked for, and what its bank was asked for. */
export interface Asked {
  siteId: string
  bound: BindingBank
  charges: readonly Charge[]
  refunds: readonly { paymentUid: string; refundUid: string }[]
  /** The calls that charge, each with the number of deletions before it, and whether the charge's time was over. */
  sent: readonly { order: string; deletions: number; isLate: boolean }[]
  /** The tokens whose end was on the connector's disk, each with the orders that had begun before, and those that waited all the same. */
  deletions: readonly { token: string; begun: string; unsent: string }[]
  /** Whether service and connector can have lost both their disks: what neither knows is not told. */
  canForget: boolean
  /** Whether the bank gave another id of the request with the link of a code: then nobody can ask it what became of the binding. */
  isMisnamed(qrcId: string): boolean
  /** The codes that asked for an account. */
  codes: readonly Code[]
  /** The reports of the site that the service has not taken. */
  reports: readonly string[]
}

/** The uids of charges and refunds that wait at the service. */
export async function waitingOf(merchant: Merchant, { charges, refunds }: Asked): Promise<string[]> {
  const asked = [
    ...uidsOf(charges).map((uid) => ({ uid, path: `/payments/${uid}` })),
    ...refunds.map(({ paymentUid, refundUid }) => ({
      ...{ uid: refundUid, path: `/payments/${paymentUid}/refunds/${refundUid}` },
    })),
  ]
  const waiting: string[] = []
  for (const { uid, path } of asked) {
    const { text } = await merchant.ask(path)
    if (text.includes('"status":{"value":"WAITING"')) waiting.push(uid)
  }
  return waiting
}

export async function problemsOf(merchant: Merchant, asked: Asked): Promise<string[]> {
  const { siteId, bound, charges, refunds, canForget } = asked
  const paymentUids = uidsOf(charges)
  const made = new Map(bound.made().map((charge) => [charge.order, charge]))
  const problems = [...movedWrongly(asked), ...(await boundWrongly(merchant, asked))]
  const orders = new Set(paymentUids.map((uid) => orderOf(siteId, uid)))
  for (const paymentUid of paymentUids) {
    const charge = made.get(orderOf(siteId, paymentUid))
    const { status, text } = await merchant.ask(`/payments/${paymentUid}`)
    // A restored service need not know a charge that moved nothing.
    if (status === 404 && (canForget || !charge)) continue
    const stated = status === 200 ? PaymentAnswer.parse(JSON.parse(text)) : undefined
    const wanted = charge ? 'COMPLETED' : 'DECLINED'
    if (stated?.status.value !== wanted)
      problems.push(`charge ${paymentUid}: ${wanted} at the bank, ${status} ${text}`)
    if (charge && stated?.paymentMethod.type !== 'TOKEN')
      problems.push(`charge ${paymentUid} is not told as one by token: ${text}`)
    const told = Math.round(Number(stated?.refundedAmount.value ?? 0) * 100)
    if (told !== (charge?.refunded ?? 0) && !canForget)
      problems.push(`charge ${paymentUid}: the bank gave back ${charge?.refunded}, told ${told}`)
  }
  for (const order of made.keys())
    if (!orders.has(order)) problems.push(`order ${order} is no charge that was asked for`)
  for (const { paymentUid, refundUid } of refunds) {
    const { status, text } = await merchant.ask(`/payments/${paymentUid}/refunds/${refundUid}`)
    // A restored service need not know one that was declined; what was given back is compared above.
    if (status === 404) continue
    if (!/"(COMPLETED|DECLINED)"/.test(text)) problems.push(`refund ${refundUid} of ${paymentUid}: ${text}`)
  }
  return problems
}

const uidsOf = (charges: readonly Charge[]): string[] => charges.flatMap(({ paymentUid }) => paymentUid ?? [])

function movedWrongly({ siteId, bound, charges, sent, deletions, canForget }: Asked): string[] {
  const twice = Array.from(bound.executions()).filter(([, times]) => times > 1)
  const problems = twice.map(([order, times]) => `order ${order} was charged ${times} times`)
  for (const { order, isLate } of sent) if (isLate) problems.push(`order ${order} was charged after its time`)
  for (const { unsent } of deletions)
    if (unsent !== '') problems.push(`${unsent} wait to be charged after the end of their token`)
  // What neither disk has can be sent again, and of a deletion that neither has nobody knows.
  if (canForget) return problems
  for (const [order, calls] of Map.groupBy(sent, (call) => call.order))
    if (calls.length > 1) problems.push(`order ${order} was sent ${calls.length} times`)
  for (const { token, paymentUid = '' } of charges) {
    const order = orderOf(siteId, paymentUid)
    const end = deletions.findIndex((deletion) => deletion.token === token)
    if (end < 0 || deletions[end]?.begun.includes(order)) continue
    if (sent.some((call) => call.order === order && call.deletions > end))
      problems.push(`order ${order} was charged after the end of its token`)
  }
  return problems
}

const CodeAnswer = z.object({
  token: z.object({ status: z.string(), value: z.string().optional() }).optional(),
})

/** What the service says of bindings that is not what their bank states, and what it was told and has not taken. */
async function boundWrongly(
  merchant: Merchant,
  { bound, codes, deletions, reports, canForget, isMisnamed }: Asked,
): Promise<string[]> {
  const problems = reports.map((report) => `not taken by the service: ${report}`)
  // Of codes that neither disk has nobody asks the bank.
  if (canForget) return problems
  const deleted = new Set(deletions.map(({ token }) => token))
  for (const { uid, qrcId } of codes) {
    const { status, text } = await merchant.ask(`/sbp/qrCodes/${uid}`)
    // A restored service need not know the code.
    if (status === 404) continue
    const token = status === 200 ? CodeAnswer.parse(JSON.parse(text)).token : undefined
    const stated = bound.stateOf(qrcId)
    const isOver = token?.status !== 'CREATED'
    const isTrue = stated === 'ACTIVE' ? !isOver || token?.status === 'DELETED' : isOver
    if (!isTrue && !isMisnamed(qrcId))
      problems.push(`binding of ${uid} (${qrcId}): ${stated} at the bank, ${status} ${text}`)
    if (token?.value !== undefined && deleted.has(token.value))
      problems.push(`binding of ${uid}: its deleted token can be charged`)
  }
  return problems
}

/** The order of a charge at the bank (docs/banks.md). */
export const orderOf = (siteId: string, paymentUid: string): string =>
  createHash('sha256')
    .update(JSON.stringify([siteId, paymentUid]))
    .digest('hex')
    .slice(0, 32)
