import { describe, expect, it } from 'vitest'
import { Metrics } from '../../src/gateway/metrics.ts'
import { readings } from '../../src/gateway/readings.ts'

const TOTALS = {
  ...{
    sites: 3,
    restoredSites: 1,
    sitesWithoutKey: 2,
    largeSites: 1,
    unplannedStarts: 5,
    backedUpAt: 2500,
    bytes: 188416,
    notifications: 2,
    failedNotifications: 4,
  },
  ...{ instructions: 5, overdueInstructions: 1, oldestNotification: 1000, oldestInstruction: 2000 },
  settledEntries: { matched: 90, mismatched: 3, unknown: 2, expected: 1 },
}
const PROCESS = {
  build: { version: '1.2.3', commit: 'abc' },
  writes: { commits: 7, refused: 3 },
  failingSites: 6,
  holdsLease: true,
  banksMadeAt: 3500,
  since: 1_500,
  now: 62_000,
}
const ALL = readings(PROCESS, TOTALS)
const SUFFIXES: Record<string, string> = { counter: '_total', info: '_info' }

/** The lines of a family, without its description. */
const linesOf = (metrics: Metrics, family: string) =>
  metrics
    .text()
    .split('\n')
    .filter((line) => line.startsWith(`fps_qr_${family}`))

const [guide = ''] = Object.values(
  import.meta.glob<string>('../../docs/self-hosting.md', { query: '?raw', import: 'default', eager: true }),
)

describe('the exposition', () => {
  it('has the metrics that the table of docs/self-hosting.md names, of the types that it says', () => {
    const exposed = Array.from(
      new Metrics().text(ALL).matchAll(/^# TYPE (\w+) (\w+)$/gm),
      ([, name = '', type = '']) => ({ name: name + (SUFFIXES[type] ?? ''), type }),
    )
    const named = Array.from(guide.matchAll(/^\|([^|\n]*fps_qr_[^|\n]*)\|/gm), ([, cell = '']) =>
      Array.from(cell.matchAll(/`(fps_qr_\w+)`/g), ([, name = '']) => ({
        name,
        type: name.endsWith('_info') ? 'info' : (/\((gauge|histogram)\b/.exec(cell)?.[1] ?? 'counter'),
      })),
    ).flat()
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
    expect(named.toSorted(byName)).toEqual(exposed.toSorted(byName))
  })

  it('has the form of OpenMetrics 1.0: each family once, with its type, and the end', () => {
    const metrics = new Metrics()
    metrics.add('requests', { method: 'GET', route: '/a', status: 200 })
    metrics.histogram('request_seconds')(3)
    const lines = metrics.text().split('\n')
    expect(lines.slice(-2)).toEqual(['# EOF', ''])
    const types = lines.filter((line) => line.startsWith('# TYPE'))
    expect(new Set(types).size).toBe(types.length)
    for (const line of lines.slice(0, -2)) {
      expect(line).toMatch(
        /^(# (TYPE fps_qr_\w+ (counter|gauge|histogram)|HELP fps_qr_\w+ .+)|fps_qr_\w+(\{(\w+="[^"\\]*",?)+\})? -?[\d.]+)$/,
      )
    }
  })

  it('adds up a counter for each set of labels', () => {
    const metrics = new Metrics()
    metrics.add('payments', { status: 'COMPLETED', applied: true })
    metrics.add('payments', { status: 'COMPLETED', applied: true })
    metrics.add('payments', { status: 'COMPLETED', applied: false })
    expect(linesOf(metrics, 'payments')).toEqual([
      'fps_qr_payments_total{status="COMPLETED",applied="true"} 2',
      'fps_qr_payments_total{status="COMPLETED",applied="false"} 1',
    ])
  })

  it('lets a gauge go up and down', () => {
    const metrics = new Metrics()
    for (const by of [1, 1, -1]) metrics.add('long_polls', {}, by)
    expect(linesOf(metrics, 'long_polls')).toEqual(['fps_qr_long_polls 1'])
  })

  it('counts a value in every bucket that it does not exceed', () => {
    const metrics = new Metrics()
    for (const seconds of [0.001, 0.002, 0.003, 60]) metrics.histogram('request_seconds')(seconds)
    expect(linesOf(metrics, 'request_seconds')).toEqual([
      'fps_qr_request_seconds_bucket{le="0.001"} 1',
      'fps_qr_request_seconds_bucket{le="0.002"} 2',
      ...['0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1.0', '2.5', '5.0', '10.0'].map(
        (limit) => `fps_qr_request_seconds_bucket{le="${limit}"} 3`,
      ),
      'fps_qr_request_seconds_bucket{le="+Inf"} 4',
      'fps_qr_request_seconds_count 4',
      'fps_qr_request_seconds_sum 60.006',
    ])
  })
})

describe('what is read of all sites', () => {
  it('is shown as gauges, ages in seconds', () => {
    const lines = new Metrics().text(ALL).split('\n')
    for (const line of [
      'fps_qr_build_info{version="1.2.3",commit="abc"} 1',
      'fps_qr_commits_total 7',
      'fps_qr_refused_writes_total 3',
      'fps_qr_start_time_seconds 1.5',
      'fps_qr_registry_up 1',
      'fps_qr_banks_list_time_seconds 3.5',
      'fps_qr_sites 3',
      'fps_qr_restored_sites 1',
      'fps_qr_failing_sites 6',
      'fps_qr_sites_without_key 2',
      'fps_qr_large_sites 1',
      'fps_qr_last_backup_time_seconds 2.5',
      'fps_qr_unplanned_starts_total 5',
      'fps_qr_database_bytes 188416',
      'fps_qr_notifications{status="PENDING"} 2',
      'fps_qr_notifications{status="FAILED"} 4',
      'fps_qr_oldest_notification_seconds 61',
      'fps_qr_pending_instructions 5',
      'fps_qr_overdue_instructions 1',
      'fps_qr_oldest_instruction_seconds 60',
      'fps_qr_settlement_entries{state="MATCHED"} 90',
      'fps_qr_settlement_entries{state="MISMATCHED"} 3',
      'fps_qr_settlement_entries{state="UNKNOWN"} 2',
      'fps_qr_settlement_entries{state="EXPECTED"} 1',
    ])
      expect(lines).toContain(line)
  })

  it('is 0 where nothing waits, also if a clock was ahead', () => {
    const { oldestNotification: _, ...others } = TOTALS
    const lines = new Metrics().text(readings(PROCESS, { ...others, oldestInstruction: 99_000 })).split('\n')
    expect(lines).toContain('fps_qr_oldest_notification_seconds 0')
    expect(lines).toContain('fps_qr_oldest_instruction_seconds 0')
  })

  it('has no entries of bank files where a registry of an earlier version does not tell of them', () => {
    const { settledEntries: _, ...earlier } = TOTALS
    const lines = new Metrics().text(readings(PROCESS, earlier)).split('\n')
    expect(lines).toContain('fps_qr_sites 3')
    expect(lines.join('\n')).not.toContain('settlement_entries')
  })

  it('is left out while the registry does not answer, which is said', () => {
    const text = new Metrics().text(readings(PROCESS, undefined))
    expect(text).toContain('\nfps_qr_registry_up 0\n')
    expect(text).not.toContain('fps_qr_sites')
  })
})

it.each([
  [true, ['fps_qr_lease 1']],
  [false, ['fps_qr_lease 0']],
  [undefined, []],
])('an instance whose lease is %s shows %j', (holdsLease, lines) => {
  const metrics = new Metrics().text(readings({ ...PROCESS, holdsLease }, TOTALS)).split('\n')
  expect(metrics.filter((line) => line.startsWith('fps_qr_lease'))).toEqual(lines)
})
