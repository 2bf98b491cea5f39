// Hours of everything that a site's callers do, on three instances of a cluster whose processes, network and bucket fail.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { table } from '../../bench/table.ts'
import { untilWritable } from '../support/acknowledged.ts'
import { testCluster } from '../support/cluster.ts'
import { clusterCommand } from '../support/cluster-command.ts'
import { MixedLoad, PATIENCE_MS } from '../support/mixed-load.ts'
import { openBuild } from '../support/open-build.ts'
import { randomOf } from '../support/random.ts'
import { asOperator, temporaryDirectory } from '../support/serve.ts'
import { Answers } from './answers.ts'
import { ClusterFaults } from './cluster-faults.ts'
import { MAX_GROWTH, Resources } from './resources.ts'
import { counted, tablesOf } from './tables.ts'
import { calmMsOf } from './turns.ts'
import { Visitors } from './visitors.ts'

const MINUTES = Number(process.env.MINUTES ?? 3)
const SITES = Number(process.env.SITES ?? 10)
const SEED = Number(process.env.SEED ?? 1)

const END_MS = MINUTES * 60_000
const CALM_MS = calmMsOf(END_MS)
const FAULT_EVERY_MS = 8_000
const SAMPLE_EVERY_MS = 5_000
const CLIENTS = 8
/** A client rests so long between two orders. */
const PAUSE_MS = 500
/** Somebody looks at something of a site so often, at most. */
const VISIT_EVERY_MS = 2_000
/** The part of the notifications that a merchant's server takes at once; the others it takes when they are repeated. */
const TAKEN_AT_ONCE = 0.8
/** Refunds and deliveries that were in flight at an end are done again after a lease. */
const SETTLING = { timeout: 300_000, interval: 2000 }

it(`in ${MINUTES} minutes of everything on a cluster nothing acknowledged is lost, or done twice`, {
  timeout: END_MS + 3_600_000,
}, async () => {
  const random = randomOf(SEED)
  const cluster = await testCluster({
    build: openBuild(temporaryDirectory()),
    hasNetwork: true,
    hasClocks: true,
  })
  const faults = await ClusterFaults.start(cluster, random, SITES)
  const [answers, resources] = [new Answers(), new Resources()]
  onTestFinished(answers.watch(() => faults.instances.map(({ address }) => address)))
  const siteIds = Array.from({ length: SITES }, (_, i) => `site${i}`)
  const refused = new Set<string>()
  const load = await MixedLoad.start({
    ...{ instances: () => faults.instances, siteIds, clients: CLIENTS, seed: SEED, pauseMs: PAUSE_MS },
    statusOf(id) {
      if (refused.has(id) || random.chance(TAKEN_AT_ONCE)) return 204
      refused.add(id)
      return 503
    },
  })
  const visitors = new Visitors(
    { address: faults.address, ask: (siteId, ...call) => faults.site(siteId).ask(...call), now: Date.now },
    random,
  )
  const begun = Date.now()
  const elapsed = () => Date.now() - begun
  // Also of a run that ends before its time.
  onTestFinished(() =>
    console.log(
      ...tablesOf({ answers, faults, resources, begun, minutes: MINUTES }),
      table('Instances that ended by themselves', ['', ''], counted(faults.ownEnds)),
    ),
  )
  let isSettled = false
  const watching = (async () => {
    while (!isSettled) {
      resources.sample(Object.fromEntries(faults.instances.map((each) => [each.name, each.pid()])))
      await faults.supervise()
      // Nobody asks for what the bucket was asked, and in hours it is much.
      cluster.bucket.requests.length = 0
      await sleep(SAMPLE_EVERY_MS)
    }
  })()
  // A run that meets no fault proves nothing.
  const isOver = () => elapsed() >= END_MS && faults.turns.missing().length === 0
  await Promise.all([
    ...siteIds.map(async (siteId) => {
      while (!isOver()) {
        await Promise.race([visitors.visit(siteId), sleep(PATIENCE_MS)])
        await sleep(random.below(VISIT_EVERY_MS))
      }
    }),
    (async () => {
      while (!isOver()) {
        await faults.turns.happen(elapsed() > CALM_MS)
        await sleep(FAULT_EVERY_MS)
      }
    })(),
  ])
  await load.end()
  await expect.poll(() => load.problems(faults.first), SETTLING).toEqual([])
  isSettled = true
  await watching

  // What is checked is the restored backup of it all.
  const copy = await faults.backUp()
  cluster.bucket.lose()
  const loaded = await clusterCommand(cluster, 'load', copy)
  expect(loaded).toEqual({ status: 0, output: `sites loaded: ${SITES + 1}, all rows are equal\n` })
  const restored = await cluster.join('restored')
  for (const siteId of siteIds)
    expect((await asOperator(restored, `/sites/${siteId}/resume`, { method: 'POST' })).status).toBe(200)
  await untilWritable(restored, siteIds)
  expect(await load.problems(restored)).toEqual([])

  console.log(
    table(
      `npm run soak -- --cluster --minutes ${MINUTES} --sites ${SITES} --seed ${SEED}`,
      ['', ''],
      [
        ['requests that were answered', `${answers.all.length}`],
        ['requests without an answer', `${answers.unanswered}`],
        ['QR codes acknowledged', `${load.acknowledged}`],
        ['answers that the contract does not give', `${answers.wrong.length}`],
      ],
    ),
    table('What was asked, and its answers', ['', ''], counted(new Map(Object.entries(load.answers)))),
  )
  expect(answers.wrong.slice(0, 20), `SEED=${SEED}`).toEqual([])
  expect(resources.growing(MAX_GROWTH)).toEqual([])
})
