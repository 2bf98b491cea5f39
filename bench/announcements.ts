// Sites that exist announce themselves to the registry at their next write, as after an upgrade or a registry made anew:
// creates at such sites beside creates at sites that the registry has.
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { objectsOf, registryFile, siteFile } from '../bin/data/data-directory.ts'
import type { Server } from '../test/support/processes.ts'
import { serve } from '../test/support/workers.ts'
import type { Report, Setting } from './figures.ts'
import { driveOpenLoop } from './load.ts'
import { created, creates, type Site, siteOf } from './requests.ts'
import { execute } from './site-file.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

const RATE = 200
const SECONDS = 5
/** More than there are random times in those seconds. */
const SITES = RATE * SECONDS * 1.25
/** An object that starts writes once more a second later. */
const LATER_MS = 1500

type Kind = 'known' | 'unlisted'

/** Of the creates of a round: milliseconds, and CPU milliseconds of the server for each. */
type Cost = Record<'median' | 'p99' | 'cpu' | 'lag', number>

export async function announcements({ directory, ours, rounds }: Setting): Promise<Report> {
  const disk = join(directory, 'announcements')
  const names = (kind: Kind) =>
    Promise.all(Array.from({ length: SITES }, (_, n) => siteOf(`${kind}-${String(n).padStart(5, '0')}`)))
  const sites: Record<Kind, Site[]> = { known: await names('known'), unlisted: await names('unlisted') }
  const first = await serve(ours, disk)
  await created(first.port, randomUUID())
  await listed(first, 1)
  await first.stop()
  for (const { id } of [...sites.known, ...sites.unlisted]) {
    cpSync(join(objectsOf(disk), siteFile('demo')), fileOf(disk, id))
    execute(fileOf(disk, id), `UPDATE site SET site_id = '${id}'`)
  }
  execute(
    registryFile(disk),
    sites.known
      .map(
        ({ id }) => `INSERT INTO sites (site_id, created_at, epoch)
      SELECT '${id}', created_at, epoch FROM sites WHERE site_id = 'demo';`,
      )
      .join(''),
  )

  const costs: Record<Kind, Cost[]> = { known: [], unlisted: [] }
  const faults: string[] = []
  for (let round = 0; round < rounds; round++) {
    execute(registryFile(disk), "DELETE FROM sites WHERE site_id LIKE 'unlisted-%'")
    for (const { id } of sites.unlisted) execute(fileOf(disk, id), 'UPDATE site SET announced = 0')
    const server = await serve(ours, disk)
    await created(server.port, randomUUID())
    const measure = async (kind: Kind) => {
      const before = server.cpuSeconds() ?? Number.NaN
      const load = { port: server.port, rate: RATE, seconds: SECONDS, warmUp: 0 }
      const measured = await driveOpenLoop({ ...load, request: creates('none', sites[kind]) })
      const ended = performance.now()
      faults.push(...measured.faults)
      const count = Math.round(measured.perSecond * SECONDS)
      // Of creates that failed nobody knows whether they reached their site.
      if (kind === 'unlisted' && measured.faults.length === 0) await listed(server, 1 + SITES + count)
      const lag = performance.now() - ended
      await sleep(LATER_MS)
      const cpu = (((server.cpuSeconds() ?? Number.NaN) - before) / count) * 1000
      costs[kind].push({ median: measured.median, p99: measured.p99, cpu, lag })
    }
    for (const kind of round % 2 === 0 ? (['known', 'unlisted'] as const) : (['unlisted', 'known'] as const))
      await measure(kind)
    await server.stop()
  }
  const of = (kind: Kind, what: keyof Cost) => costs[kind].map((cost) => cost[what])
  const beside = (what: keyof Cost) => ratio(of('unlisted', what), of('known', what))
  const line = (kind: Kind) =>
    (['median', 'p99', 'cpu'] as const).map((what) => figure(median(of(kind, what))))
  return {
    tables: [
      table(
        `A create at each of ${RATE * SECONDS} sites, ${RATE} a second, after a start (medians of ${rounds} rounds; ms)`,
        ['', 'median', 'p99', 'CPU', 'listed after'],
        [
          ['the registry has them', ...line('known'), ''],
          ['they announce themselves', ...line('unlisted'), figure(median(of('unlisted', 'lag')))],
          ['of the first', times(beside('median')), times(beside('p99')), times(beside('cpu')), ''],
        ],
      ),
    ],
    figures: {
      create_of_unlisted_site: beside('median'),
      create_of_unlisted_site_p99: beside('p99'),
      create_of_unlisted_site_cpu: beside('cpu'),
    },
    faults,
  }
}

const fileOf = (disk: string, siteId: string) => join(objectsOf(disk), siteFile(siteId))

/** Waits until the registry has so many sites. */
async function listed({ adminPort }: Server, count: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
    if (text.includes(`\nfps_qr_sites ${count}\n`)) return
    await sleep(50)
  }
  throw new Error(`the registry does not have ${count} sites`)
}
