// Refunds with identifiers that a retry keeps, although Medusa makes a new one for each attempt.
import {
  ApiError,
  ConnectionError,
  type FpsQr,
  NotFoundError,
  type OrderPayment,
  type Refund,
  toKopecks,
} from '@fps-qr/client'
import type { MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys, Modules } from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'
import { amountOf } from './codes.js'
import type { MedusaPayment } from './medusa-order.js'
import { refused } from './refused.js'

/** How long a refund waits for the bank, in milliseconds: somebody waits at the button. */
const PATIENCE_MS = 15_000

/** In the metadata of Medusa's row of a refund: which refund of the service it is. */
const KEY = 'fps_qr_refund'

export interface RefundRequest {
  /** The payment at the service. */
  paymentId: string
  /** In roubles, such as "10.50". */
  value: string
}

/**
 * Refunds for a row of Medusa. Medusa deletes the row of a refund that failed, and makes another one for a retry. So the
 * identifier is not the row's: it is the first one of the payment that no living row has, and that was not declined.
 * @returns when the bank carried it out
 * @throws MedusaError if it was declined, or if that is not known yet; then the same refund again carries on
 */
export async function refundForRow(
  container: MedusaContainer,
  fps: FpsQr,
  rowId: string,
  request: RefundRequest,
): Promise<void> {
  const declined = new Set<string>()
  await refundOnce(fps, request, async (previous) => {
    if (previous !== undefined) declined.add(previous)
    return claim(container, rowId, declined)
  })
}

/** Refunds a payment that Medusa does not know: a surplus one. The identifiers are counted, as those of rows. */
export async function refundSurplus(fps: FpsQr, request: RefundRequest): Promise<void> {
  let number = 0
  await refundOnce(fps, request, async () => `surplus-${++number}`)
}

/** @param nextId called again with an identifier whose refund was declined before */
async function refundOnce(
  fps: FpsQr,
  { paymentId, value }: RefundRequest,
  nextId: (declined?: string) => Promise<string>,
): Promise<void> {
  try {
    for (let refundId = await nextId(); ; refundId = await nextId(refundId)) {
      const known = await fps.getRefund(paymentId, refundId).catch(ifNotFound)
      if (known?.status.value === 'DECLINED') continue
      if (known && toKopecks(known.amount.value) !== toKopecks(value)) throw unrecorded(known)
      if (!known) await fps.refund(paymentId, refundId, { amount: { value } })
      return await outcome(fps, paymentId, refundId)
    }
  } catch (error) {
    throw told(error)
  }
}

function ifNotFound(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}

const unrecorded = ({ amount, status }: Refund) =>
  refused(
    `A refund of ${amount.value} was requested before and got no answer; it is ${status.value}. Refund ${amount.value} first: that records it, and returns nothing twice`,
  )

async function outcome(fps: FpsQr, paymentId: string, refundId: string): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const refund = await fps.waitForRefund(paymentId, refundId, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  if (refund?.status.value === 'COMPLETED') return
  if (refund) throw refused(`The bank declined the refund: ${refund.status.reason ?? 'no reason given'}`)
  throw refused(
    'The bank has not carried out the refund yet. Repeat the same refund later: that records it, and returns nothing twice',
  )
}

/** An error that Medusa shows to the person who refunds. */
function told(error: unknown): unknown {
  if (error instanceof ConnectionError || (error instanceof ApiError && error.httpStatus >= 500))
    return refused(
      `No answer to the refund: ${error.message}. Repeat it: the same refund again returns nothing twice`,
    )
  return error instanceof ApiError ? refused(error.message) : error
}

/** Writes the identifier into the row before the refund is requested. The lock of the payment keeps two rows from one. */
async function claim(
  container: MedusaContainer,
  rowId: string,
  declined: ReadonlySet<string>,
): Promise<string> {
  const knex = container.resolve(ContainerRegistrationKeys.PG_CONNECTION)
  return knex.transaction(async (transaction) => {
    const [row] = z
      .array(z.object({ payment_id: z.string() }))
      .parse(await transaction('refund').where({ id: rowId }).select('payment_id'))
    if (!row) throw refused(`fps-qr: there is no refund ${rowId}`)
    const { payment_id } = row
    await transaction('payment').where({ id: payment_id }).forUpdate().select('id')
    const claims = z.array(z.object({ claim: z.string().nullable() })).parse(
      await transaction('refund')
        .where({ payment_id, deleted_at: null })
        .whereNot({ id: rowId })
        .select(transaction.raw('metadata->>? as claim', [KEY])),
    )
    const taken = new Set(claims.map((each) => each.claim))
    let number = 1
    const idOf = () => `${payment_id}-${number}`
    while (taken.has(idOf()) || declined.has(idOf())) number++
    await transaction('refund')
      .where({ id: rowId })
      .update({
        metadata: transaction.raw(`coalesce(metadata, '{}') || jsonb_build_object(?::text, ?::text)`, [
          KEY,
          idOf(),
        ]),
      })
    return idOf()
  })
}

/** A refund of Medusa's row, as far as it names one of the service. */
const claimOf = (metadata: unknown): string | undefined =>
  z.object({ [KEY]: z.string() }).safeParse(metadata).data?.[KEY]

/** A refund that was requested for Medusa's payment, and that the order does not have. */
export interface UnrecordedRefund {
  amount: string
  status: string
  /** Medusa's row, where that is there, and the transaction of the order alone is missing. */
  rowId?: string
}

/** A row of Medusa whose refund was declined, or was never requested. */
export interface MistakenRefund {
  amount: string
  rowId: string
}

/** Where Medusa and the service have different refunds of a payment, because the shop gave up or ended meanwhile. */
export interface RefundFaults {
  unrecorded: UnrecordedRefund[]
  mistaken: MistakenRefund[]
}

/**
 * Nothing of it is put right by itself: who repeats a refund after an error would make a second one then. A refund that is being made at this
 * moment looks like one of them.
 */
export async function faultsOf(
  container: MedusaContainer,
  fps: FpsQr,
  { id, refunds: rows, currency_code, orderId }: MedusaPayment & { orderId: string },
  { payment, qrCode }: OrderPayment,
): Promise<RefundFaults> {
  const requested = qrCode.refunds ?? []
  const paymentId = payment?.paymentId ?? ''
  const transactions = await container
    .resolve(Modules.ORDER)
    .listOrderTransactions({ order_id: orderId, reference: 'refund' })
  const faults: RefundFaults = { unrecorded: [], mistaken: [] }
  // A refund is missing only where the service says so of the refund itself.
  const statusOf = async (refundId: string | undefined) => {
    const known = requested.find(({ refundUid }) => refundUid === refundId)
    if (known || refundId === undefined) return known?.refundStatus
    return (await fps.getRefund(paymentId, refundId).catch(ifNotFound))?.status.value
  }
  for (const { id: rowId, amount: sum, metadata } of rows) {
    const amount = amountOf(sum, currency_code).value
    const status = await statusOf(claimOf(metadata))
    if (status === undefined || status === 'DECLINED') faults.mistaken.push({ amount, rowId })
    else if (!transactions.some(({ reference_id }) => reference_id === rowId))
      faults.unrecorded.push({ amount, status, rowId })
  }
  const claims = new Set(rows.map(({ metadata }) => claimOf(metadata)))
  for (const { refundUid, refundStatus } of requested) {
    // Refunds with other identifiers were made elsewhere: in the console of the service.
    if (!refundUid.startsWith(`${id}-`) || refundStatus === 'DECLINED' || claims.has(refundUid)) continue
    const { amount, status } = await fps.getRefund(paymentId, refundUid)
    faults.unrecorded.push({ amount: amount.value, status: status.value })
  }
  return faults
}
