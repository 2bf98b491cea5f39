// Cash registers: what each kind can do, as its document states it (docs/cash-registers.md).
import { type ItemObject, MAX_ITEMS, MAX_MONEY, METHODS, type Method, OBJECTS } from './item.ts'
import { VATS, type Vat, type VatRate, vatOf } from './vat.ts'

export const REGISTER_KINDS = ['sandbox', 'atol', 'tbank', 'raiffeisen'] as const
export type RegisterKind = (typeof REGISTER_KINDS)[number]
export const FFDS = ['1.05', '1.2'] as const
export type Ffd = (typeof FFDS)[number]

/** The cash register of a site, which the operator sets (contract, section 16). */
export interface CashRegister {
  kind: RegisterKind
  ffd: Ffd
  /** The most items of a receipt, where the register of this site takes fewer than its kind. */
  maxItems?: number | undefined
  /** The most decimals of a quantity, where they are fewer: CloudPayments behind T-Bank takes 2. */
  decimals?: Decimals | undefined
  /** Rates that the register of this site takes, and that the document of its kind does not state yet. */
  vats?: readonly VatRate[] | undefined
}

/** The service's own, of every site of the sandbox for which the operator has set none. */
export const SANDBOX_REGISTER: CashRegister = { kind: 'sandbox', ffd: '1.2' }

export type Decimals = 0 | 1 | 2 | 3

/** What a kind of register can do. */
export interface Capabilities {
  ffds: readonly Ffd[]
  /** A rate, a method or an object that is absent is refused by name. The connector has the register's words for the others. */
  vats: readonly Vat[]
  methods: readonly Method[]
  objects: readonly ItemObject[]
  maxItems: number
  /** The most decimals of a quantity. */
  decimals: Decimals
  /** The most characters of a quantity, its point included. */
  quantityLength: number
  /** The largest price and sum, also of the whole document, in minor units. */
  maxAmount: number
  /** Whether a document can state a unit that is not the piece. */
  hasUnits: boolean
  contacts: readonly ('email' | 'phone')[]
  /** Whether a document needs a contact when its code is made: the receipt is a part of what is registered then. */
  rides: boolean
  takesTaxation: boolean
  /** The settings without which it makes no document. */
  needs: readonly ('email' | 'place')[]
  hasClosing: boolean
}

const ATOL: Capabilities = {
  ffds: ['1.2'],
  vats: VATS,
  methods: METHODS,
  objects: OBJECTS,
  maxItems: MAX_ITEMS,
  decimals: 3,
  quantityLength: 9,
  maxAmount: MAX_MONEY,
  hasUnits: true,
  contacts: ['email', 'phone'],
  rides: false,
  takesTaxation: true,
  needs: ['email', 'place'],
  hasClosing: true,
}

const except = (...objects: ItemObject[]) => OBJECTS.filter((object) => !objects.includes(object))

/** What a kind can do at one FFD and not at the other. */
const AT_FFD: Partial<Record<RegisterKind, Partial<Record<Ffd, Partial<Capabilities>>>>> = {
  tbank: { '1.05': { hasUnits: false }, '1.2': { objects: except('composite') } },
}

/** What each kind can do. */
export const CAPABILITIES: Readonly<Record<RegisterKind, Capabilities>> = {
  sandbox: { ...ATOL, ffds: FFDS, needs: [] },
  atol: ATOL,
  tbank: {
    ffds: FFDS,
    // Its document of version 1.80 has no vat22 and vat122. An SDK of 2026 for the same API has them in place of vat20 and vat120, which
    // a refund of a sale of 2025 still needs.
    vats: VATS,
    methods: METHODS,
    objects: OBJECTS,
    maxItems: MAX_ITEMS,
    decimals: 3,
    quantityLength: 8,
    maxAmount: MAX_MONEY,
    hasUnits: true,
    contacts: ['email', 'phone'],
    rides: true,
    takesTaxation: true,
    needs: [],
    hasClosing: true,
  },
  // Its document is of 2021: the rates of 2025 and 2026 are added here once it states them.
  raiffeisen: {
    ffds: ['1.05'],
    vats: ['none', '0', '10', '20', '10/110', '20/120'],
    methods: ['fullPayment'],
    objects: except('agentCommission', 'composite'),
    maxItems: MAX_ITEMS,
    decimals: 3,
    quantityLength: 9,
    maxAmount: MAX_MONEY,
    hasUnits: true,
    contacts: ['email'],
    rides: false,
    takesTaxation: false,
    needs: [],
    hasClosing: false,
  },
}

/** What the cash register of a site can do: its kind at its FFD, and what the operator states of it. */
export function capabilitiesOf({ kind, ffd, maxItems, decimals, vats }: CashRegister): Capabilities {
  const own = { ...CAPABILITIES[kind], ...AT_FFD[kind]?.[ffd] }
  return {
    ...own,
    vats: [...own.vats, ...(vats ?? []).flatMap((rate) => [rate, vatOf(rate, true)])],
    maxItems: Math.min(own.maxItems, maxItems ?? MAX_ITEMS),
    decimals: decimals !== undefined && decimals < own.decimals ? decimals : own.decimals,
  }
}
