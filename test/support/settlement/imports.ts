// Imports of settlement files into a site, as the Worker calls its object.
import type { Settlement, SettlementPeriod, SettlementSpec } from '../../../src/contract/settlement.ts'
import type { Outcome } from '../../../src/errors.ts'
import { unwrap } from '../../../src/gateway/site-client.ts'
import { moscowDay } from '../../../src/settlement/formats/dates.ts'
import type { Entry, Summary } from '../../../src/settlement/formats/entry.ts'
import type { Site } from '../../../src/site/site.ts'
import { MERCHANT, NETWORK, ORIGIN } from '../site.ts'
import { moscow } from './tbank.ts'

export const NOON = moscow('2026-11-20', '12:00:00')
export const DAY = 86_400

/** November, ten days later. */
export const NOVEMBER: SettlementPeriod = {
  since: moscow('2026-11-01', '00:00:00'),
  until: moscow('2026-12-01', '00:00:00'),
  days: 7,
  today: '2026-11-30',
}

/** A payment of 100 roubles that T-Bank's registry has; its identity is its number. */
export const line = (paymentId: string, more: Partial<Entry> = {}): Entry => ({
  ...{ kind: 'payment', type: 'Debit', line: 1, identity: `payment\n${paymentId}`, currency: 'RUB' },
  ...{ gross: 10_000, fee: -70, net: 9930, operatedAt: NOON, hasTime: true, paidOn: '2026-11-21' },
  ...{ bankIds: { paymentId }, ...more },
})

export const summaryOf = (entries: readonly Entry[], more: Partial<Summary> = {}): Summary => {
  const days = entries.map(({ operatedAt }) => moscowDay(operatedAt)).toSorted()
  const [from, to] = [days[0], days.at(-1)]
  return {
    ...{ lines: entries.length, entries: entries.length, skipped: 0, skippedNet: {} },
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...more,
  }
}

/** The calls of an import, of an object or of its stub. */
type Imports = Pick<
  Site,
  'beginImport' | 'appendEntries' | 'completeImport' | 'continueImport' | 'deleteSettlement'
>

export interface File extends Partial<SettlementSpec> {
  settlementUid: string
  entries: readonly Entry[]
  sha256?: string
  summary?: Partial<Summary>
}

/** The bytes of a test's file are its content. */
export const sha256Of = ({ entries, sha256, summary }: File): string =>
  sha256 ?? JSON.stringify([entries, summary])

/** Imports a file, in batches of 100 entries. @returns what the last call answers */
export async function imported(
  site: Imports,
  file: File,
): Promise<Outcome<{ settlement: Settlement; isReplayed: boolean }>> {
  const { settlementUid, entries, bank = 'tbank', format = 'registry', isPart } = file
  const begun = await site.beginImport(MERCHANT, { settlementUid, bank, format, isPart })
  if (!begun.ok) return begun
  const { token } = begun.value
  for (let from = 0; from < entries.length; from += 100)
    unwrap(await site.appendEntries(MERCHANT, token, entries.slice(from, from + 100)))
  const summary = summaryOf(entries, file.summary)
  let step = await site.completeImport(MERCHANT, token, { sha256: sha256Of(file), summary })
  while (step.ok && !step.value.isDone) step = await site.continueImport(MERCHANT, token)
  if (!step.ok) return step
  if (!step.value.isDone) throw new Error('the import is not done')
  return { ok: true, value: step.value }
}

/** Deletes a file. */
export async function deleted(site: Imports, settlementUid: string): Promise<void> {
  let step = unwrap(await site.deleteSettlement(MERCHANT, settlementUid))
  while (!step.isDone) step = unwrap(await site.deleteSettlement(MERCHANT, settlementUid, step.token))
}

/** A payment as a test has it: of T-Bank, completed, 100 roubles. */
export interface OurPayment {
  uid: string
  networkUid?: string | undefined
  qrcId?: string
  amount?: number
  at?: number
  status?: 'COMPLETED' | 'DECLINED'
  bank?: string | null
  order?: string | null
}

/** The network reports a payment. @param sql of the site: the columns that its reports fill */
export async function paid(site: Pick<Site, 'report'>, sql: SqlStorage, payment: OurPayment): Promise<void> {
  const { uid, networkUid, qrcId = `link-of-${uid}`, amount = 10_000, at = NOON } = payment
  const { status = 'COMPLETED', bank = 'tbank', order = null } = payment
  unwrap(
    await site.report(
      NETWORK,
      { linkId: qrcId, isKept: true },
      { paymentUid: uid, status, amount: { minorUnits: amount, currency: 'RUB' }, at, networkUid },
      ORIGIN,
    ),
  )
  sql.exec('UPDATE payments SET bank = ?, bank_order = ? WHERE payment_uid = ?', bank, order, uid)
}
