// Measures what the registry costs: creates while 200 sites a second tell it a new name, beside sites that tell it nothing.
import { join } from 'node:path'
import { mintToken } from '../bin/mint-token.ts'
import { SitesAnswer } from '../src/contract/site-list.ts'
import { SECRET } from '../test/support/secret.ts'
import { serve } from '../test/support/workers.ts'
import type { Part } from './figures.ts'
import { driveOpenLoop } from './load.ts'
import { create, creates, settings, siteOf } from './requests.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

/** Sites a second; each of all has its turn within the ten seconds after which an unused object ends. */
const FULL = { rate: 200, seconds: 5, sites: 1000 }
const SMALLEST = { rate: 20, seconds: 1, sites: 10 }
/** Creates a second beside them. */
const CREATES = 50

type Kind = 'storing' | 'announcing'

/** Of the creates of a round: milliseconds. Of all requests: CPU seconds of the server. */
type Cost = Record<'median' | 'p99' | 'cpu', number>

export const announcements: Part = async ({ directory, ours, rounds, isSmallest }) => {
  const { rate, seconds, sites: count } = isSmallest ? SMALLEST : FULL
  const server = await serve(ours, join(directory, 'announcements'))
  const { port } = server
  const sites = await Promise.all(
    Array.from({ length: count }, (_, n) => siteOf(`named-${n}`, 'merchant:admin')),
  )
  for (const site of sites) {
    const response = await create(port, 'first', 'none', site)
    if (!response.ok) throw new Error(`a create is answered ${response.status}`)
    await response.arrayBuffer()
  }

  const faults: string[] = []
  const costs: Record<Kind, Cost[]> = { storing: [], announcing: [] }
  const measure = async (kind: Kind, round: number) => {
    const field = kind === 'announcing' ? 'name' : 'supportContact'
    const load = { port, seconds, warmUp: count / rate }
    const others = driveOpenLoop({
      ...load,
      rate,
      request: settings(sites, field, `of round ${round}, `),
    })
    const before = server.cpuSeconds() ?? Number.NaN
    const measured = await driveOpenLoop({ ...load, rate: CREATES, request: creates('none') })
    faults.push(...measured.faults, ...(await others).faults)
    const cpu = (server.cpuSeconds() ?? Number.NaN) - before
    costs[kind].push({ median: measured.median, p99: measured.p99, cpu })
    if (kind === 'announcing' && !(await haveNames(port, `of round ${round}, `)))
      faults.push('the registry does not have the new names')
  }
  for (let round = 0; round < rounds; round++)
    for (const kind of round % 2 === 0
      ? (['storing', 'announcing'] as const)
      : (['announcing', 'storing'] as const))
      await measure(kind, round)
  await server.stop()

  const of = (kind: Kind, what: keyof Cost) => costs[kind].map((cost) => cost[what])
  const beside = (what: keyof Cost) => ratio(of('announcing', what), of('storing', what))
  const line = (kind: Kind) =>
    (['median', 'p99', 'cpu'] as const).map((what) => figure(median(of(kind, what))))
  return {
    tables: [
      table(
        `${CREATES} creates a second beside ${rate} sites a second that store settings (medians of ${rounds} rounds; ms; CPU s of ${count / rate + seconds} s)`,
        ['', 'median', 'p99', 'CPU'],
        [
          ['nothing to announce', ...line('storing')],
          ['their names are announced', ...line('announcing')],
          ['of the first', times(beside('median')), times(beside('p99')), times(beside('cpu'))],
        ],
      ),
    ],
    figures: {
      create_beside_announcements_ms: beside('median'),
      create_beside_announcements_p99: beside('p99'),
      create_beside_announcements_cpu: beside('cpu'),
    },
    faults,
  }
}

/** Whether the sites on a page of the registry have names that begin so. */
async function haveNames(port: number, beginning: string): Promise<boolean> {
  const token = await mintToken(SECRET, { siteId: '*', scope: 'operator', days: 1 })
  const response = await fetch(`http://127.0.0.1:${port}/operator/v1/sites?q=named-&limit=100`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const { sites } = SitesAnswer.parse(await response.json())
  return sites.length > 0 && sites.every(({ name }) => name?.startsWith(beginning))
}
