// Everything at once on three instances of a cluster, while instances, the bucket and the network between them fail: a checker
// that has only what the clients were told finds it all, once. KILLS=20 kills more often, JOINS=10 joins more often.
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { untilWritable } from '../support/acknowledged.ts'
import { type ClusterOptions, type Instance, testCluster } from '../support/cluster.ts'
import { verifiedCopy } from '../support/cluster-command.ts'
import { MixedLoad, receiverOf } from '../support/mixed-load.ts'
import { openBuild } from '../support/open-build.ts'
import { portOf } from '../support/ports.ts'
import { randomOf } from '../support/random.ts'
import { temporaryDirectory } from '../support/serve.ts'
import { errorCodeOf } from '../support/site-at.ts'
import { wholeBody } from '../support/whole-body.ts'

const KILLS = Number(process.env.KILLS ?? 2)
const JOINS = Number(process.env.JOINS ?? 1)
const SEED = Number(process.env.SEED ?? 1)
const SITES = ['tea', 'cafe', 'farm', 'books', 'bread']
const CLIENTS = 8
/** How long a partition lasts: longer than a lease. */
const CUT_MS = 12_000
/** Refunds and deliveries that were in flight at a kill are done again after a lease. */
const SETTLING = { timeout: 120_000, interval: 2000 }

interface Loaded extends ClusterOptions {
  names?: readonly string[]
  siteIds?: readonly string[]
  clients?: number
}

/** Instances, three unless said otherwise, under a load through all that run. */
async function underLoad({
  names = ['a', 'b', 'c'],
  siteIds = SITES,
  clients = CLIENTS,
  ...options
}: Loaded = {}) {
  const cluster = await testCluster({ build: openBuild(temporaryDirectory()), ...options })
  const instances = new Map<string, Instance>()
  const start = async (name: string) => void instances.set(name, await cluster.join(name))
  for (const name of names) await start(name)
  const named = (name: string): Instance => {
    const found = instances.get(name)
    if (!found) throw new Error(`there is no ${name}`)
    return found
  }
  const load = await MixedLoad.start({
    instances: () => [...instances.values()],
    ...{ siteIds, clients, seed: SEED },
  })
  await load.more(60)
  /** One that has lost its lease on a slow machine has ended by itself. */
  const ready = async (): Promise<Instance> => {
    for (const instance of instances.values()) if (await instance.isReady()) return instance
    throw new Error('no instance is ready')
  }
  /** Ends the load; all that was acknowledged is there, once, also in a data directory that is fetched from the bucket. */
  const settle = async () => {
    await load.more(60)
    await load.end()
    await expect.poll(async () => load.problems(await ready()), SETTLING).toEqual([])
    console.log(`${load.acknowledged} QR codes; ${JSON.stringify(load.answers)}`)
    for (const instance of instances.values())
      await ((await instance.isReady()) ? instance.stop() : instance.kill())
    await verifiedCopy(cluster, siteIds.length)
  }
  return { cluster, instances, named, start, load, settle }
}

it(`kill -9 of an instance, ${KILLS} times: it joins again under load, and nothing is lost or done twice`, async () => {
  const { named, start, load, settle } = await underLoad()
  const random = randomOf(SEED)
  const seconds: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const name = random.pick(['a', 'b', 'c'])
    const killed = performance.now()
    await named(name).kill()
    // Its supervisor starts it at once.
    await start(name)
    await untilWritable(named(name), SITES)
    seconds.push(((performance.now() - killed) / 1000).toFixed(1))
    await load.more(30)
  }
  console.log(`seconds until all sites were writable again: ${seconds.join(', ')}`)
  await settle()
}, 3_600_000)

it(`a second instance joins under load, ${JOINS} times, and leaves: nothing is lost or done twice`, async () => {
  const siteIds = Array.from({ length: 20 }, (_, i) => `site-${i}`)
  const { instances, named, start, load, settle } = await underLoad({ names: ['a'], siteIds, clients: 24 })
  let lost = 0
  const captureLost = (log: string) => log.split('capture lost').length - 1
  for (let join = 0; join < JOINS; join++) {
    await start('b')
    const second = named('b')
    await load.more(200)
    instances.delete('b')
    await second.stop()
    lost += captureLost(second.log())
    await load.more(50)
  }
  lost += captureLost(named('a').log())
  console.log(`${JOINS} joins, ${lost} lines of the log with "capture lost"`)
  await settle()
}, 3_600_000)

it('a bucket that is slow, and an instance that joins meanwhile', async () => {
  const { cluster, start, settle, load } = await underLoad()
  cluster.bucket.weather('all', { delayMs: 500 })
  await load.more(20)
  await start('d')
  await load.more(20)
  cluster.bucket.weather('all')
  await settle()
}, 3_600_000)

it.each([
  ['one instance is not reached by the others', ['a']],
  ['one instance reaches none of the others', ['b', 'c']],
])(
  '%s, for longer than a lease, and then again',
  async (_, cut) => {
    const { cluster, settle } = await underLoad({ hasNetwork: true })
    for (const name of cut) cluster.network(name).cut()
    await sleep(CUT_MS)
    for (const name of cut) cluster.network(name).heal()
    await settle()
  },
  3_600_000,
)

it('an instance that is not reached: a request for its site is 503 in time, while those through itself are answered', async () => {
  const cluster = await testCluster({ hasNetwork: true })
  const [owner, other] = [await cluster.join('a'), await cluster.join('b')]
  expect((await owner.site('tea').create('one')).status).toBe(200)
  expect((await other.site('tea').create('one')).status).toBe(200)
  cluster.network('a').cut()
  const answer = await other.site('tea').create('two')
  expect([answer.status, errorCodeOf(answer)]).toEqual([503, 'service.unavailable'])
  expect((await owner.site('tea').create('two')).status).toBe(200)
  cluster.network('a').heal()
  await untilWritable(other, ['tea'])
})

it('what waits in an instance that is killed goes on in another, without a request: a delivery, and the end of a code', async () => {
  const cluster = await testCluster({ build: openBuild(temporaryDirectory()) })
  const owner = await cluster.join('a')
  const other = await cluster.join('b')
  let isKilled = false
  const ids: string[] = []
  const receiver = await receiverOf(owner.site('tea'), (id) => {
    ids.push(id)
    return isKilled ? 204 : 500
  })
  const told: string[] = []
  const merchant = createServer(async (request, response) => {
    const body = await wholeBody(request)
    if (body === undefined) return
    told.push(body)
    response.writeHead(204).end()
  })
  onTestFinished(() => void merchant.close())
  const cafe = owner.site('cafe')
  await cafe.value('/settings/notificationKeys', { method: 'POST' })
  const settings = {
    callbackUrl: `http://127.0.0.1:${await portOf(merchant)}/`,
    notificationTypes: ['QR_CODE'],
  }
  await cafe.value('/settings', { method: 'PATCH', body: settings })
  expect((await cafe.create('short', {}, { ttl: 1 })).status).toBe(200)
  expect(await owner.site('tea').pay('one')).toBe(200)
  await receiver.until(() => ids.length > 0)
  const killed = performance.now()
  await owner.kill()
  expect(told).toEqual([])
  isKilled = true
  await receiver.until(() => receiver.deliveries.some(({ status }) => status === 204))
  console.log(`delivered ${((performance.now() - killed) / 1000).toFixed(1)} s after the kill`)
  expect(new Set(ids).size).toBe(1)
  await expect.poll(() => told, { timeout: 200_000 }).toEqual([expect.stringContaining('"EXPIRED"')])
  expect((await other.site('tea').ask('/notifications')).text).toContain('"DELIVERED"')
  const { text: events } = await other.site('cafe').ask('/events')
  expect(events.split('"qrCode.expired"')).toHaveLength(2)
}, 600_000)
