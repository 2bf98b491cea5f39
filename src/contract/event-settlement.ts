// A settlement file as its events show it.
import * as z from 'zod/mini'
import { meta } from './meta.ts'

/** A settlement file as it was when it was imported or deleted. */
export const EventSettlement = z
  .object({
    settlementUid: z.string(),
    sha256: z.string().apply(meta, { description: 'Of the bytes of the file' }),
    entries: z.int().apply(meta, { description: 'The operations of the file that are matched' }),
    mismatched: z.int(),
    unknown: z.int(),
  })
  .apply(meta, { id: 'EventSettlement' })
export type EventSettlement = z.output<typeof EventSettlement>
