// What the operator's work costs merchants: creates beside retention and beside new sites, and the list of 10,000 sites.
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { registryFile } from '../bin/data/data-directory.ts'
import { mintToken } from '../bin/mint-token.ts'
import { SitesAnswer } from '../src/contract/site.ts'
import type { Server } from '../test/support/processes.ts'
import { SECRET } from '../test/support/secret.ts'
import { serve } from '../test/support/workers.ts'
import { creating } from './creating.ts'
import type { Figures, Part, Report, Setting } from './figures.ts'
import { driveOpenLoop, type Measured } from './load.ts'
import { create, created, creates, siteOf } from './requests.ts'
import { execute, fill, siteFile } from './site-file.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

const EXPIRED = 100_000
const NEW_SITES_PER_SECOND = 200
/** Creates a second in a site that exists, beside the new ones. */
const CREATES_PER_SECOND = 100
const LISTED = 10_000
const LISTS = 101
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
async function retention({ directory, ours, rounds, seconds }: Setting): Promise<Report> {
  const [keptDisk, sweptDisk] = [join(directory, 'kept'), join(directory, 'swept')]
  const first = await serve(ours, keptDisk)
  const faults: string[] = []
  const load = creating(faults)
  const known = randomUUID()
  await created(first.port, known)
  await load.measure(first.port, 1)
  await first.stop()
  fill(siteFile(keptDisk), EXPIRED, known)
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
  const started = performance.now()
  for (let round = 0; round < rounds; round++) {
    const { kept, swept } = sites
    for (const { server, measured } of round % 2 === 0 ? [kept, swept] : [swept, kept]) {
      measured.push(await load.measure(server.port, seconds))
    }
  }
  const swept = deletedIn(sweptDisk) / ((performance.now() - started) / 1000)
  await Promise.all(Object.values(sites).map(({ server }) => server.stop()))
  if (deletedIn(sweptDisk) === 0) faults.push('retention deleted nothing')
  if (deletedIn(sweptDisk) === EXPIRED) faults.push('retention was at its end before the last round')
  const perSecond = (site: keyof typeof sites) => sites[site].measured.map((one) => one.perSecond)
  const beside = ratio(perSecond('swept'), perSecond('kept'))
  return {
    tables: [
      table(
        `Creating beside retention of ${EXPIRED.toLocaleString('en')} QR codes (medians of ${rounds} rounds; ms; deleted a second: ${figure(swept)})`,
        ['', 'req/s', 'median', 'p99', 'of without'],
        (['kept', 'swept'] as const).map((site) => [
          site === 'kept' ? 'without' : 'beside',
          figure(median(perSecond(site))),
          figure(median(sites[site].measured.map((one) => one.median))),
          figure(median(sites[site].measured.map(({ p99 }) => p99))),
          site === 'kept' ? '' : times(beside),
        ]),
      ),
    ],
    figures: { create_beside_retention: beside },
    faults,
  }
}

/** How many QR codes retention has deleted in the only site. */
function deletedIn(disk: string): number {
  const database = new DatabaseSync(siteFile(disk), { readOnly: true })
  const row = database.prepare('SELECT count(*) AS count FROM qr_codes WHERE number < 0').get()
  database.close()
  return Number(row?.count)
}

/** Creates in a site that exists, at random times, beside the first creates of new sites, and beside as many of known ones. */
async function newSites({ directory, ours, rounds, seconds }: Setting): Promise<Report> {
  const server = await serve(ours, join(directory, 'new-sites'))
  const count = Math.ceil(NEW_SITES_PER_SECOND * seconds * 1.2)
  const faults: string[] = []
  const measured: Record<'alone' | 'known' | 'new', Measured[]> = { alone: [], known: [], new: [] }
  const lags: number[] = []
  const cpu = { known: [] as number[], new: [] as number[] }
  await creating(faults).warmUp(server.port)
  const old = await Promise.all(Array.from({ length: count }, (_, n) => siteOf(`old-${n}`)))
  for (const site of old) await create(server.port, randomUUID(), 'none', site)
  await listed(server, 'old-', count)
  const beside = async (kind: 'known' | 'new', sites: readonly Awaited<ReturnType<typeof siteOf>>[]) => {
    const before = server.cpuSeconds() ?? Number.NaN
    const load = { port: server.port, seconds, warmUp: 0 }
    const [ofSite, others] = await Promise.all([
      driveOpenLoop({ ...load, rate: CREATES_PER_SECOND, request: creates('none') }),
      driveOpenLoop({ ...load, rate: NEW_SITES_PER_SECOND, request: creates('none', sites) }),
    ])
    cpu[kind].push((server.cpuSeconds() ?? Number.NaN) - before)
    measured[kind].push(ofSite)
    faults.push(...ofSite.faults, ...others.faults)
  }
  for (let round = 0; round < rounds; round++) {
    const fresh = await Promise.all(Array.from({ length: count }, (_, n) => siteOf(`new-${round}-${n}`)))
    measured.alone.push(
      await driveOpenLoop({
        ...{ port: server.port, seconds, warmUp: 0, rate: CREATES_PER_SECOND },
        request: creates('none'),
      }),
    )
    await beside('known', old)
    await beside('new', fresh)
    const ended = performance.now()
    const last = fresh[Math.floor(NEW_SITES_PER_SECOND * seconds * 0.7)]
    await listed(server, last?.id ?? '', 1)
    lags.push(performance.now() - ended)
  }
  await server.stop()
  const latency = (kind: keyof typeof measured, of: 'median' | 'p99') =>
    median(measured[kind].map((one) => one[of]))
  return {
    tables: [
      table(
        `Creates in one site, ${CREATES_PER_SECOND} a second, beside first creates of ${NEW_SITES_PER_SECOND} sites a second (medians of ${rounds} rounds; ms)`,
        ['', 'median', 'p99', 'CPU s a second'],
        (['alone', 'known', 'new'] as const).map((kind) => [
          { alone: 'alone', known: 'beside creates of known sites', new: 'beside creates of new sites' }[
            kind
          ],
          figure(latency(kind, 'median')),
          figure(latency(kind, 'p99')),
          kind === 'alone' ? '' : figure(median(cpu[kind]) / seconds),
        ]),
      ),
      table('The registry', ['', ''], [['a new site is listed after its create, ms', figure(median(lags))]]),
    ],
    figures: { create_beside_new_sites_ms: latency('new', 'median') },
    faults,
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

/** A page of 100 of 10,000 sites, in their midst. */
async function list({ directory, ours }: Setting): Promise<Report> {
  const disk = join(directory, 'list')
  const first = await serve(ours, disk)
  await created(first.port, randomUUID())
  await listed(first, 'demo', 1)
  await first.stop()
  execute(
    registryFile(disk),
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${LISTED})
     INSERT INTO sites (site_id, name, created_at, epoch) SELECT printf('shop-%05d', i), 'Tea shop ' || i, 1795357926, hex(randomblob(8)) FROM n`,
  )
  const server = await serve(ours, disk)
  const milliseconds: number[] = []
  for (let i = 0; i < LISTS; i++) {
    const cursor = (await pageOf(server, `q=shop-05${i % 10}&limit=1`)).nextCursor
    const started = performance.now()
    const { sites } = await pageOf(server, `limit=100&cursor=${encodeURIComponent(cursor ?? '')}`)
    milliseconds.push(performance.now() - started)
    if (sites.length !== 100) throw new Error(`the page has ${sites.length} sites`)
  }
  await server.stop()
  return {
    tables: [
      table(
        `A page of 100 of ${LISTED.toLocaleString('en')} sites (${LISTS} times; ms)`,
        ['first', 'median', 'most'],
        [
          [
            figure(milliseconds[0] ?? Number.NaN),
            figure(median(milliseconds)),
            figure(Math.max(...milliseconds)),
          ],
        ],
      ),
    ],
    figures: { list_sites_ms: median(milliseconds) },
    faults: [],
  }
}
