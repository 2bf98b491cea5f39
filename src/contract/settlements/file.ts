// The settlement files of a site as the API shows them (contract, section 19).
import * as z from 'zod/mini'
import type { SettlementFormat } from '../../settlement/sources.ts'
import { formatDateTime } from '../date-time.ts'
import type { Example } from '../example.ts'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import { nextCursor } from '../query.ts'
import type { Settlement } from '../settlement.ts'
import { SettlementBank } from '../settlement-bank.ts'

const FORMATS = ['registry', 'statement'] as const satisfies readonly SettlementFormat[]
const FORMAT = z.enum(FORMATS, `one of ${FORMATS.join(', ')}`)

/** What a settlement file can be declared as. */
export const FILE_TYPES = ['text/csv', 'text/plain', 'application/json', 'application/zip'] as const

/** How large the body of an import can be, in bytes: so much a parser reads, also unpacked. */
export const MAX_FILE = 32 * 1024 * 1024

export const ImportQuery = strictObject({
  bank: SettlementBank,
  format: FORMAT.apply(meta, {
    description: 'A registry of operations, or a statement of the account in the form 1CClientBankExchange',
    examples: ['registry'],
  }),
  part: z.optional(z.literal('true', 'true')).apply(meta, {
    description:
      '`true`: the file is a part of one that was split over several sites, so that its days of payout have no state',
  }),
})
export type ImportQuery = z.output<typeof ImportQuery>

export const SettlementAnswer = z
  .object({
    settlementUid: z.string(),
    bank: SettlementBank,
    format: FORMAT,
    sha256: z
      .string()
      .check(z.regex(/^[0-9a-f]{64}$/))
      .apply(meta, { description: 'Of the bytes of the file' }),
    from: z.optional(z.iso.date()).apply(meta, {
      description: 'The first day that the file is about; absent, like `to`, of an empty file',
    }),
    to: z.optional(z.iso.date()),
    importedOn: z.iso.datetime({ offset: true }),
    lines: z.int().apply(meta, { description: 'The operations of the file: entries, and what is skipped' }),
    entries: z.int(),
    repeated: z
      .int()
      .apply(meta, { description: 'Entries that an earlier file had when this one was imported' }),
    matched: z.int().apply(meta, { description: 'Entries by their state, as they stand now' }),
    mismatched: z.int(),
    unknown: z.int(),
    skipped: z.int().apply(meta, { description: 'Operations with cards and of other products' }),
  })
  .apply(meta, { id: 'Settlement' })
export type SettlementAnswer = z.infer<typeof SettlementAnswer>

/** The answer that shows a file. @param offset the deployment's offset from UTC */
export const settlementAnswer = (file: Settlement, offset: string): SettlementAnswer => ({
  settlementUid: file.settlementUid,
  bank: file.bank,
  format: file.format,
  sha256: file.sha256,
  ...(file.from !== undefined && { from: file.from }),
  ...(file.to !== undefined && { to: file.to }),
  importedOn: formatDateTime(file.importedAt, offset),
  lines: file.lines,
  entries: file.entries,
  repeated: file.repeated,
  matched: file.matched,
  mismatched: file.mismatched,
  unknown: file.unknown,
  skipped: file.skipped,
})

export const SettlementsAnswer = z
  .object({ settlements: z.array(SettlementAnswer), nextCursor: nextCursor('files') })
  .apply(meta, { id: 'SettlementPage' })

const SETTLEMENT = {
  settlementUid: 'tbank-2026-11-20',
  bank: 'tbank',
  format: 'registry',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  from: '2026-11-20',
  to: '2026-11-20',
  importedOn: '2026-11-21T09:00:00+03:00',
  lines: 120,
  entries: 100,
  repeated: 0,
  matched: 98,
  mismatched: 1,
  unknown: 1,
  skipped: 20,
}

export const SETTLEMENT_EXAMPLE: Example = { summary: 'A registry of a day', value: SETTLEMENT }
export const SETTLEMENTS_EXAMPLE: Example = {
  summary: 'One file',
  value: { settlements: [SETTLEMENT] },
}
