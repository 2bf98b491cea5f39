// The alerts and the dashboard of a self-hosted service: valid, of metrics that exist, each with its line in the runbook.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Metrics } from '../../src/gateway/metrics.ts'
import { readings } from '../../src/gateway/readings.ts'
import { requires } from '../support/requires.ts'

const PROMTOOL = process.env.PROMTOOL ?? '/usr/bin/promtool'
const rules = readFileSync('deploy/alerts.yml', 'utf8')
const runbook = readFileSync('docs/runbook.md', 'utf8')
const dashboard = readFileSync('deploy/dashboard.json', 'utf8')

const TOTALS = {
  ...{
    sites: 1,
    restoredSites: 0,
    sitesWithoutKey: 0,
    largeSites: 0,
    unplannedStarts: 0,
    bytes: 1,
    notifications: 0,
    failedNotifications: 0,
  },
  ...{ instructions: 0, overdueInstructions: 0 },
  settledEntries: { matched: 0, mismatched: 0, unknown: 0, expected: 0 },
}
const exposition = new Metrics().text(
  readings(
    {
      build: { version: '1', commit: 'abc' },
      writes: { commits: 1, refused: 0 },
      failingSites: 0,
      holdsLease: true,
      since: 1,
      now: 1,
    },
    TOTALS,
  ),
)
const SUFFIXES: Record<string, string[]> = {
  counter: ['_total'],
  info: ['_info'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
}
/** The names of all series that the service can have. */
const series = Array.from(exposition.matchAll(/^# TYPE (\w+) (\w+)$/gm)).flatMap(([, name = '', type = '']) =>
  (SUFFIXES[type] ?? []).map((suffix) => name + suffix),
)
const namesIn = (text: string) => Array.from(text.matchAll(/\bfps_qr_\w+/g), ([name]) => name)
const alerts = Array.from(rules.matchAll(/- alert: (\w+)/g), ([, name = '']) => name)

describe.runIf(requires('promtool', existsSync(PROMTOOL)))('promtool', () => {
  const promtool = (...args: string[]) => execFileSync(PROMTOOL, args, { encoding: 'utf8' })

  it('finds the rules valid', () => {
    expect(promtool('check', 'rules', 'deploy/alerts.yml')).toContain(`SUCCESS: ${alerts.length} rules found`)
  })

  it('finds that each alert fires on its fault, and none where nothing is wrong', () => {
    const files = ['test/deploy/alerts.yml', 'test/deploy/alerts-of-days.yml']
    for (const file of files) expect(promtool('test', 'rules', file)).toContain('SUCCESS')
    const tested = files.map((file) => readFileSync(file, 'utf8')).join('')
    for (const name of alerts) expect(tested).toContain(`alertname="${name}"`)
  })
})

it.each([
  ['alerts', rules],
  ['dashboard', dashboard],
])('the %s name only series that the service exposes', (_, text) => {
  const names = namesIn(text)
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !series.includes(name))).toEqual([])
})

it.each([
  ['alerts', rules],
  ['dashboard', dashboard],
])('the %s name only series that the connector exposes', (_, text) => {
  const source = ['connector', 'metrics', 'cash-registers/gauges']
    .map((file) => readFileSync(`connector/${file}.ts`, 'utf8'))
    .join('')
  const names = Array.from(text.matchAll(/\bfps_connector_\w+/g), ([name]) => name)
  expect(names.length).toBeGreaterThan(1)
  expect(names.filter((name) => !source.includes(`'${name}'`))).toEqual([])
})

it.each(alerts)('%s has a section in the runbook: what it means, where to look, what to do', (name) => {
  expect(rules).toContain(
    `runbook_url: https://qr.acquirer.example/docs/in-depth/runbook#${name.toLowerCase()}\n`,
  )
  const [, section = ''] = runbook.split(`\n## ${name}\n`)
  const [own = ''] = section.split('\n## ')
  for (const part of ['**Means.**', '**Look.**', '**Do.**']) expect(own).toContain(part)
})

it('the dashboard is JSON, and each panel has a title and a query', () => {
  const { panels }: { panels: { title?: string; targets?: { expr?: string }[] }[] } = JSON.parse(dashboard)
  expect(panels.length).toBeGreaterThan(5)
  for (const { title, targets = [] } of panels) {
    expect(title).toBeTruthy()
    expect(targets.length).toBeGreaterThan(0)
    for (const { expr } of targets) expect(expr).toBeTruthy()
  }
})
