// Asks the sites for the numbers of their payments, for as many days as the entries of a file need.

import { dayText } from '../../../src/contract/days.ts'
import { dayNumber, startOf } from '../../../src/settlement/formats/dates.ts'
import type { Entry, Summary } from '../../../src/settlement/formats/entry.ts'
import type { SettlementBank } from '../../../src/settlement/sources.ts'
import { Numbers, type Owners, ownersOf } from './owners.ts'
import type { SiteClient } from './service.ts'

/** The service answers for so many days at once. */
const MAX_DAYS = 31
/** A bank and the service can have a payment on neighbouring days. */
const MARGIN = 2
/** A refund, or a chargeback, can be of an earlier payment: so many times 31 days before the file are asked for. */
const EARLIER = 6
const AT_ONCE = 4

interface Days {
  /** Days since 1 January 1970. */
  from: number
  to: number
}

interface Asked {
  clients: readonly SiteClient[]
  bank: SettlementBank
  siteOfTerminal: ReadonlyMap<string, string>
}

/** The owners of the entries, after asking for the days of the file, and for earlier ones while there are entries without a site. */
export async function askedOwners(
  { entries, summary }: { entries: readonly Entry[]; summary: Summary },
  { clients, bank, siteOfTerminal }: Asked,
): Promise<Owners> {
  const numbers = new Numbers()
  const ask = async ({ from, to }: Days) => {
    const waiting = clients.values()
    const worker = async () => {
      for (const client of waiting)
        for (const each of await client.numbers(dayText(from), dayText(to)))
          if (each.bank === undefined || each.bank === bank) numbers.add(client.siteId, each)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }
  const { from, to } = daysOf(summary)
  for (let begin = from; begin <= to; begin += MAX_DAYS)
    await ask({ from: begin, to: Math.min(begin + MAX_DAYS - 1, to) })
  // What a terminal decides is asked for, too: the site that has a payment comes first.
  for (let step = 1; step <= EARLIER && ownersOf(entries, numbers, NONE).left.some(hasNumber); step++)
    await ask({ from: from - step * MAX_DAYS, to: from - (step - 1) * MAX_DAYS - 1 })
  return ownersOf(entries, numbers, siteOfTerminal)
}

const NONE: ReadonlyMap<string, string> = new Map()

const hasNumber = ({ bankIds }: Entry): boolean => Object.values(bankIds).some((id) => id !== undefined)

/** An empty file has no days, and nothing to ask for. */
function daysOf({ from, to }: Summary): Days {
  if (from === undefined || to === undefined) return { from: 0, to: -1 }
  return { from: dayNumber(startOf(from)) - MARGIN, to: dayNumber(startOf(to)) + MARGIN }
}
