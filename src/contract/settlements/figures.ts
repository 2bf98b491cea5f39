// The settlement of all sites in a month, as the sites told the registry (contract, section 16).
import * as z from 'zod/mini'
import type { Example } from '../example.ts'
import { meta } from '../meta.ts'
import { figuresAnswer, SignedDecimal } from './month.ts'
import { type SiteSettlement, sumOf } from './month-figures.ts'

const signed = (description: string) => SignedDecimal.apply(meta, { description })
const count = (description: string) => z.int().apply(meta, { description })

const FiguresAnswer = {
  payments: count('Entries of payments, also those that are UNKNOWN'),
  gross: signed('Their sum'),
  refunds: count('Entries of refunds'),
  refunded: signed('Their sum, negative'),
  fee: signed('What the banks keep, negative'),
  feeVat: signed('The part of it that is VAT, as far as the banks state it'),
  net: signed('What is left, as far as the banks state it'),
  withoutFee: count('Operations whose bank states no fee: above 0 `fee` is not complete'),
  withoutVat: count('Operations whose bank states no VAT: above 0 `feeVat` is not complete'),
  matched: count('Entries by state'),
  mismatched: z.int(),
  unknown: z.int(),
  expected: count('Payments and refunds that no file has'),
}

export const AllSettlementsAnswer = z
  .object({
    month: z.string(),
    sites: z.array(
      z
        .object({
          siteId: z.string(),
          name: z.optional(z.string()).apply(meta, { description: 'The shop’s name in the settings' }),
          ...FiguresAnswer,
        })
        .apply(meta, { id: 'SiteSettlement' }),
    ),
    total: z.object(FiguresAnswer).apply(meta, { id: 'SettlementTotal' }),
  })
  .apply(meta, { id: 'AllSettlements' })
export type AllSettlementsAnswer = z.infer<typeof AllSettlementsAnswer>

/** The answer that shows a month of all sites. */
export const allSettlementsAnswer = (
  month: string,
  sites: readonly SiteSettlement[],
): AllSettlementsAnswer => ({
  month,
  sites: sites.map(({ siteId, name, ...figures }) => ({
    siteId,
    ...(name !== undefined && { name }),
    ...figuresAnswer(figures),
  })),
  total: figuresAnswer(sumOf(sites)),
})

const tea = {
  ...{ payments: 100, gross: '10000.00', refunds: 1, refunded: '-100.00', fee: '-70.00', feeVat: '0.00' },
  ...{ net: '9830.00', withoutFee: 0, withoutVat: 101, matched: 99, mismatched: 1, unknown: 1, expected: 0 },
}

export const ALL_SETTLEMENTS_EXAMPLE: Example = {
  summary: 'The only site',
  value: { month: '2026-11', sites: [{ siteId: 'demo', name: 'Tea shop', ...tea }], total: tea },
}
