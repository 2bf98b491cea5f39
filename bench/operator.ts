// What the operator's work costs: creates beside retention, new sites, the list of 10,000 sites.
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { registryFile } from '../bin/data/data-directory.ts'
import { mintToken } from '../bin/mint-token.ts'
import { SitesAnswer } from '../src/contract/site-list.ts'
import type { Server } from '../test/support/processes.ts'
import { SECRET } from '../test/support/secret.ts'
import { serve } from '../test/support/workers.ts'
import { CONNECTIONS, creating } from './creating.ts'
import type { Figures, Part, Report, Setting } from './figures.ts'
import { drive, type Measured } from './load.ts'
import { create, created, creates, siteOf } from './requests.ts'
import { deletedIn, execute, fill, siteFile, untilDeleted } from './site-file.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

/** QR codes that retention deletes, new sites of a round, pages of the list. */
const FULL = { expired: 100_000, sites: 300, lists: 101 }
const SMALLEST = { expired: 5_000, sites: 3, lists: 2 }
const sizesOf = ({ isSmallest }: Setting) => (isSmallest ? SMALLEST : FULL)
const LISTED = 10_000
const OPERATOR = await mintToken(SECRET, { siteId: '*', scope: 'operator', days: 1 })

export const operator: Part = async (setting) => {
  const reports = [await retention(setting), await newSites(setting), await list(setting)]
  return {
    tables: reports.flatMap(({ tables }) => tables),
    figures: Object.assign({}, ...reports.map(({ figures }) => figures)) as Partial<Figures>,
    faults: reports.flatMap(({ faults }) => faults),
  }
}

/** Creates while the object deletes 100,000 expired QR codes, and while it does not. */
async function retention(setting: Setting): Promise<Report> {
  const { directory, ours, rounds, seconds } = setting
  const { expired } = sizesOf(setting)
  const [keptDisk, sweptDisk] = [join(directory, 'kept'), join(directory, 'swept')]
  const first = await serve(ours, keptDisk)
  const faults: string[] = []
  const load = creating(faults, setting)
  const known = randomUUID()
  await created(first.port, known)
  await load.measure(first.port, Math.min(seconds, 1))
  await first.stop()
  fill(siteFile(keptDisk), expired, known)
  execute(
    siteFile(keptDisk),
    `UPDATE qr_codes SET status = 'EXPIRED', version = version + 1, created_at = created_at - 100 * 86400;
     INSERT INTO events (type, at, caller, qr_code, status)
       SELECT 'qrCode.expired', created_at + ttl * 60, 1, number, 'EXPIRED' FROM qr_codes`,
  )
  cpSync(keptDisk, sweptDisk, { recursive: true })
  const sites = {
    kept: { server: await serve(ours, keptDisk), measured: [] as Measured[] },
    swept: {
      server: await serve(ours, sweptDisk, { vars: { RETENTION_DAYS: '30' } }),
      measured: [] as Measured[],
    },
  }
  for (const { server } of Object.values(sites)) await load.warmUp(server.port)
  await untilDeleted(siteFile(sweptDisk))
  const before = deletedIn(siteFile(sweptDisk))
  const started = performance.now()
  for (let round = 0; round < rounds; round++) {
    const { kept, swept } = sites
    for (const { server, measured } of round % 2 === 0 ? [kept, swept] : [swept, kept]) {
      const { port, cpuSeconds } = server
      const request = creates('none')
      const one = await drive({ port, cpuSeconds, request, connections: CONNECTIONS, seconds, warmUp: 0.3 })
      faults.push(...one.faults)
      measured.push(one)
    }
  }
  const swept = (deletedIn(siteFile(sweptDisk)) - before) / ((performance.now() - started) / 1000)
  await Promise.all(Object.values(sites).map(({ server }) => server.stop()))
  if (deletedIn(siteFile(sweptDisk)) === expired)
    faults.push('retention was at its end before the last round')
  const perSecond = (site: keyof typeof sites) => sites[site].measured.map((one) => one.perSecond)
  const beside = ratio(perSecond('swept'), perSecond('kept'))
  return {
    tables: [
      table(
        `Creating beside retention of ${expired.toLocaleString('en')} QR codes (medians of ${rounds} rounds; ms; deleted a second: ${figure(swept)})`,
        ['', 'req/s', 'median', 'p99', 'CPU µs', 'of without'],
        (['kept', 'swept'] as const).map((site) => [
          site === 'kept' ? 'without' : 'beside',
          figure(median(perSecond(site))),
          figure(median(sites[site].measured.map((one) => one.median))),
          figure(median(sites[site].measured.map(({ p99 }) => p99))),
          figure(median(sites[site].measured.map(({ cpuMicros }) => cpuMicros))),
          site === 'kept' ? '' : times(beside),
        ]),
      ),
    ],
    figures: { create_beside_retention: beside, retention_per_second: swept },
    faults,
  }
}

/** The first creates of new sites, whose tables have to be made: one after the other, so that nothing waits in a queue. */
async function newSites(setting: Setting): Promise<Report> {
  const { directory, ours, rounds } = setting
  const { sites } = sizesOf(setting)
  const costs: { perSecond: number; cpu: number }[] = []
  const server = await serve(ours, join(directory, 'new-sites'))
  await created(server.port, randomUUID())
  for (let round = 0; round < rounds; round++) {
    const before = server.cpuSeconds() ?? Number.NaN
    const started = performance.now()
    for (let n = 0; n < sites; n++) {
      const response = await create(server.port, randomUUID(), 'none', await siteOf(`new-${round}-${n}`))
      if (!response.ok) throw new Error(`a create is answered ${response.status}`)
      await response.arrayBuffer()
    }
    await listed(server, `new-${round}-${sites - 1}`, 1)
    costs.push({
      perSecond: sites / ((performance.now() - started) / 1000),
      cpu: (((server.cpuSeconds() ?? Number.NaN) - before) / sites) * 1000,
    })
  }
  await server.stop()
  const perSecond = median(costs.map((cost) => cost.perSecond))
  return {
    tables: [
      table(
        `First creates of ${sites} new sites, one after the other (medians of ${rounds} rounds)`,
        ['sites/s', 'CPU ms'],
        [[figure(perSecond), figure(median(costs.map(({ cpu }) => cpu)))]],
      ),
    ],
    figures: { new_sites_per_second: perSecond },
    faults: [],
  }
}

/** Waits until the registry lists so many sites of a prefix, at most 100. */
async function listed(server: Server, prefix: string, count: number): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    const { sites } = await pageOf(server, `q=${prefix}&limit=100`)
    if (sites.length >= Math.min(count, 100)) return
    await sleep(10)
  }
  throw new Error(`the registry does not list ${prefix}`)
}

async function pageOf({ port }: Server, query: string): Promise<SitesAnswer> {
  const response = await fetch(`http://127.0.0.1:${port}/operator/v1/sites?${query}`, {
    headers: { Authorization: `Bearer ${OPERATOR}` },
  })
  if (!response.ok) throw new Error(`the list of sites is answered ${response.status}`)
  return SitesAnswer.parse(await response.json())
}

/** A page of 100 of 10,000 sites, in their midst; and of those that are stuck, for which it reads all of them. */
async function list(setting: Setting): Promise<Report> {
  const { directory, ours } = setting
  const { lists } = sizesOf(setting)
  const disk = join(directory, 'list')
  const first = await serve(ours, disk)
  await created(first.port, randomUUID())
  await listed(first, 'demo', 1)
  await first.stop()
  execute(
    registryFile(disk),
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${LISTED})
     INSERT INTO sites (site_id, name, created_at, epoch, failed_notifications)
       SELECT printf('shop-%05d', i), 'Tea shop ' || i, 1795357926, hex(randomblob(8)), i % 100 = 0 FROM n`,
  )
  const server = await serve(ours, disk)
  const timesOf = async (query: (n: number) => Promise<string>) => {
    const milliseconds: number[] = []
    for (let n = 0; n < lists; n++) {
      const asked = await query(n)
      const started = performance.now()
      const { sites } = await pageOf(server, `limit=100&${asked}`)
      milliseconds.push(performance.now() - started)
      if (sites.length !== 100) throw new Error(`the page has ${sites.length} sites`)
    }
    return milliseconds
  }
  const all = await timesOf(async (n) => {
    const { nextCursor = '' } = await pageOf(server, `q=shop-05${n % 10}&limit=1`)
    return `cursor=${encodeURIComponent(nextCursor)}`
  })
  const stuck = await timesOf(async () => 'stuck=true')
  await server.stop()
  return {
    tables: [
      table(
        `A page of 100 of ${LISTED.toLocaleString('en')} sites (${lists} times; ms)`,
        ['', 'first', 'median', 'most'],
        Object.entries({ 'all, in their midst': all, 'the 100 that are stuck': stuck }).map(
          ([name, milliseconds]) => [
            name,
            figure(milliseconds[0] ?? Number.NaN),
            figure(median(milliseconds)),
            figure(Math.max(...milliseconds)),
          ],
        ),
      ),
    ],
    figures: { list_sites_ms: median(all), list_stuck_sites_ms: median(stuck) },
    faults: [],
  }
}
