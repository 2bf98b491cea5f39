// Restores bindings that this disk lacks from the lists of the service (contract, section 14).
import { bankOf, type Core, type OpenBank, type OpenSite } from '../../core.ts'
import { type ListedBinding, listBindings } from '../../service/service.ts'
import { LIST_MS, peersOf, searchSites } from '../codes/lookup.ts'
import { addBinding, bindingUidOf, recordBinding } from './bindings.ts'
import type { BindingRow } from './rows.ts'

/**
 * The state of a binding here, by its status in the service's list. A binding that the service's clock has rejected can get its
 * consent late. A token that has ended stays ended. A status that is not in this table changes nothing.
 */
const STATES: Readonly<Record<string, BindingRow['state'] | undefined>> = {
  WAITING: 'WAITING',
  REJECTED: 'WAITING',
  CREATED: 'CREATED',
  DELETED: 'DELETED',
  EXPIRED: 'DELETED',
}

/**
 * Keeps the bindings of a site that banks of this connector have made.
 * @param since Unix milliseconds: the list leaves out bindings that ended before this
 */
export async function learnBindings(core: Core, site: OpenSite, since: number): Promise<void> {
  for await (const binding of listBindings(core, site, since)) learnBinding(core, site, binding)
}

function learnBinding(core: Core, { siteId: site }: OpenSite, listed: ListedBinding): void {
  const { qrcId, reference, bindingReference, bindingUid, status, expiresOn } = listed
  const found = bankOf(core, bindingReference ?? reference)
  if (!found?.bank || found.request === undefined || found.request === '') return
  const uid = bindingUidOf(found.bank, site, found.request)
  // The service has it under another uid: an earlier connector has reported it.
  if (bindingUid !== undefined && bindingUid !== uid) return
  const now = core.platform.now()
  const state = STATES[status]
  if (!state) {
    core.log('warning', 'the service lists a binding with a status that is not known', {
      site,
      qrcId,
      status,
    })
    return
  }
  const before = core.disk.bindings.get({ site, bindingUid: uid })
  const fields = { site, bank: found.bank, request: found.request, qrcId, state }
  const expiresAt = expiresOn ?? null
  addBinding(core, { ...fields, createdAt: Math.min(expiresAt ?? now, now), expiresAt, isNew: false })
  if (before) catchUp(core, before, state)
}

/**
 * Takes over what the service has of a binding and a restored disk has lost: a consent, without which its end would count as a
 * refusal, and an end. Each is reported once more: the report that it replaces can be one that the service never takes.
 */
function catchUp(core: Core, before: BindingRow, state: BindingRow['state']): void {
  if (state === 'DELETED') recordBinding(core, before, { status: 'ENDED' })
  if (state !== 'CREATED' || before.state === 'CREATED') return
  recordBinding(core, before, { status: 'ACTIVE' })
  core.disk.bindings.wake(before, core.platform.now())
}

/** @returns the binding of a request of the bank, on disk or in the lists of the sites */
export async function findBinding(
  core: Core,
  bank: OpenBank,
  request: string,
): Promise<BindingRow | undefined> {
  const known = findBindingOnDisk(core, bank, request)
  if (known) return known
  return searchSites(core, async (site) => {
    await learnBindings(core, site, core.platform.now() - LIST_MS)
    return findBindingOnDisk(core, bank, request)
  })
}

export function findBindingOnDisk(core: Core, bank: OpenBank, request: string): BindingRow | undefined {
  const names = peersOf(core, bank).map(({ name }) => name)
  return core.disk.bindings.ofRequest(request).find((row) => names.includes(row.bank))
}
