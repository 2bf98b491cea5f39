// The audit: what operators did, and commands on the machine (contract, section 16).
import * as z from 'zod/mini'
import { KeyId } from './access-token.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { NETWORKS } from './payment.ts'
import { Cursor, DateTime as DateTimeParameter, limitParameter, nextCursor } from './query.ts'
import { SITE_ID } from './site-id.ts'

/** What is recorded: acts of operators, that of payers who end a saved account, removals of people, commands. */
export const ACTS = [
  ...[
    'instruction.send',
    'site.resume',
    'site.delete',
    'site.restore',
    'site.export',
    'site.limits',
    'site.cashRegister',
    'key.revoke',
    'owner.invite',
    'person.invite',
    'person.change',
  ],
  'token.end',
  'person.remove',
  ...['command.resume', 'command.restore', 'command.rebuild', 'command.load', 'command.fetch'],
] as const
export type Act = (typeof ACTS)[number]

/** STARTED is the row of the intent; the others are rows of a result. */
type ActResult = 'STARTED' | 'DONE' | 'REFUSED' | 'FAILED'

export const ActDetails = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
export type ActDetails = z.infer<typeof ActDetails>

/** What the details of `token.end` name: a binding at its network. */
export const EndedBinding = z.object({ bindingUid: z.string(), network: z.enum(NETWORKS) })
export type EndedBinding = z.infer<typeof EndedBinding>

/** A person who was removed; `at` is Unix seconds. */
export interface RemovedPerson {
  personId: string
  at: number
}

/** A row that is to be added. */
export interface NewAuditRow {
  /** Random: the same row that is added twice is one. */
  uid: string
  act: Act
  siteId?: string | undefined
  /** Absent of a command. */
  keyId?: string | undefined
  /** The key's label; of a command the machine's user. */
  label?: string | undefined
  /** A person who was signed in by a passkey, and their name. */
  personId?: string | undefined
  name?: string | undefined
  details: ActDetails
  result: ActResult
  /** The number of the row of the intent; only in the row of a result. */
  intent?: number | undefined
}

/** A row of the audit; `at` is Unix seconds. */
export interface AuditRow extends Omit<NewAuditRow, 'uid' | 'act' | 'result'> {
  /** From 1, without gaps. */
  number: number
  at: number
  /** One of ACTS, or an act that a later version wrote. */
  act: string
  /** An ActResult, or a result that a later version wrote. */
  result: string
}

const SITE_RULE = '1 to 64 of A-Z a-z 0-9 . _ -'

export const AuditQuery = strictObject({
  siteId: z
    .optional(z.string(SITE_RULE).check(z.regex(SITE_ID, SITE_RULE)))
    .apply(meta, { description: 'Only rows of this site' }),
  from: z
    .optional(DateTimeParameter)
    .apply(meta, { description: 'Only rows of this time or later, to the second' }),
  to: z
    .optional(DateTimeParameter)
    .apply(meta, { description: 'Only rows of this time or earlier, to the second' }),
  key: z.optional(KeyId).apply(meta, { description: 'Only rows of this key (`jti`)' }),
  limit: limitParameter({ byDefault: 50, max: 100 }),
  cursor: z.optional(Cursor),
})
export type AuditQuery = z.output<typeof AuditQuery>

const AuditRowAnswer = z
  .object({
    number: z.int().apply(meta, { description: 'From 1, without gaps' }),
    dateTime: z.iso.datetime({ offset: true }),
    act: z.string().apply(meta, {
      description: `One of ${ACTS.join(', ')}; a later version of the service can have written others`,
    }),
    siteId: z.optional(z.string()),
    keyId: z
      .optional(z.string())
      .apply(meta, { description: '`jti` of the operator’s key; absent of a command' }),
    label: z
      .optional(z.string())
      .apply(meta, { description: 'The label of the key; of a command, the user of the machine' }),
    personId: z
      .optional(z.string())
      .apply(meta, { description: 'A person who was signed in by a passkey; there is no key then' }),
    name: z.optional(z.string()).apply(meta, { description: 'The name of this person, as it was then' }),
    details: ActDetails,
    result: z.string().apply(meta, {
      description: 'STARTED: the intent, before the act. DONE, REFUSED, FAILED: what became of it',
    }),
    intent: z.optional(z.int()).apply(meta, { description: 'Of a result: the number of the intent' }),
  })
  .apply(meta, { id: 'AuditRow' })

export const AuditAnswer = z
  .object({ rows: z.array(AuditRowAnswer), nextCursor: nextCursor('rows') })
  .apply(meta, { id: 'AuditPage' })

/** The answer that shows a row. @param offset the deployment's offset from UTC */
export const auditRowAnswer = (
  { number, at, ...row }: AuditRow,
  offset: string,
): z.infer<typeof AuditRowAnswer> => ({ number, dateTime: formatDateTime(at, offset), ...row })

const anna = { keyId: '3f1b1a52-6c1f-4c44-9a53-1f0a5d1c2f77', label: 'anna' }

export const AUDIT_EXAMPLE: Example = {
  summary: 'A site that was resumed',
  value: {
    rows: [
      {
        number: 2,
        dateTime: '2026-11-23T10:20:31+03:00',
        act: 'site.resume',
        siteId: 'demo',
        ...anna,
        details: {},
        result: 'DONE',
        intent: 1,
      },
      {
        number: 1,
        dateTime: '2026-11-23T10:20:31+03:00',
        act: 'site.resume',
        siteId: 'demo',
        ...anna,
        details: {},
        result: 'STARTED',
      },
    ],
  },
}
