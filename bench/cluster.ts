// A cluster of three instances beside one process: what a create costs; how long a kill lasts; what stops and upgrades fail.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { load, losses, untilWritable } from '../test/support/acknowledged.ts'
import { type Instance, testCluster } from '../test/support/cluster.ts'
import { startHaProxy } from '../test/support/haproxy.ts'
import { laterVersion } from '../test/support/later-version.ts'
import { SECRET } from '../test/support/secret.ts'
import { siteAt } from '../test/support/site-at.ts'
import { serve } from '../test/support/workers.ts'
import { CONNECTIONS } from './creating.ts'
import type { Part } from './figures.ts'
import { drive, type Measured } from './load.ts'
import { creates, MANY_SITES } from './requests.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

const NAMES = ['a', 'b', 'c']
const DELAYS_MS = [0, 10, 30]
/** Milliseconds of each rest, instances that are killed, and what times of leases are divided by. */
const FULL = { restMs: 60_000, kills: 2, warmUp: 0.5, timeDivisor: 1 }
const SMALLEST = { restMs: 1_000, kills: 1, warmUp: 0.1, timeDivisor: 2 }
/** Of the load during stops and kills. */
const SITES = MANY_SITES.slice(0, 12).map(({ id }) => id)
const CLIENTS = 6

export const cluster: Part = async ({ directory, ours, rounds, seconds, isSmallest }) => {
  const { restMs, kills, warmUp, timeDivisor } = isSmallest ? SMALLEST : FULL
  const faults: string[] = []
  const ends: (() => void | Promise<void>)[] = []
  const onEnd = (end: () => void | Promise<void>) => void ends.push(end)
  try {
    // Before anything is measured.
    const later = join(laterVersion(onEnd), 'dist/fps-qr')
    const single = await serve(ours, join(directory, 'single'))
    const made = { build: ours, directory: join(directory, 'instances'), timeDivisor, onEnd }
    const { bucket, join: start } = await testCluster(made)
    const instances = new Map<string, Instance>()
    for (const name of NAMES) instances.set(name, await start(name))
    const all = () => [...instances.values()]
    const portOf = ({ address }: Instance) => Number(new URL(address).port)
    const alone = {
      site: (siteId: string) => siteAt(() => `http://127.0.0.1:${single.port}`, SECRET, siteId),
    }
    // Who asks for a site first has it: each instance has a third. A first create makes the tables, which is not measured.
    for (const [i, { id }] of MANY_SITES.entries())
      await Promise.all([alone, all()[i % NAMES.length]].map((each) => each?.site(id).create('first')))
    const [entrance] = all()
    if (!entrance) throw new Error('there is no instance')

    const measure = async (
      port: number,
      cpuSeconds: () => number,
      connections: number,
      sites = connections === 1 ? MANY_SITES.slice(0, 1) : MANY_SITES,
    ) => {
      const next = creates('none', sites)
      let sent = 0
      const request = () => {
        sent++
        return next()
      }
      bucket.requests.length = 0
      const measured = await drive({ port, connections, request, seconds, warmUp, cpuSeconds })
      faults.push(...measured.faults)
      const byMethod: Record<string, number> = {}
      for (const { method, key } of bucket.requests) {
        // The others are those of instances at rest.
        if (key.includes('/do/')) byMethod[method] = (byMethod[method] ?? 0) + 1 / sent
      }
      return { ...measured, byMethod }
    }
    const ofSingle = (connections: number) =>
      measure(single.port, () => single.cpuSeconds() ?? Number.NaN, connections)
    const ofCluster = (connections: number, sites?: typeof MANY_SITES) =>
      measure(
        portOf(entrance),
        () => all().reduce((sum, instance) => sum + (instance.cpuSeconds() ?? Number.NaN), 0),
        connections,
        sites,
      )
    const [ofOne, together]: [Measured[], (Measured & { byMethod: Record<string, number> })[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      const each = async () => void ofOne.push(await ofSingle(CONNECTIONS))
      if (round % 2 === 0) await each()
      together.push(await ofCluster(CONNECTIONS))
      if (round % 2 === 1) await each()
    }
    const singleMs = (await ofSingle(1)).median
    await single.stop()
    const byDelay: Record<string, number> = {}
    const quiet: Record<string, number> = {}
    for (const delayMs of DELAYS_MS) {
      bucket.weather('all', { delayMs })
      const { median: ms, byMethod } = await ofCluster(1)
      byDelay[delayMs] = ms
      Object.assign(quiet, byMethod)
    }
    bucket.weather('all')
    const busySite = (await ofCluster(CONNECTIONS, MANY_SITES.slice(0, 1))).byMethod

    // What the load has left is put together and deleted.
    await sleep(restMs)
    bucket.requests.length = 0
    const idleFrom = performance.now()
    await sleep(restMs)
    const idle = (bucket.requests.length / (performance.now() - idleFrom)) * 60_000

    // Each kill under load: until every site takes a create again, of all others.
    const failovers: number[] = []
    const whileLoaded = async <T>(
      reached: () => readonly Pick<Instance, 'site'>[],
      work: (running: ReturnType<typeof load>) => Promise<T>,
    ) => {
      const running = load(reached, SITES, CLIENTS)
      await running.more(30)
      const done = await work(running)
      await running.more(30)
      await running.end()
      // After a kill the first of all does not run.
      faults.push(...(await losses(reached()[0] ?? entrance, running.acknowledged)))
      return { done, failures: running.failures, acknowledged: running.acknowledged.length }
    }
    for (const name of NAMES.slice(0, kills)) {
      const killed = instances.get(name)
      const others = all().filter((instance) => instance !== killed)
      let reached = all()
      await whileLoaded(
        () => reached,
        async () => {
          const from = performance.now()
          await killed?.kill()
          reached = others
          await Promise.all(others.map((other) => untilWritable(other, SITES)))
          failovers.push((performance.now() - from) / 1000)
        },
      )
      instances.set(name, await start(name))
    }

    const { address, log } = await startHaProxy(
      all().map((instance) => instance.address),
      { directory, onEnd },
    )
    const balanced = { site: (siteId: string) => siteAt(() => address, SECRET, siteId) }
    const seen = (name: string) => log().split(`fps_qr/${name} is UP`).length
    const restart = async (name: string, build: string, running: ReturnType<typeof load>) => {
      const before = seen(name)
      await instances.get(name)?.stop()
      await running.more(10)
      instances.set(name, await start(name, build))
      while (seen(name) === before) await sleep(50)
    }
    const stopped = await whileLoaded(
      () => [balanced],
      (running) => restart('a', ours, running),
    )
    const upgraded = await whileLoaded(
      () => [balanced],
      async (running) => {
        for (const name of NAMES) await restart(name, later, running)
      },
    )

    const micros = (measured: Measured[]) => measured.map(({ cpuMicros }) => cpuMicros)
    const line = (name: string, measured: Measured[]) => [
      name,
      figure(median(micros(measured))),
      figure(median(measured.map(({ perSecond }) => perSecond))),
      figure(median(measured.map((each) => each.median))),
      figure(median(measured.map(({ p99 }) => p99))),
    ]
    const requests = { quiet, busy_site: busySite, many_sites: together.at(-1)?.byMethod ?? {} }
    const perCreate = (byMethod: Record<string, number>) =>
      Object.entries(byMethod)
        .map(([method, count]) => `${figure(count)} ${method}`)
        .join(', ')
    const figures = {
      cluster_vs_single: {
        cores: availableParallelism(),
        cpu: ratio(micros(together), micros(ofOne)),
        create_ms: { single: singleMs, ...byDelay },
        requests_per_create: requests,
      },
      cluster_idle_requests_per_minute: idle,
      failover_seconds: Math.max(...failovers),
      failed_requests_of_stop: stopped.failures.length,
      failed_requests_of_upgrade: upgraded.failures.length,
    }
    return {
      tables: [
        table(
          `Creating by ${CONNECTIONS} connections in ${MANY_SITES.length} sites (medians of ${rounds} rounds)`,
          ['', 'µs of CPU', 'req/s', 'median ms', 'p99 ms'],
          [line('one process', ofOne), line('three instances, the bucket without delay', together)],
        ),
        table(
          `A cluster of three instances on ${figures.cluster_vs_single.cores} cores`,
          ['', ''],
          [
            ['CPU time of a create, of that of one process', times(figures.cluster_vs_single.cpu)],
            ['a create alone, one process', `${figure(singleMs)} ms`],
            ...DELAYS_MS.map((delay) => [
              `a create alone, bucket delay ${delay} ms`,
              `${figure(byDelay[delay] ?? Number.NaN)} ms`,
            ]),
            ['requests of the bucket for a create alone', perCreate(requests.quiet)],
            [`the same, ${CONNECTIONS} connections in one site`, perCreate(requests.busy_site)],
            [
              `the same, ${CONNECTIONS} connections in ${MANY_SITES.length} sites`,
              perCreate(requests.many_sites),
            ],
            ['requests of the bucket a minute at rest', figure(idle)],
            ['kill -9 until all sites are writable', failovers.map((each) => `${figure(each)} s`).join(', ')],
            [
              'SIGTERM behind the proxy: failed',
              `${stopped.failures.length} beside ${stopped.acknowledged} creates`,
            ],
            ['upgrade of all: failed', `${upgraded.failures.length} beside ${upgraded.acknowledged} creates`],
          ],
        ),
      ],
      figures,
      faults,
    }
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}
