// The cash register of a site as the operator sets it, and as it is answered (contract, section 16).
import * as z from 'zod/mini'
import type { Example } from '../example.ts'
import { meta } from '../meta.ts'
import { strictObject } from '../object.ts'
import { parsed } from '../parsed.ts'
import { CAPABILITIES, type CashRegister, FFDS, REGISTER_KINDS } from './cash-register.ts'
import { MAX_ITEMS } from './item.ts'
import { VAT_RATES, VatRate } from './vat.ts'

/** Below what its kind can do, and above what the document of its kind states. */
const OWN = {
  maxItems: 'The most items of a receipt, where it takes fewer than its kind',
  decimals: 'The most decimals of a quantity, where it takes fewer than its kind',
  vats: 'Rates of VAT that it takes, and that the document of its kind does not state yet',
}

const COUNT_RULE = `a whole number from 1 to ${MAX_ITEMS}`
const DECIMALS = [0, 1, 2, 3] as const
const DECIMALS_RULE = `one of ${DECIMALS.join(', ')}`
const Decimals = parsed(z.int(DECIMALS_RULE), DECIMALS_RULE, (value) =>
  DECIMALS.find((decimals) => decimals === value),
).apply(meta, { enum: DECIMALS })

/** The body that sets the cash register of a site. */
export const CashRegisterRequest = strictObject({
  kind: z.enum(REGISTER_KINDS, `one of ${REGISTER_KINDS.join(', ')}`),
  ffd: z.enum(FFDS, `one of ${FFDS.join(', ')}`),
  maxItems: z
    .optional(z.int(COUNT_RULE).check(z.minimum(1), z.maximum(MAX_ITEMS)))
    .apply(meta, { description: OWN.maxItems }),
  decimals: z.optional(Decimals).apply(meta, { description: OWN.decimals }),
  vats: z
    .optional(
      z.pipe(
        z.array(VatRate, 'an array'),
        z.transform((vats) => VAT_RATES.filter((rate) => vats.includes(rate))),
      ),
    )
    .apply(meta, { description: OWN.vats }),
})
  .check(
    z.check(({ value: { kind, ffd }, issues }) => {
      const { ffds } = CAPABILITIES[kind]
      if (ffds.includes(ffd)) return
      const message = `${ffds.join(' or ')} where kind is ${kind}`
      issues.push({ code: 'custom', input: ffd, path: ['ffd'], message })
    }),
  )
  .apply(meta, { id: 'CashRegisterRequest' })

export const CashRegisterAnswer = z
  .object({
    kind: z.enum(REGISTER_KINDS),
    ffd: z.enum(FFDS),
    maxItems: z.optional(z.int()).apply(meta, { description: OWN.maxItems }),
    decimals: z.optional(z.int()).apply(meta, { description: OWN.decimals }),
    vats: z.optional(z.array(VatRate)).apply(meta, { description: OWN.vats }),
  })
  .apply(meta, { id: 'CashRegister', description: 'The cash register that makes the receipts of the site' })

/** The answer that shows it. */
export const cashRegisterAnswer = ({
  kind,
  ffd,
  maxItems,
  decimals,
  vats,
}: CashRegister): z.infer<typeof CashRegisterAnswer> => ({
  kind,
  ffd,
  ...(maxItems !== undefined && { maxItems }),
  ...(decimals !== undefined && { decimals }),
  ...(vats && { vats: [...vats] }),
})

export const CASH_REGISTER_EXAMPLES = {
  atol: { summary: 'A register of ATOL Online', value: { kind: 'atol', ffd: '1.2' } },
  tbank: {
    summary: 'A register behind T-Bank, which takes 2 decimals',
    value: { kind: 'tbank', ffd: '1.05', decimals: 2 },
  },
  raiffeisen: {
    summary: 'A register at Raiffeisenbank, which takes 22 per cent',
    value: { kind: 'raiffeisen', ffd: '1.05', vats: ['22'] },
  },
} satisfies Record<string, Example>
