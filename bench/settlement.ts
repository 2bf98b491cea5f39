// Settlement: files of 100,000 lines are imported; how long it takes, the memory, and how slow creates are meanwhile.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mintToken } from '../bin/mint-token.ts'
import { SECRET } from '../test/support/secret.ts'
import type { Figures, Part } from './figures.ts'
import { driveOpenLoop } from './load.ts'
import { Production } from './production.ts'
import { creates, MANY_SITES, ONE_SITE, paidStatic } from './requests.ts'
import { FILES, type LongFile, linesThatFit, paymentsOf } from './settlement-files.ts'
import { execute, siteFile } from './site-file.ts'
import { percentile } from './statistics.ts'
import { figure, mebibytes, table, times } from './table.ts'

/** Lines of a file, and seconds of load before it. */
const FULL = { most: 100_000, before: 10 }
const SMALLEST = { most: 500, before: 0.5 }
/** Creates a second at the site that imports, and at another one: a busy shop. */
const RATE = 20
/** A load that has no end of its own is cut into pieces, until the import is done. */
const PIECE = 1

const token = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant:accounting', days: 1 })
const [OTHER] = MANY_SITES
const LOADS = { same: ONE_SITE, other: OTHER ? [OTHER] : [] } as const
type Load = keyof typeof LOADS

export const settlement: Part = async ({ directory, isSmallest }) => {
  const { most, before } = isSmallest ? SMALLEST : FULL
  const faults: string[] = []
  const rows: string[][] = []
  const figures: Partial<Record<string, Figures['settlement'][string]>> = {}
  for (const [number, file] of FILES.entries()) {
    const data = join(directory, `settlement-${number}`)
    const count = Math.min(most, linesThatFit(file))
    const first = await Production.start(data)
    await paidStatic(first.port, 'sticker')
    await first.stop()
    execute(siteFile(data), paymentsOf(count, file.bank))
    const server = await Production.start(data)
    const bytes = file.bytes(count)
    await loads(server.port, before, faults)
    const quiet = await loads(server.port, before, faults)
    server.forgetPeak()
    const { present = Number.NaN } = server.memory()
    const [seconds, busy] = await beside(server.port, importOf(server.address, file, bytes, count), faults)
    const { peak = Number.NaN } = server.memory()
    await server.stop()
    const p99 = (load: Load) => percentile(busy[load], 0.99)
    const slower = (load: Load) => p99(load) / percentile(quiet[load], 0.99)
    figures[file.name] = {
      ...{ seconds, memory_mib: (peak - present) / 1024 ** 2 },
      ...{ p99_same_site: slower('same'), p99_other_site: slower('other') },
    }
    rows.push([
      ...[
        file.name,
        count.toLocaleString('en'),
        mebibytes(bytes.length),
        figure(seconds),
        mebibytes(peak - present),
        mebibytes(peak),
      ],
      ...(['same', 'other'] as const).flatMap((load) => [figure(p99(load)), times(slower(load))]),
    ])
  }
  return {
    tables: [
      table(
        `Imports of files of ${most.toLocaleString('en')} operations, or as many as a file may have, whose payments the site has, beside ${RATE} creates a second there and at another site (p99 of them in ms, and of that before)`,
        [
          'file',
          'operations',
          'size',
          'seconds',
          'memory more',
          'at most',
          'same site',
          '',
          'other site',
          '',
        ],
        rows,
      ),
    ],
    figures: { settlement: Object.fromEntries(Object.entries(figures)) as Figures['settlement'] },
    faults,
  }
}

/** Imports the file. @throws Error where it is not taken, or an entry does not match */
async function importOf(
  address: string,
  { bank, format, type, name }: LongFile,
  body: Uint8Array<ArrayBuffer>,
  count: number,
) {
  const response = await fetch(
    `${address}/payin/v1/sites/demo/settlements/long?bank=${bank}&format=${format}`,
    { method: 'PUT', headers: { 'Content-Type': type, Authorization: `Bearer ${token}` }, body },
  )
  const text = await response.text()
  if (response.status !== 201 || !text.includes(`"matched":${count}`))
    throw new Error(`${name}: ${response.status} ${text}`)
}

/** Milliseconds of each create, by the site of it. */
type Latencies = Record<Load, readonly number[]>

/** Creates at both sites for some seconds. */
async function loads(port: number, seconds: number, faults: string[]): Promise<Latencies> {
  const measure = async (load: Load) => {
    const request = creates('none', LOADS[load])
    const measured = await driveOpenLoop({ port, request, seconds, warmUp: 0, rate: RATE, isCoarse: true })
    faults.push(...measured.faults)
    return measured.latencies
  }
  const [same, other] = await Promise.all([measure('same'), measure('other')])
  return { same, other }
}

/** The seconds of a work, and the creates meanwhile. */
async function beside(
  port: number,
  work: Promise<void>,
  faults: string[],
): Promise<[seconds: number, latencies: Latencies]> {
  const started = performance.now()
  let seconds: number | undefined
  const done = work.then(() => {
    seconds = (performance.now() - started) / 1000
  })
  const all: Record<Load, number[]> = { same: [], other: [] }
  while (seconds === undefined) {
    const piece = await loads(port, PIECE, faults)
    for (const load of ['same', 'other'] as const) all[load].push(...piece[load])
    // A work that failed ends it.
    await Promise.race([done, sleep(0)])
  }
  await done
  return [seconds, all]
}
