// Which site each entry of a file is of: the one that has its payment.
import type { BankNumbers } from '../../../src/contract/bank-numbers.ts'
import type { BankIds, Entry } from '../../../src/settlement/formats/entry.ts'

/** What the bank calls a payment, by what it is: its number, our order, or the code. */
type Called = 'number' | 'order' | 'qrcId'

/** What an entry names its payment by, the most certain first. */
const IDS: readonly [id: keyof BankIds, called: Called][] = [
  ['paymentId', 'number'],
  ['operationId', 'number'],
  ['order', 'order'],
  ['qrcId', 'qrcId'],
]

/** The numbers of payments, and the sites that have them. */
export class Numbers {
  readonly #sites = new Map<string, Set<string>>()

  add(site: string, { paymentUid, networkUid, order, qrcId }: BankNumbers): void {
    for (const number of [paymentUid, networkUid]) this.#put('number', number, site)
    this.#put('order', order, site)
    this.#put('qrcId', qrcId, site)
  }

  /** The only site with a number of the entry; undefined where no site has one, or several have each. */
  siteOf({ bankIds }: Entry): string | undefined {
    for (const [id, called] of IDS) {
      const value = bankIds[id]
      const [site, ...others] = value === undefined ? [] : (this.#sites.get(keyOf(called, value)) ?? [])
      if (site !== undefined && others.length === 0) return site
    }
    return undefined
  }

  #put(called: Called, value: string | undefined, site: string): void {
    if (value === undefined) return
    const key = keyOf(called, value)
    const sites = this.#sites.get(key)
    if (sites) sites.add(site)
    else this.#sites.set(key, new Set([site]))
  }
}

const keyOf = (called: Called, value: string): string => `${called}\n${value}`

export interface Owners {
  siteOf: ReadonlyMap<Entry, string>
  /** Entries that no site has, and whose terminal is of none. */
  left: readonly Entry[]
}

/** The terminal of an entry as `--site-of` names it; at Raiffeisenbank the merchant. */
export const terminalOf = ({ terminal, merchant }: Entry): string | undefined => terminal ?? merchant

/** @param siteOfTerminal for entries that no site has */
export function ownersOf(
  entries: readonly Entry[],
  numbers: Numbers,
  siteOfTerminal: ReadonlyMap<string, string>,
): Owners {
  const siteOf = new Map<Entry, string>()
  const left: Entry[] = []
  for (const entry of entries) {
    const site = numbers.siteOf(entry) ?? siteOfTerminal.get(terminalOf(entry) ?? '')
    if (site === undefined) left.push(entry)
    else siteOf.set(entry, site)
  }
  return { siteOf, left }
}
