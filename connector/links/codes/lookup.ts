// Finds the registered code that a webhook is about: on disk, or else in the lists of the service.
import { bankOf, type Core, type KnownCode, knownCodeOf, type OpenBank, type OpenSite } from '../../core.ts'
import { referenceOf } from '../../reference.ts'
import { type ListedCode, type ListedSale, ListFailed, listCodes } from '../../service/service.ts'
import { armedReferenceOf, saleKeyOf } from '../sales/sale-key.ts'
import type { CodeRow } from './rows.ts'

/** How far back the lists are asked for codes that ended. */
export const LIST_MS = 90 * 24 * 3_600_000

interface Wanted {
  /** The credentials whose webhook it is. */
  bank: OpenBank
  qrcId?: string | undefined
  /** Without the bank's name. */
  reference?: string | undefined
}

export interface Found {
  known: KnownCode
  /** The code on disk. */
  row: CodeRow
}

/** Whether the code is of another merchant than the one to whom the bank has sent the webhook. */
export const isForeign = ({ known }: Found, owner = ''): boolean => !known.code.reference.startsWith(owner)

/** @returns the code on disk */
export function findOnDisk(core: Core, wanted: Wanted): Found | undefined {
  const peers = peersOf(core, wanted.bank)
  const rows =
    wanted.qrcId === undefined
      ? peers.flatMap((bank) => core.disk.codes.ofReference(referenceOf(bank, wanted.reference ?? '')))
      : core.disk.codes.ofLink(wanted.qrcId)
  for (const row of rows) {
    const known = knownCodeOf(core, row)
    if (known && peers.includes(known.bank)) return { known, row }
  }
}

/**
 * Asks the lists of all sites, because the code may have been registered from another disk; a code that is found is recorded here.
 * @throws Error where a list cannot be read: the code may be in it
 */
export async function findInLists(core: Core, wanted: Wanted): Promise<Found | undefined> {
  const peers = peersOf(core, wanted.bank)
  const hasReference = (reference: string | undefined): boolean => {
    const found = bankOf(core, reference)
    return found?.bank !== undefined && peers.includes(found.bank) && found.rest === (wanted.reference ?? '')
  }
  return searchSites(core, async (site) => {
    for await (const code of listCodes(core, site, core.platform.now() - LIST_MS)) {
      const isWanted = wanted.qrcId === undefined ? hasReference(code.reference) : code.qrcId === wanted.qrcId
      if (isWanted && learn(core, site, code)) return findOnDisk(core, wanted)
    }
  })
}

/**
 * @returns what the search finds first, site by site; undefined if it finds nothing in any of them
 * @throws the first failure where nothing was found: it may be in that site's list
 */
export async function searchSites<T>(
  { sites }: Core,
  search: (site: OpenSite) => Promise<T | undefined>,
): Promise<T | undefined> {
  const failures: unknown[] = []
  for (const site of sites.values()) {
    try {
      const found = await search(site)
      if (found !== undefined) return found
    } catch (error) {
      // A deleted site has none.
      if (!(error instanceof ListFailed && error.status === 410)) failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Whether it was learned from the service, and may have been registered on another disk. */
export const isLearned = ({ key }: CodeRow): boolean => key === null

/** Keeps a code of a list, and its sales, where the disk does not know them. @returns whether a configured bank has the code */
export function learn(core: Core, site: OpenSite, listed: ListedCode): boolean {
  const { disk, platform } = core
  const { qrcId, reference, type, amount, createdOn: createdAt, expiresOn } = listed
  if (type !== 'DYNAMIC' && type !== 'STATIC' && type !== 'COUNTER') return false
  const fields = { site: site.siteId, type, qrcId, reference, amount: amount?.kopecks, createdAt } as const
  const known = knownCodeOf(core, fields)
  if (!known || reference === undefined) return false
  for (const sale of listed.sales ?? []) learnSale(core, known, sale)
  if (disk.codes.bankOf(site.siteId, qrcId) !== undefined) return true
  const id = platform.random(12)
  disk.transaction(() => {
    disk.codes.start({
      id,
      site: site.siteId,
      bank: known.bank.name,
      key: null,
      type,
      amount: amount?.kopecks ?? null,
      createdAt,
    })
    const dueAt = type === 'COUNTER' ? null : platform.now()
    disk.codes.finish(id, { qrcId, payload: null, reference, expiresAt: expiresOn ?? null, dueAt })
    disk.webhooks.wake(known.code, platform.now())
  })
  return true
}

/** At a bank that arms by key, a sale without a reference can be armed all the same: the answer was lost, or comes to another disk. */
function learnSale({ disk, platform }: Core, known: KnownCode, listed: ListedSale): void {
  const { site, bank, code } = known
  const { saleUid, createdOn: createdAt, expiresOn: expiresAt } = listed
  const sale = { site, qrcId: code.qrcId, saleUid, amount: listed.amount.kopecks }
  const byKey = bank.bank.armsByKey ? armedReferenceOf(known, saleKeyOf(sale)) : undefined
  const reference = listed.reference ?? byKey
  if (reference === undefined || disk.sales.has(site, code.qrcId, saleUid)) return
  const state = listed.reference === undefined ? 'CALLING' : 'OPEN'
  disk.sales.put({ ...sale, bank: bank.name, reference, state, createdAt, expiresAt }, platform.now())
}

/** The sets of credentials that see the same codes. */
export const peersOf = (core: Core, { bank }: OpenBank): OpenBank[] =>
  Array.from(core.banks.values()).filter((each) => each.bank.identity === bank.identity)
