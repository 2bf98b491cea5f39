// Sites as the operator sees them (contract, section 16).
import * as z from 'zod/mini'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import type { Instruction } from './instruction.ts'
import { type Limits, LimitsAnswer, limitsAnswer } from './limits.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from './payment.ts'
import type { CashRegister } from './receipts/cash-register.ts'
import { type Closing, ClosingAnswer, closingAnswer, TestAnswer } from './site-list.ts'
import { type QrCodeStatus, STATUSES } from './status.ts'
import { TOKEN_STATUSES, type TokenStatus } from './token.ts'

const DateTime = z.iso.datetime({ offset: true })

/** How many there are in each status. */
export type Counts<Status extends string> = Partial<Record<Status, number>>

/** An instruction that the payment network has not answered for an hour; `since` is Unix milliseconds. */
export interface OverdueInstruction {
  id: string
  instruction: Instruction
  since: number
  isTaken: boolean
}

/** What waits in a queue; `oldest` is Unix milliseconds. */
export interface Pending {
  pending: number
  oldest?: number | undefined
}

/** A site with what is stuck in it; times are Unix seconds unless said otherwise. */
export interface SiteHealth {
  siteId: string
  name?: string | undefined
  createdAt: number
  changedAt: number
  epoch: string
  isRestored: boolean
  closing?: Closing | undefined
  limits: Limits
  /** The cash register that the operator set; in the sandbox, the service's own. */
  cashRegister?: CashRegister | undefined
  bytes: number
  qrCodes: Counts<QrCodeStatus>
  payments: Counts<PaymentStatus>
  refunds: Counts<PaymentStatus>
  tokens: Counts<TokenStatus>
  /** The documents of its cash register; undefined where it has none. */
  receipts?: (Pending & { failed: number }) | undefined
  notifications: Pending & { failed: number }
  instructions: Pending & { overdue: OverdueInstruction[] }
}

const countsOf = <Status extends string>(statuses: readonly [Status, ...Status[]]) =>
  z
    .partialRecord(z.enum(statuses), z.int())
    .apply(meta, { description: 'By status; a status that none has is absent' })

const OldestAnswer = z.optional(DateTime).apply(meta, { description: 'Since when the oldest of them waits' })

const OverdueAnswer = z
  .object({
    id: z.string().apply(meta, { description: '`webhook-id` of the instruction' }),
    type: z.string(),
    since: DateTime,
    taken: z.boolean().apply(meta, { description: 'Whether the connector has accepted it' }),
    qrcId: z.optional(z.string()),
    paymentUid: z.optional(z.string()),
    refundUid: z.optional(z.string()),
    bindingUid: z.optional(z.string()),
    receiptUid: z.optional(z.string()),
  })
  .apply(meta, { id: 'OverdueInstruction' })

export const SiteAnswer = z
  .object({
    siteId: z.string(),
    name: z.optional(z.string()),
    createdOn: DateTime,
    test: TestAnswer,
    lastChange: DateTime.apply(meta, { description: 'The time of the latest event' }),
    epoch: z.string().apply(meta, { description: 'Another one after a restore' }),
    restored: z.boolean().apply(meta, {
      description: 'Whether the site was restored from a backup, and is not resumed yet',
    }),
    ...ClosingAnswer,
    limits: z.optional(LimitsAnswer),
    bytes: z.int().apply(meta, { description: 'The size of the database' }),
    qrCodes: countsOf(STATUSES),
    payments: countsOf(PAYMENT_STATUSES),
    refunds: countsOf(PAYMENT_STATUSES),
    tokens: countsOf(TOKEN_STATUSES),
    receipts: z
      .optional(z.object({ pending: z.int(), failed: z.int(), oldestPending: OldestAnswer }))
      .apply(meta, {
        description: 'Receipts that are not registered, and that failed and were not sent again',
      }),
    notifications: z.object({ pending: z.int(), failed: z.int(), oldestPending: OldestAnswer }),
    instructions: z.object({
      pending: z.int(),
      oldestPending: OldestAnswer,
      overdue: z
        .array(OverdueAnswer)
        .apply(meta, { description: 'Not answered for an hour, the oldest first, at most 100' }),
    }),
  })
  .apply(meta, { id: 'Site' })
export type SiteAnswer = z.infer<typeof SiteAnswer>

/** The answer that shows a site. @param offset the deployment's offset from UTC */
export function siteAnswer(
  site: SiteHealth,
  { offset, isTest }: { offset: string; isTest: boolean },
): SiteAnswer {
  const { siteId, name, createdAt, changedAt, epoch, isRestored, notifications, instructions } = site
  const limits = limitsAnswer(site.limits, site.cashRegister)
  const dateTime = (milliseconds: number) => formatDateTime(Math.floor(milliseconds / 1000), offset)
  const oldest = (time: number | undefined) => (time === undefined ? {} : { oldestPending: dateTime(time) })
  return {
    siteId,
    ...(name !== undefined && { name }),
    createdOn: formatDateTime(createdAt, offset),
    ...(isTest && { test: true }),
    lastChange: formatDateTime(changedAt, offset),
    epoch,
    restored: isRestored,
    ...closingAnswer(site.closing, offset),
    ...(limits && { limits }),
    bytes: site.bytes,
    qrCodes: site.qrCodes,
    payments: site.payments,
    refunds: site.refunds,
    tokens: site.tokens,
    ...(site.receipts && {
      receipts: {
        pending: site.receipts.pending,
        failed: site.receipts.failed,
        ...oldest(site.receipts.oldest),
      },
    }),
    notifications: {
      pending: notifications.pending,
      failed: notifications.failed,
      ...oldest(notifications.oldest),
    },
    instructions: {
      pending: instructions.pending,
      ...oldest(instructions.oldest),
      overdue: instructions.overdue.map(({ id, instruction, since, isTaken }) => {
        const { type, ...rest } = instruction
        return {
          id,
          type,
          since: dateTime(since),
          taken: isTaken,
          ...('linkId' in rest && { qrcId: rest.linkId }),
          ...('paymentUid' in rest && { paymentUid: rest.paymentUid }),
          ...('refundUid' in rest && { refundUid: rest.refundUid }),
          ...('bindingUid' in rest && { bindingUid: rest.bindingUid }),
          ...('receiptUid' in rest && { receiptUid: rest.receiptUid }),
        }
      }),
    },
  }
}

/** The body of a deletion: the siteId is repeated, so that a wrong path deletes nothing. */
export const SiteDeletionBody = strictObject({
  siteId: z.string('the siteId of the path'),
  force: z._default(z.boolean('true or false'), false).apply(meta, {
    description:
      'true: also while QR codes are payable, or refunds or instructions are pending. No bank is told of it: its links can be paid until they end there',
  }),
}).apply(meta, { id: 'SiteDeletion' })

/** When a deletion that can be undone began, and when it cannot be undone any more. */
export const DeletedSiteAnswer = z
  .object({
    siteId: z.string(),
    deletedOn: DateTime.apply(meta, { description: 'From when on merchant and payers get 410' }),
    dataDeletedOn: DateTime.apply(meta, {
      description: 'When the data are deleted: until then the deletion can be undone',
    }),
  })
  .apply(meta, { id: 'DeletedSite' })

export const DELETED_SITE_EXAMPLE: Example = {
  summary: 'Deleted, with a week in which it can be restored',
  value: {
    siteId: 'demo',
    deletedOn: '2026-11-23T10:20:31+03:00',
    dataDeletedOn: '2026-11-30T10:20:31+03:00',
  },
}

export const SITE_DELETION_EXAMPLES = {
  delete: { summary: 'Delete a site that has nothing in flight', value: { siteId: 'demo' } },
} satisfies Record<string, Example>

export const SITE_EXAMPLE: Example = {
  summary: 'A refund that the bank has not answered',
  value: {
    siteId: 'demo',
    name: 'Tea shop',
    createdOn: '2026-11-20T20:10:32+03:00',
    lastChange: '2026-11-20T22:31:09+03:00',
    epoch: '8c1f0d5a9b3e7f42',
    restored: false,
    limits: { maxPayment: { value: '15000.00', currency: 'RUB' } },
    bytes: 327680,
    qrCodes: { CREATED: 2, PAYED: 14 },
    payments: { COMPLETED: 14 },
    refunds: { WAITING: 1 },
    tokens: {},
    notifications: { pending: 0, failed: 0 },
    instructions: {
      pending: 1,
      oldestPending: '2026-11-20T20:31:09+03:00',
      overdue: [
        {
          id: '8c1f0d5a9b3e7f42-31',
          type: 'refund.create',
          since: '2026-11-20T20:31:09+03:00',
          taken: true,
          qrcId: 'AD100004BAL7227F9BNP6KNE007J9B3K',
          paymentUid: 'A6325171030000001',
          refundUid: 'refund-1',
        },
      ],
    },
  },
}
