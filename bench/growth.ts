// A site with a million QR codes beside an empty one: how fast creating is, a page of a rare status, disk and memory.
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { ListAnswer } from '../src/contract/qr-code-list.ts'
import { serve } from '../test/support/workers.ts'
import { CONNECTIONS, creating } from './creating.ts'
import type { Part } from './figures.ts'
import type { Measured } from './load.ts'
import { created, list } from './requests.ts'
import { execute, fill, measure, siteFile } from './site-file.ts'
import { median, ratio } from './statistics.ts'
import { figure, mebibytes, table, times } from './table.ts'

/**
 * So many QR codes, of which one in `rare` is CANCELLED: 20 of the million. Seconds of real creates: the size of the filled rows on
 * disk is compared with theirs.
 */
const FULL = { total: 1_000_000, rare: 50_000, creating: 2 }
const SMALLEST = { total: 20_000, rare: 1_000, creating: 0.1 }
const LISTS = 21

export const growth: Part = async ({ directory, ours, rounds, seconds, isSmallest }) => {
  const { total, rare, creating: creatingSeconds } = isSmallest ? SMALLEST : FULL
  const [emptyDisk, fullDisk] = [join(directory, 'empty'), join(directory, 'full')]
  const known = randomUUID()
  const first = await serve(ours, emptyDisk)
  await created(first.port, known)
  await first.stop()
  cpSync(emptyDisk, fullDisk, { recursive: true })

  const file = siteFile(fullDisk)
  const atFirst = measure(file)
  const second = await serve(ours, fullDisk)
  const faults: string[] = []
  const load = creating(faults, { isSmallest })
  await load.measure(second.port, creatingSeconds)
  await second.stop()
  const createdOnly = measure(file)
  const added = fill(file, total, known)
  execute(file, `UPDATE qr_codes SET status = 'CANCELLED' WHERE number % ${rare} = 0`)
  const filled = measure(file)
  const perQrCode = ({ bytes, rows }: typeof filled) => (bytes - atFirst.bytes) / (rows - atFirst.rows)

  const sites = {
    empty: { server: await serve(ours, emptyDisk), measured: [] as Measured[] },
    full: { server: await serve(ours, fullDisk), measured: [] as Measured[] },
  }
  const atStart = { empty: sites.empty.server.memory(), full: sites.full.server.memory() }
  const replay = await created(sites.full.server.port, added)
  if (!replay.headers.has('Idempotent-Replayed')) throw new Error('the service did not find a filled row')

  const listMs: number[] = []
  for (let i = 0; i < LISTS; i++) {
    const started = performance.now()
    const { qrCodes } = ListAnswer.parse(await list(sites.full.server.port, '?status=CANCELLED&limit=100'))
    listMs.push(performance.now() - started)
    if (qrCodes.length !== total / rare) throw new Error(`the list has ${qrCodes.length} QR codes`)
  }

  for (const { server } of Object.values(sites)) await load.warmUp(server.port)
  for (let round = 0; round < rounds; round++) {
    const { empty, full } = sites
    for (const { server, measured } of round % 2 === 0 ? [empty, full] : [full, empty]) {
      measured.push(await load.measure(server.port, seconds))
    }
  }
  const atEnd = { empty: sites.empty.server.memory(), full: sites.full.server.memory() }
  await Promise.all(Object.values(sites).map(({ server }) => server.stop()))

  const perSecond = (site: keyof typeof sites) => sites[site].measured.map((one) => one.perSecond)
  const fullVsEmpty = ratio(perSecond('full'), perSecond('empty'))
  return {
    tables: [
      table(
        `Creating in a site, ${CONNECTIONS} connections (medians of ${rounds} rounds; ms)`,
        ['QR codes at first', 'req/s', 'median', 'p99', 'of empty', 'memory at start', 'at end'],
        (['empty', 'full'] as const).map((site) => [
          (site === 'empty' ? atFirst : filled).rows.toLocaleString('en'),
          figure(median(perSecond(site))),
          figure(median(sites[site].measured.map((one) => one.median))),
          figure(median(sites[site].measured.map(({ p99 }) => p99))),
          site === 'empty' ? '' : times(fullVsEmpty),
          mebibytes(atStart[site]),
          mebibytes(atEnd[site]),
        ]),
      ),
      table(
        'A site on disk',
        ['QR codes', 'size', 'bytes each'],
        [createdOnly, filled].map((site) => [
          site.rows.toLocaleString('en'),
          mebibytes(site.bytes),
          figure(perQrCode(site)),
        ]),
      ),
      table(
        `A page of the ${total / rare} QR codes of a status, of ${filled.rows.toLocaleString('en')} (${LISTS} times; ms)`,
        ['first', 'median'],
        [[figure(listMs[0] ?? Number.NaN), figure(median(listMs))]],
      ),
    ],
    figures: {
      full_site_vs_empty: fullVsEmpty,
      bytes_per_qr_code: perQrCode(filled),
      list_rare_status_ms: { first: listMs[0] ?? Number.NaN, median: median(listMs) },
      memory_mib: { start: mib(atStart.full), end: mib(atEnd.full) },
    },
    faults,
  }
}

const mib = (bytes: number | undefined): number => (bytes ?? Number.NaN) / 2 ** 20
