// Instances of a cluster as npm run serve keeps them: while their bucket is away they start again and again, and a stop ends them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { LOADING } from '../../bin/data/bucket.ts'
import { load, losses } from '../support/acknowledged.ts'
import { freePort } from '../support/ports.ts'
import { type Bucket, s3Bucket } from '../support/s3-bucket.ts'
import { SECRET } from '../support/secret.ts'
import { type Served, serve, temporaryDirectory } from '../support/serve.ts'
import { siteAt } from '../support/site-at.ts'

/** Three times a lease. */
const AWAY_MS = 60_000
const SITES = ['tea', 'cafe', 'farm']

async function instance(bucket: Bucket, settings: Record<string, string> = {}): Promise<Served> {
  const options = ['--cluster', 's3://qr-cluster/one', '--cluster-addr', `127.0.0.1:${await freePort()}`]
  return serve(join(temporaryDirectory(), 'data'), {
    options: [...options, '--experimental'],
    settings: { CLUSTER_KEY: 'k'.repeat(32), ...bucket.settings('a'), ...settings },
  })
}

const asInstance = ({ address }: Served) => ({
  site: (siteId: string) => siteAt(() => address, SECRET, siteId),
})

it('a bucket that is away for a minute: its instances start until it is back, with all that was acknowledged', async () => {
  const bucket = await s3Bucket('qr-cluster')
  onTestFinished(() => bucket.close())
  const first = await instance(bucket)
  await first.ready()
  const creates = load(() => [asInstance(first)], SITES, 4)
  await creates.more(30)
  // A start asks for the mark of a load before workerd does anything.
  bucket.weather('all', { fault: ({ key }) => (key.endsWith(LOADING) ? undefined : 'silent') })
  const second = await instance(bucket)
  await sleep(AWAY_MS)
  await creates.end()
  bucket.weather('all')
  for (const each of [first, second]) {
    await expect.poll(() => each.output()).toContain('starting workerd again')
    await each.ready()
    expect(await losses(asInstance(each), creates.acknowledged)).toEqual([])
  }
  // A stop needs no bucket.
  bucket.weather('all', { fault: () => 'silent' })
  await Promise.all([first.stop(), second.stop()])
})

it('a workerd that does not end at SIGTERM has longer than a hand-over takes, and is killed then', async () => {
  const bucket = await s3Bucket('qr-cluster')
  onTestFinished(() => bucket.close())
  const workerd = join(temporaryDirectory(), 'workerd')
  const after = (seconds: number) =>
    `setTimeout(() => console.log('{"after":${seconds}}'), ${seconds * 1000})`
  const listening = JSON.stringify({ event: 'listen', socket: 'http', port: 1 })
  const lines = [
    `#!${process.execPath}`,
    `process.on('SIGTERM', () => { ${after(8.1)}; ${after(14.5)} })`,
    `require('node:fs').writeSync(3, '${listening}' + String.fromCharCode(10))`,
    'setInterval(() => {}, 1000)',
  ]
  writeFileSync(workerd, lines.join('\n'), { mode: 0o755 })
  const served = await instance(bucket, { WORKERD: workerd })
  await expect.poll(() => served.output()).toContain('"listening"')
  await served.stop()
  // workerd hands over for 8 seconds.
  expect(served.output()).toContain('{"after":8.1}')
  expect(served.output()).not.toContain('{"after":14.5}')
})
