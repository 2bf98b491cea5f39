// What a site has, as its merchant reads it, and what must be true of its feed. These check the service, so they use none of its schemas.
import * as z from 'zod'

/** Sends a GET of the merchant's below the site. */
type Read = (path: string) => Promise<{ status: number; text: string }>

const Amount = z.object({ value: z.string() })
const RecordedEvent = z.object({
  id: z.int(),
  type: z.string(),
  qrCodeUid: z.string().optional(),
  sale: z.object({ saleUid: z.string() }).optional(),
  payment: z.object({ paymentUid: z.string(), amount: Amount, applied: z.boolean() }).optional(),
  refund: z.object({ paymentUid: z.string(), refundUid: z.string(), amount: Amount }).optional(),
})
export type RecordedEvent = z.output<typeof RecordedEvent>

const Feed = z.object({ events: z.array(RecordedEvent), nextCursor: z.string() })
const List = z.object({
  qrCodes: z.array(z.object({ qrCodeUid: z.string(), qrCode: z.object({ payload: z.string() }) })),
  nextCursor: z.string().optional(),
})

/** What is notified of a payment or a refund: what a receiver took of a delivery. */
export interface Notified {
  /** `webhook-id` */
  id: string
  paymentId: string
  /** Of a refund. */
  refundId?: string | undefined
}

/** The feed of a site, from its first event on. @throws Error with an answer that is no success */
export async function* eventsOf(read: Read): AsyncGenerator<RecordedEvent> {
  for (let after = ''; ; ) {
    const { events, nextCursor } = Feed.parse(await answerOf(read, `/events?limit=1000${after}`))
    if (events.length === 0) return
    yield* events
    after = `&after=${encodeURIComponent(nextCursor)}`
  }
}

/** The links of each QR code in the list of a site, by its uid. @throws Error with an answer that is no success */
export async function linksOf(read: Read): Promise<Map<string, string[]>> {
  const links = new Map<string, string[]>()
  for (let cursor = ''; ; ) {
    const page = List.parse(await answerOf(read, `/sbp/qrCodes?limit=100${cursor}`))
    for (const { qrCodeUid, qrCode } of page.qrCodes)
      links.set(qrCodeUid, [...(links.get(qrCodeUid) ?? []), qrCode.payload])
    if (page.nextCursor === undefined) return links
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
}

const RESULTS: readonly string[] = ['payment.completed', 'refund.completed', 'refund.declined']

/** Whether an event of a payment or a refund is notified. */
const isResult = ({ type, payment }: RecordedEvent): boolean =>
  RESULTS.includes(type) || (type === 'payment.declined' && payment?.applied === true)

/**
 * What is wrong with a feed and the notifications of it: an event that is not later than the one before, a result that is there twice, that is
 * not notified, or that is notified under two `webhook-id`s, and a notification of what the feed does not have.
 */
export function feedProblems(
  siteId: string,
  events: readonly RecordedEvent[],
  notified: readonly Notified[],
): string[] {
  const results = Map.groupBy(events.filter(isResult), subjectOf)
  const deliveries = Map.groupBy(notified, ({ paymentId, refundId }) => nameOf(paymentId, refundId))
  return [
    ...events
      .filter(({ id }, i) => id <= (events[i - 1]?.id ?? 0))
      .map(({ id }) => `${siteId} event ${id} is not later than the one before`),
    ...Array.from(results, ([name, each]) => {
      const types = new Set(each.map(({ type }) => type))
      return [
        ...(types.size < each.length ? [`${siteId} ${name}: ${each.length} results`] : []),
        ...(deliveries.has(name) ? [] : [`${siteId} ${name}: not notified`]),
      ]
    }).flat(),
    ...Array.from(deliveries, ([name, each]) => {
      const ids = new Set(each.map(({ id }) => id))
      const count = results.get(name)?.length ?? 0
      // What was declined, and is completed after all, has two results.
      return ids.size > count ? [`${siteId} ${name}: ${count} results, ${ids.size} webhook-ids`] : []
    }).flat(),
  ]
}

/** What an event is about. */
export const subjectOf = ({ refund, payment, sale, qrCodeUid, id }: RecordedEvent): string =>
  refund
    ? nameOf(refund.paymentUid, refund.refundUid)
    : (payment?.paymentUid ?? sale?.saleUid ?? qrCodeUid ?? `event ${id}`)

const nameOf = (paymentUid: string, refundUid: string | undefined): string =>
  refundUid === undefined ? paymentUid : `${paymentUid}/${refundUid}`

async function answerOf(read: Read, path: string): Promise<unknown> {
  const { status, text } = await read(path)
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
  return JSON.parse(text)
}
