// Three instances of a cluster over one bucket: nothing that was acknowledged is lost, whatever becomes of an instance.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { load, losses, untilWritable } from '../support/acknowledged.ts'
import { type Instance, type TestCluster, testCluster } from '../support/cluster.ts'
import { linkIdIn, qrCodeOf } from '../support/site-at.ts'

const SITES = Array.from({ length: 6 }, (_, number) => `site-${number}`)
const CLIENTS = 6

/** A cluster of three instances. */
async function three(): Promise<{ cluster: TestCluster; instances: [Instance, Instance, Instance] }> {
  const cluster = await testCluster()
  return { cluster, instances: [await cluster.join('a'), await cluster.join('b'), await cluster.join('c')] }
}

it('creates of one uid through all instances at once make one QR code', async () => {
  const { instances } = await three()
  const answers = await Promise.all(
    [...instances, ...instances].map((instance) => instance.site('demo').create('one')),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(new Set(answers.map((answer) => qrCodeOf(answer).qrCode.payload)).size).toBe(1)
})

it.each<[string, (killed: Instance) => Promise<void>]>([
  ['killed by SIGKILL', (killed) => killed.kill()],
  ['stopped by SIGTERM', (stopped) => stopped.stop()],
])('an instance that is %s under load: the others have all that was acknowledged', async (_, end) => {
  const { instances } = await three()
  const [first, ...others] = instances
  let reached: readonly Instance[] = instances
  const creates = load(() => reached, SITES, CLIENTS)
  await creates.more(60)
  // A balancer does not follow at once.
  await end(first)
  reached = others
  await Promise.all(others.map((other) => untilWritable(other, SITES)))
  await creates.more(30)
  await creates.end()
  for (const other of others) expect(await losses(other, creates.acknowledged)).toEqual([])
})

it('instances that join and leave under load: no request through the others fails, and nothing is lost', async () => {
  const { cluster, instances } = await three()
  const [first, ...others] = instances
  let reached: readonly Instance[] = others
  const creates = load(() => reached, SITES, CLIENTS)
  await creates.more(30)
  const stopped = first.stop()
  const fourth = await cluster.join('d')
  reached = [...others, fourth]
  await stopped
  await creates.more(30)
  await creates.end()
  expect(creates.failures).toEqual([])
  expect(await losses(fourth, creates.acknowledged)).toEqual([])
})

it('an instance that is cut off from the bucket acknowledges nothing that the others lack', async () => {
  const { cluster, instances } = await three()
  const [cut, ...others] = instances
  const creates = load(() => instances, SITES, CLIENTS)
  await creates.more(60)
  cluster.bucket.weather(cut.name, { fault: () => 'silent' })
  while (await cut.isReady()) await sleep(50)
  await Promise.all(others.map((other) => untilWritable(other, SITES)))
  await creates.end()
  for (const other of others) expect(await losses(other, creates.acknowledged)).toEqual([])
})

it('a bucket that is slow, and whose answers are lost, loses nothing', async () => {
  const { cluster, instances } = await three()
  const [first, ...others] = instances
  const creates = load(() => instances, SITES, CLIENTS)
  await creates.more(30)
  let count = 0
  // Of the writes of sites every fifth is done without an answer: the engine must find out what became of it.
  cluster.bucket.weather('all', {
    delayMs: 100,
    fault: ({ method, key }) =>
      method === 'PUT' && key.includes('/do/') && ++count % 5 === 0 ? 'lost-answer' : undefined,
  })
  await creates.more(60)
  cluster.bucket.weather('all')
  await first.kill()
  await untilWritable(others[0], SITES)
  await creates.end()
  expect(count).toBeGreaterThan(5)
  expect(await losses(others[0], creates.acknowledged)).toEqual([])
})

it('before a stop, long polls that came through another instance on a site of this one are answered', async () => {
  const { instances } = await three()
  const [owner, peer, other] = instances
  // Who asks for a site first has it.
  const created = await owner.site('demo').create('one')
  const wait = () => peer.site('demo').ask('/sbp/qrCodes/one', { headers: { Prefer: 'wait=60' } })
  const statuses: number[] = []
  const poll = async () => {
    statuses.push((await wait()).status)
  }
  const waiting = poll()
  await peer.longPolls(1)
  await owner.drain()
  // One call of the object lasts 20 seconds: without the drain the answer comes then.
  await expect.poll(() => statuses, { timeout: 18_000 }).toEqual([200])
  // Its client sends the next one at once.
  const next = poll()
  await expect.poll(() => statuses, { timeout: 40_000 }).toEqual([200, 200])
  await Promise.all([waiting, next])
  const stopped = owner.stop()
  expect((await other.site('demo').report(linkIdIn(created), 'pay-one')).status).toBe(200)
  await stopped
  expect(qrCodeOf(await wait()).qrCode.status).toBe('PAYED')
})
