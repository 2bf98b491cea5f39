// npm run serve -- --cluster: what it refuses, and how an instance starts, ends and keeps its directory.
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { objectsOf } from '../../bin/data/data-directory.ts'
import { run } from '../support/command.ts'
import { freePort } from '../support/ports.ts'
import { s3Bucket } from '../support/s3-bucket.ts'
import { type Served, serve, siteOf, temporaryDirectory } from '../support/serve.ts'

const CLUSTER_KEY = 'a'.repeat(64)
const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'a',
  AWS_SECRET_ACCESS_KEY: 'secret-of-the-bucket',
  AWS_REGION: 'auto',
}
const BUCKET = ['--cluster', 's3://qr-cluster/one']
const ADDRESS = ['--cluster-addr', '127.0.0.1:7000']

const newData = () => join(temporaryDirectory(), 'data')
const messagesOf = (served: Served): unknown[] =>
  served
    .output()
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line).message)
    .filter((message) => message !== 'starting')

describe('a start that cannot be an instance ends with status 1 and says why', () => {
  it.each<[string, string[], Record<string, string>, unknown[]]>([
    [
      'without --experimental',
      [...BUCKET, ...ADDRESS],
      { ...CREDENTIALS, CLUSTER_KEY },
      [
        expect.stringMatching(
          /^--cluster uses a mode of workerd that is experimental, .*give --experimental too$/,
        ),
      ],
    ],
    [
      'with nothing else',
      [...BUCKET, '--experimental'],
      {},
      [
        '--cluster-addr is not given, must be HOST:PORT, of a private network',
        'CLUSTER_KEY is not set: make one with `openssl rand -hex 32`',
        'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, nor is AWS_CREDENTIALS_FILE',
      ],
    ],
    [
      'with wrong values',
      ['--cluster', 's3://qr/', '--cluster-addr', '0.0.0.0:70000', '--experimental'],
      { ...CREDENTIALS, CLUSTER_KEY: 'short' },
      [
        '--cluster is s3://qr/, must be s3://bucket/prefix',
        '--cluster-addr is 0.0.0.0:70000, must have a port from 1 to 65535',
        '--cluster-advertise is not given, must be the HOST:PORT by which the other instances reach this one',
        'CLUSTER_KEY must be 32 or more of A-Z a-z 0-9 + / = _ -',
      ],
    ],
    ...['', 's3.example', 'https://'].map((url): [string, string[], Record<string, string>, unknown[]] => [
      `with the endpoint '${url}'`,
      [...BUCKET, ...ADDRESS, '--experimental'],
      { ...CREDENTIALS, CLUSTER_KEY, AWS_ENDPOINT_URL: url },
      [`AWS_ENDPOINT_URL is '${url}', must be an http or https URL, or not set`],
    ]),
    ['an address without a cluster', ADDRESS, {}, ['--cluster-addr is given without --cluster']],
  ])('%s', async (_, options, settings, messages) => {
    const data = newData()
    const served = await serve(data, { options, settings })
    expect(await served.ended).toBe(1)
    expect(messagesOf(served)).toEqual(messages)
    expect(existsSync(data)).toBe(false)
  })

  it('a directory that has sites, which the cluster would not have', async () => {
    const data = newData()
    mkdirSync(objectsOf(data), { recursive: true })
    const options = [...BUCKET, '--cluster-addr', `127.0.0.1:${await freePort()}`, '--experimental']
    const served = await serve(data, { options, settings: { ...CREDENTIALS, CLUSTER_KEY } })
    expect(await served.ended).toBe(1)
    expect(messagesOf(served)).toEqual([
      `${data} has sites of its own, which the cluster would not have: give an empty directory; docs/cluster.md, Moving in and out`,
    ])
  })
})

it('an instance starts when its bucket is back, and its directory is no data directory any more', async () => {
  const bucket = await s3Bucket('qr-cluster')
  onTestFinished(() => bucket.close())
  bucket.weather('all', { fault: () => '500' })
  const data = newData()
  const options = [...BUCKET, '--cluster-addr', `127.0.0.1:${await freePort()}`, '--experimental']
  const settings = { ...CREDENTIALS, CLUSTER_KEY, AWS_ENDPOINT_URL: bucket.url }
  const served = await serve(data, { options, settings })
  await expect.poll(() => served.output()).toContain('answers 500 InternalError')
  bucket.weather('all')
  await served.ready()
  expect((await siteOf(served).create('a')).status).toBe(200)
  const commands: [string, ...string[]][] = [
    ['verify', '--data', data],
    ['backup', '--data', data, '--to', newData()],
    ['resume', '--data', data],
    ['sites', 'list', '--data', data],
    ['sites', 'rebuild', '--data', data],
  ]
  const refusal = `${data} is the cache of an instance of a cluster, the sites are in its bucket: npm run cluster, docs/cluster.md\n`
  for (const [name, ...args] of commands)
    expect([name, run(name, ...args)]).toEqual([name, { status: 1, output: refusal }])
  await served.stop()
  for (const [name, ...args] of commands)
    expect([name, run(name, ...args)]).toEqual([name, { status: 1, output: refusal }])
  // Without --cluster it would serve what the cache happens to have.
  const alone = await serve(data)
  expect(await alone.ended).toBe(1)
  expect(messagesOf(alone)).toEqual([refusal.trim()])
  const file = join(data, 'cluster.capnp')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain(CLUSTER_KEY)
  for (const secret of [CLUSTER_KEY, CREDENTIALS.AWS_SECRET_ACCESS_KEY])
    expect(served.output()).not.toContain(secret)
})
