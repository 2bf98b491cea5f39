// The metrics of GET /metrics: totals of all sites from the registry, and counters of this process (docs/self-hosting.md).
import type { Totals } from '../contract/registry-entry.ts'
import type { Reading } from './metrics.ts'

interface Process {
  build: { version: string; commit: string }
  /** Since the process started: commits of sites, and writes that were refused because the queue of their site was full. */
  writes: { commits: number; refused: number }
  failingSites: number
  /** Whether this instance holds the lease of its cluster; undefined without a cluster. */
  holdsLease?: boolean | undefined
  /** When the list of banks was made, in Unix milliseconds. */
  banksMadeAt?: number | undefined
  /** When the process was asked for its metrics first, in Unix milliseconds. */
  since: number
  /** Unix milliseconds. */
  now: number
}

const settledEntries = ({
  matched,
  mismatched,
  unknown,
  expected,
}: NonNullable<Totals['settledEntries']>): Reading => ({
  name: 'settlement_entries',
  type: 'gauge',
  help: 'Entries of bank files by state, and EXPECTED: payments and refunds that no file has',
  values: {
    'state="MATCHED"': matched,
    'state="MISMATCHED"': mismatched,
    'state="UNKNOWN"': unknown,
    'state="EXPECTED"': expected,
  },
})

/** @param totals undefined if the registry does not answer */
export function readings(
  { build, writes, failingSites, holdsLease, banksMadeAt = 0, since, now }: Process,
  totals: Totals | undefined,
): Reading[] {
  const lease: Reading = {
    name: 'lease',
    type: 'gauge',
    help: 'Of an instance of a cluster: whether it holds its lease and is not stopping, 1 or 0',
    values: { '': holdsLease ? 1 : 0 },
  }
  const own: Reading[] = [
    {
      name: 'build',
      type: 'info',
      help: 'The version of the service, and the commit of its sources',
      values: { [`version="${build.version}",commit="${build.commit}"`]: 1 },
    },
    { name: 'commits', type: 'counter', help: 'Commits of sites', values: { '': writes.commits } },
    {
      name: 'refused_writes',
      type: 'counter',
      help: 'Writes that were refused because the queue of their site was full',
      values: { '': writes.refused },
    },
    {
      name: 'start_time_seconds',
      type: 'gauge',
      help: 'When its metrics were first asked for: another value is another process',
      values: { '': since / 1000 },
    },
    {
      name: 'failing_sites',
      type: 'gauge',
      help: 'Sites with an operation that has answered nothing but 5xx for a minute',
      values: { '': failingSites },
    },
    {
      name: 'banks_list_time_seconds',
      type: 'gauge',
      help: 'When its list of banks was made; 0: none is known',
      values: { '': banksMadeAt / 1000 },
    },
    {
      name: 'registry_up',
      type: 'gauge',
      help: 'Whether the registry of sites answers: 1, or 0',
      values: { '': totals ? 1 : 0 },
    },
    ...(holdsLease === undefined ? [] : [lease]),
  ]
  if (!totals) return own
  const gauge = (name: string, help: string, value: number): Reading => ({
    name,
    type: 'gauge',
    help,
    values: { '': value },
  })
  const age = (since: number | undefined) => (since === undefined ? 0 : Math.max(now - since, 0) / 1000)
  return [
    ...own,
    gauge('sites', 'Sites that exist', totals.sites),
    gauge('restored_sites', 'Sites that were restored and are not resumed', totals.restoredSites),
    gauge(
      'sites_without_key',
      'Sites with an address for notifications without a notification key: nothing is sent to it',
      totals.sitesWithoutKey,
    ),
    gauge('large_sites', 'Sites whose database has more than 5 GB', totals.largeSites),
    gauge(
      'last_backup_time_seconds',
      'When the last backup was complete, in Unix seconds; 0: none is known',
      (totals.backedUpAt ?? 0) / 1000,
    ),
    {
      name: 'unplanned_starts',
      type: 'counter',
      help: 'Starts of the process that no stop preceded',
      values: { '': totals.unplannedStarts },
    },
    gauge('database_bytes', 'The size of all databases, to about a sixteenth', totals.bytes),
    {
      name: 'notifications',
      type: 'gauge',
      help: 'Notifications that wait for longer than a minute, and those that have failed for good',
      values: {
        'status="PENDING"': totals.notifications,
        'status="FAILED"': totals.failedNotifications,
      },
    },
    gauge(
      'oldest_notification_seconds',
      'The age of the oldest notification that waits for longer than a minute; 0: none does',
      age(totals.oldestNotification),
    ),
    gauge(
      'pending_instructions',
      'Instructions that wait for longer than a minute for the payment network',
      totals.instructions,
    ),
    gauge('overdue_instructions', 'Instructions without an answer for an hour', totals.overdueInstructions),
    gauge(
      'oldest_instruction_seconds',
      'The age of the oldest instruction that waits for longer than a minute; 0: none does',
      age(totals.oldestInstruction),
    ),
    gauge(
      'oldest_receipt_seconds',
      'The age of the oldest receipt that is not registered for ten minutes; 0: none is',
      age(totals.oldestReceipt),
    ),
    ...(totals.settledEntries ? [settledEntries(totals.settledEntries)] : []),
    gauge('failed_receipts', 'Receipts that failed, and were not sent again', totals.failedReceipts ?? 0),
  ]
}
