// Bindings: requests to bind an account, what became of them, and their reports (contract, sections 9 and 14).
import * as z from 'zod'
import type { BindingState } from '../../banks/bank-bindings.ts'
import { undefinedIfNotKnown } from '../../banks/bank-errors.ts'
import { bankOf, type Core, type OpenBank } from '../../core.ts'
import { derivedId } from '../../derived-id.ts'
import { beginOf } from '../../disk/disk-age.ts'
import { declineWithin } from '../../money/charge/charges.ts'
import { addressOf } from '../../outbox/rows.ts'
import { referenceOf } from '../../reference.ts'
import type { Next } from '../../work/queue.ts'
import { DAY_MS, HOUR_MS, intervalAt, isDue } from '../../work/schedule.ts'
import type { BindingRow } from './rows.ts'

/** An end at the bank reaches the service within a day, also if one ask fails. */
export const BOUND_MS = 8 * HOUR_MS
/** A consent can come late: after the end of the code the bank is asked hourly for this long, */
export const OFTEN_MS = 3 * DAY_MS
/** and daily for this long. */
export const LONG_MS = 90 * DAY_MS

export const TokenDelete = z.object({
  siteId: z.string(),
  qrcId: z.string(),
  bindingUid: z.string(),
  bindingReference: z.string().optional(),
})

/** The identity of a binding: equal on every disk. 32 of `0-9 a-f`. */
export const bindingUidOf = ({ bank }: OpenBank, site: string, request: string): string =>
  derivedId([bank.identity, site, request], 32)

/** When the bank is asked next about a binding. @returns null: never */
function nextAskOf(
  { state, createdAt, expiresAt }: Pick<BindingRow, 'state' | 'createdAt' | 'expiresAt'>,
  now: number,
): number | null {
  if (state === 'DELETED') return null
  if (state === 'CREATED') return now + BOUND_MS
  const endsAt = expiresAt ?? createdAt
  const age = now - endsAt
  if (age >= LONG_MS) return null
  if (age >= OFTEN_MS || state === 'REJECTED') return now + DAY_MS
  return age >= 0 ? now + HOUR_MS : Math.min(now + intervalAt(now - createdAt), endsAt + HOUR_MS)
}

interface NewBinding {
  site: string
  bank: OpenBank
  request: string
  qrcId: string
  state: BindingRow['state']
  createdAt: number
  expiresAt: number | null
  /** Whether the bank has just made it; of any other, the bank is asked at once. */
  isNew: boolean
}

/**
 * Keeps a request that the bank has made or the service knows. One that the disk has stays as it is; where the bank
 * has made it again, it is asked about as a new one.
 */
export function addBinding(core: Core, { bank, isNew, ...fields }: NewBinding): void {
  const { disk, platform } = core
  const bindingUid = bindingUidOf(bank, fields.site, fields.request)
  const now = platform.now()
  const row = { ...fields, bindingUid, bank: bank.name }
  const dueAt = row.state === 'DELETED' ? null : isNew ? nextAskOf(row, now) : now
  disk.transaction(() => {
    disk.bindings.insert(row, dueAt)
    if (isNew) disk.bindings.renew(row, dueAt)
    // On a new disk its charges can have come before the list that has its end.
    if (row.state === 'DELETED') declineUnsent(core, row)
  })
  disk.webhooks.wakeBinding(fields.request, now)
}

/** Where a binding is reported, below the site's address. */
const reportPathOf = ({ qrcId, bindingUid }: Pick<BindingRow, 'qrcId' | 'bindingUid'>): string =>
  `qrCodes/${qrcId}/bindings/${bindingUid}`

/**
 * Records what the bank states of a binding, and reports what is new. Consent and end are facts: an end stays, and a
 * refusal can be followed by a consent.
 */
export function recordBinding(
  core: Core,
  row: BindingRow,
  { status, bankMemberId }: Omit<BindingState, 'token'>,
): void {
  const { disk, platform, log } = core
  const now = platform.now()
  const before = disk.bindings.get(row)
  if (!before || before.state === 'DELETED') return
  const state = stateAfter(before.state, status)
  if (state === before.state) return
  disk.transaction(() => {
    const isChanged =
      state === 'DELETED'
        ? disk.bindings.end(row)
        : disk.bindings.change(row, state, nextOf({ ...before, state }, now))
    if (!isChanged) return
    const reference = referenceOf({ name: row.bank }, '', row.request)
    const body = { status: state, bankMemberId, reference }
    disk.reports.put({ site: row.site, path: reportPathOf(row), body }, now)
    if (state === 'DELETED') declineUnsent(core, row)
  })
  log('info', 'a binding has changed', { site: row.site, bank: row.bank, bindingUid: row.bindingUid, state })
}

function stateAfter(before: BindingRow['state'], stated: BindingState['status']): BindingRow['state'] {
  switch (stated) {
    case 'WAITING':
      return before
    case 'ACTIVE':
      return 'CREATED'
    case 'INACTIVE':
      return before === 'CREATED' ? 'DELETED' : 'REJECTED'
    case 'ENDED':
      return 'DELETED'
  }
}

const nextOf = (row: Pick<BindingRow, 'state' | 'createdAt' | 'expiresAt'>, now: number): Next => ({
  now,
  dueAt: nextAskOf(row, now) ?? 'REST',
})

/** Asks the bank, and records its answer. @returns what it states now; undefined where it does not have the request */
export async function askBinding(
  core: Core,
  bank: OpenBank,
  row: BindingRow,
): Promise<BindingState | undefined> {
  const { disk, platform } = core
  // A charge can ask too: a wake since now is one during the ask.
  const before = disk.bindings.get(row) ?? row
  disk.bindings.begin(row, platform.now())
  const state = await bank.bank.bindings?.state(row.request).catch(undefinedIfNotKnown)
  const now = platform.now()
  const meanwhile = disk.bindings.get(row)
  const endsFrom = state?.status === 'INACTIVE' && meanwhile ? endsFromOf(core, meanwhile, now) : undefined
  if (state && endsFrom === undefined) recordBinding(core, before, state)
  const after = disk.bindings.get(row)
  if (after && after.state !== 'DELETED') {
    const next = endsFrom === undefined ? nextOf(after, now) : { now, dueAt: endsFrom }
    disk.bindings.change(before, after.state, next)
  }
  return endsFrom === undefined ? state : { status: 'WAITING' }
}

/**
 * When INACTIVE may end this binding; undefined: now. A bank's answer has no time: it can be the refusal before a consent that the
 * payer gave since.
 */
function endsFromOf(core: Core, row: BindingRow, now: number): number | undefined {
  if (row.state !== 'CREATED') return
  // A binding that this disk has learned from the service as CREATED has no report: the consent is from before the disk, and can
  // have come long after the end of the code, which is the row's time then.
  const report = core.disk.reports.get(addressOf(row.site, reportPathOf(row)))
  const consentedAt = report?.createdAt ?? Math.max(row.createdAt, beginOf(core.disk))
  const endsFrom = consentedAt + HOUR_MS
  return isDue(endsFrom, now, HOUR_MS) ? undefined : endsFrom
}

/** Takes `token.delete`: no charge of the binding begins any more, and its end is kept for ever. */
export function endBinding(core: Core, data: z.output<typeof TokenDelete>): void {
  const { disk, platform } = core
  const { siteId: site, qrcId, bindingUid } = data
  const now = platform.now()
  disk.transaction(() => {
    const found = bankOf(core, data.bindingReference)
    const row = {
      ...{ site, bindingUid, bank: found?.name ?? '', request: found?.request ?? '', qrcId },
      ...{ state: 'DELETED' as const, createdAt: now, expiresAt: null },
    }
    disk.bindings.insert(row, null)
    disk.bindings.end(row)
    declineUnsent(core, row)
    disk.reports.put({ site, path: reportPathOf(row), body: { status: 'DELETED' } }, now)
  })
}

/** Charges that the bank was not asked to make are not made any more. */
function declineUnsent(core: Core, { site, bindingUid }: Pick<BindingRow, 'site' | 'bindingUid'>): void {
  for (const charge of core.disk.charges.unsentOf(site, bindingUid))
    declineWithin(core, charge, 'TOKEN_DELETED')
}
