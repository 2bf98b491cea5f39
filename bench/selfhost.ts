// The service as npm run serve runs it, beside the Worker alone; backup, also under load; how soon it is back after kill -9.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CONFIG } from '../bin/serve/build-service.ts'
import { serve } from '../test/support/workers.ts'
import { CONNECTIONS, creating } from './creating.ts'
import type { Part } from './figures.ts'
import type { Measured } from './load.ts'
import { bin, Production } from './production.ts'
import { create, created } from './requests.ts'
import { fill, measure, siteFile } from './site-file.ts'
import { median, ratio } from './statistics.ts'
import { figure, mebibytes, table, times } from './table.ts'

const FULL = { total: 300_000, kills: 5 }
const SMALLEST = { total: 10_000, kills: 1 }

export const selfhost: Part = async ({ directory, ours, rounds, seconds, isSmallest }) => {
  const { total, kills } = isSmallest ? SMALLEST : FULL
  const faults: string[] = []
  const load = creating(faults, { isSmallest })

  // The Worker as Cloudflare runs it: nobody could ask it what it counted.
  const alone = join(directory, 'alone')
  cpSync(ours, alone, { recursive: true })
  const config = readFileSync(join(alone, CONFIG), 'utf8')
  writeFileSync(join(alone, CONFIG), config.replace(/.*"SELF_HOSTED".*\n/, ''))
  const worker = await serve(alone, join(directory, 'alone-disk'))
  const production = await Production.start(join(directory, 'data'))
  for (const { port } of [worker, production]) await load.warmUp(port)
  const [single, served]: [Measured[], Measured[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const each = async () => {
      single.push(await load.measure(worker.port, seconds))
    }
    if (round % 2 === 0) await each()
    served.push(await load.measure(production.port, seconds))
    if (round % 2 === 1) await each()
  }
  await worker.stop()
  await production.stop()

  const full = join(directory, 'full')
  const known = randomUUID()
  const first = await Production.start(full)
  await created(first.port, known)
  // Rows as the service writes them: the others are made like them.
  await load.measure(first.port, Math.min(seconds, 1))
  await first.stop()
  fill(siteFile(full), total, known)
  const { bytes } = measure(siteFile(full))
  const large = await Production.start(full)
  await load.warmUp(large.port)
  const speeds: number[] = []
  const backUp = async () => {
    const to = join(directory, 'backup')
    rmSync(to, { recursive: true, force: true })
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...bin('data/backup'),
      '--data',
      full,
      '--to',
      to,
    ])
    return Number(/ ([\d.]+) MB\/s/.exec(stdout)?.[1])
  }
  const [without, during]: [Measured[], Measured[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    speeds.push(await backUp())
    without.push(await load.measure(large.port, seconds))
    let isRunning = true
    const backups = (async () => {
      while (isRunning) await backUp()
    })()
    during.push(await load.measure(large.port, seconds))
    isRunning = false
    await backups
  }
  await large.stop()

  const restarts: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    const killed = await Production.start(full)
    await created(killed.port, randomUUID())
    const started = performance.now()
    killed.killWorkerd()
    while (!(await create(killed.port, randomUUID()).catch(() => undefined))?.ok) await sleep(2)
    restarts.push(performance.now() - started)
    await killed.stop()
  }

  const perSecond = (measured: Measured[]) => measured.map((each) => each.perSecond)
  const line = (name: string, measured: Measured[]) => [
    name,
    figure(median(perSecond(measured))),
    figure(median(measured.map((each) => each.median))),
    figure(median(measured.map((each) => each.p99))),
  ]
  const figures = {
    create_selfhosted: ratio(perSecond(served), perSecond(single)),
    backup_mb_per_second: median(speeds),
    create_during_backup: ratio(perSecond(during), perSecond(without)),
    restart_ms: median(restarts),
  }
  return {
    tables: [
      table(
        `Creating by ${CONNECTIONS} connections (medians of ${rounds} rounds; ms)`,
        ['', 'req/s', 'median', 'p99'],
        [
          line('the Worker alone, in workerd', single),
          line('npm run serve', served),
          line(`on a site of ${mebibytes(bytes)}`, without),
          line('the same during backups', during),
        ],
      ),
      table(
        'Self-hosting',
        ['', ''],
        [
          ['npm run serve, of the Worker alone', times(figures.create_selfhosted)],
          ['backup of that site', `${figure(figures.backup_mb_per_second)} MB/s`],
          ['creating during backups, of that without', times(figures.create_during_backup)],
          [`kill -9 to the first create, median of ${kills}`, `${figure(figures.restart_ms)} ms`],
        ],
      ),
    ],
    figures,
    faults,
  }
}
