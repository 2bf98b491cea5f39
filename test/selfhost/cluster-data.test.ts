// npm run cluster: the sites of a cluster become a data directory, and a data directory becomes a cluster.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { LOADING, openBucket, signedHeaders, untilLoaded } from '../../bin/data/bucket.ts'
import { forEach, withEngine } from '../../bin/data/bucket-engine.ts'
import { auditFile, registryFile } from '../../bin/data/data-directory.ts'
import { load, losses } from '../support/acknowledged.ts'
import { CLUSTER, type Instance, testCluster } from '../support/cluster.ts'
import { clusterCommand } from '../support/cluster-command.ts'
import { succeeds } from '../support/command.ts'
import { freePort } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import {
  asOperator,
  fileOf,
  type Served,
  serve,
  siteOf,
  started,
  temporaryDirectory,
} from '../support/serve.ts'
import { errorCodeOf, qrCodeOf, siteAt } from '../support/site-at.ts'

const newData = () => join(temporaryDirectory(), 'data')

/** So many keys of 32 characters have about 350 pages in each of two indexes; the page cache has 450. */
const MANY_KEYS = 30_000

/** A service on one machine as the checker of a cluster reads it. */
const asInstance = ({ address }: Served): Pick<Instance, 'site'> => ({
  site: (siteId) => siteAt(() => address, SECRET, siteId),
})

/** The acts of an audit. */
const actsOf = (data: string): unknown[] =>
  new DatabaseSync(auditFile(data), { readOnly: true })
    .prepare("SELECT act || ' ' || result AS act FROM acts ORDER BY number")
    .all()
    .map(({ act }) => act)

it('what a cluster acknowledged is in the directory that is fetched from it, and on one machine', async () => {
  const testing = await testCluster()
  const instances = [await testing.join('a'), await testing.join('b')]
  const creates = load(() => instances, ['one', 'two', 'three'], 4)
  await creates.more(40)
  await creates.end()
  const data = newData()
  const refused = await clusterCommand(testing, 'fetch', data)
  expect(refused).toEqual({ status: 1, output: expect.stringMatching(/^an instance runs, or was killed/) })
  for (const instance of instances) await instance.stop()

  expect(await clusterCommand(testing, 'fetch', data)).toEqual({
    status: 0,
    output: `sites fetched: 3; refunds and charges wait until npm run resume -- --data ${data}\n`,
  })
  expect(succeeds('verify', '--data', data)).toMatch(/\nsites: 3, with problems: 0\n$/)
  expect(succeeds('sites', 'list', '--data', data)).toMatch(/^one\t.*\nthree\t.*\ntwo\t.*\n$/)
  const served = await started(data)
  expect(await losses(asInstance(served), creates.acknowledged)).toEqual([])
})

it('a bucket that is lost comes back from the directory that was fetched, and its refunds after resume', async () => {
  const testing = await testCluster()
  const instance = await testing.join('a')
  const creates = load(() => [instance], ['one', 'two'], 2)
  await creates.more(20)
  await creates.end()
  expect(await instance.site('one').pay('paid')).toBe(200)
  await instance.stop()
  const data = newData()
  expect((await clusterCommand(testing, 'fetch', data)).status).toBe(0)
  testing.bucket.lose()
  expect(await clusterCommand(testing, 'load', data)).toEqual({
    status: 0,
    output: 'sites loaded: 2, all rows are equal\n',
  })
  // The caches of the instances are lost with their machines.
  const other = await testing.join('b')
  expect(await losses(other, creates.acknowledged)).toEqual([])
  const refund = () => other.site('one').refund('pay-paid', 'refund', 1)
  const refused = await refund()
  expect([refused.status, errorCodeOf(refused)]).toEqual([409, 'site.restored'])
  expect((await asOperator(other, '/sites/one/resume', { method: 'POST' })).status).toBe(200)
  expect((await refund()).status).toBe(200)
})

it('what is read while an instance runs is not taken', async () => {
  const testing = await testCluster()
  const settings = testing.bucket.settings('tool')
  await expect(
    withEngine(openBucket(CLUSTER, settings), settings, newData(), () => testing.join('a')),
  ).rejects.toThrow(/^an instance ran meanwhile, /)
})

it('a transaction that is too large for the engine is refused with its reason, and changes nothing', async () => {
  const testing = await testCluster()
  const settings = testing.bucket.settings('tool')
  const instance = await testing.join('a')
  expect((await instance.site('one').create('first')).status).toBe(200)
  await instance.stop()
  await withEngine(openBucket(CLUSTER, settings), settings, newData(), async (engine) => {
    const [id = ''] = await engine.ids()
    const rows = (numbers: readonly number[], text: string) => ({ text, rows: numbers.map((i) => [i]) })
    const pages = Array.from({ length: 600 }, (_, i) => i)
    await engine.write(id, [{ text: 'CREATE TABLE large (i INTEGER PRIMARY KEY, b BLOB)', rows: [[]] }])
    const twice = [
      rows(pages, 'INSERT INTO large VALUES (?, zeroblob(3500))'),
      rows([0], 'UPDATE large SET b = randomblob(3500) WHERE i = ?'),
    ]
    await expect(engine.write(id, twice)).rejects.toThrow(/commit failed: replica: capture lost/)
    const database = new DatabaseSync(await engine.open(id), { readOnly: true })
    expect(database.prepare('SELECT count(*) AS count FROM large').get()).toEqual({ count: 0 })
    database.close()
  })
})

it('eight objects are worked on at once, each once, and a failure is told', async () => {
  const items = Array.from({ length: 20 }, (_, i) => i)
  const begun: number[] = []
  const goOn = Promise.withResolvers<void>()
  const work = forEach(items, (item) => {
    begun.push(item)
    return goOn.promise
  })
  expect(begun).toEqual(items.slice(0, 8))
  goOn.resolve()
  await work
  expect(begun).toEqual(items)
  const failing = forEach(items, async (item) => {
    if (item === 11) throw new Error(`${item} fails`)
  })
  await expect(failing).rejects.toThrow('11 fails')
})

it('a data directory becomes a cluster: rows, logo, audit and what waits; it is of no service any more', async () => {
  const data = newData()
  const before = await started(data)
  const site = siteOf(before)
  await site.ask('/settings', { method: 'PUT', body: { callbackUrl: 'https://no-such-host.invalid/' } })
  await site.ask('/settings/notificationKeys', { method: 'POST' })
  expect(await site.pay('paid')).toBe(200)
  expect((await site.refund('pay-paid', 'refund', 1)).status).toBe(200)
  const { payload } = qrCodeOf(await site.create('open')).qrCode
  expect((await asOperator(before, '/sites/demo/limits', { method: 'PUT', body: {} })).ok).toBe(true)
  await expect.poll(() => before.output()).toContain('a notification was not delivered')
  await before.stop()
  const database = new DatabaseSync(fileOf(data))
  database.exec("UPDATE settings SET logo = x'00ff10', logo_hash = 'h', logo_media_type = 'image/png'")
  database.close()
  const kept = temporaryDirectory()
  for (const file of [fileOf(data), registryFile(data), auditFile(data)]) expect(existsSync(file)).toBe(true)

  const testing = await testCluster()
  expect(await clusterCommand(testing, 'load', data)).toEqual({
    status: 0,
    output: 'sites loaded: 1, all rows are equal\n',
  })
  expect(testing.bucket.objects.has(`one/${LOADING}`)).toBe(false)
  const moved = `the sites of ${data} were brought into ${CLUSTER}`
  const again = await serve(data)
  expect(await again.ended).toBe(1)
  expect(again.output()).toContain(moved)
  // The next prefix of the bucket would have a second service's sites.
  expect((await clusterCommand(testing, 'load', data)).output).toContain(moved)

  const instance = await testing.join('a')
  // Nobody asked for the site.
  await expect.poll(() => instance.log(), { timeout: 120_000 }).toContain('a notification was not delivered')
  expect(qrCodeOf(await instance.site('demo').create('open')).qrCode.payload).toBe(payload)
  await instance.stop()
  const back = join(kept, 'back')
  expect((await clusterCommand(testing, 'fetch', back)).status).toBe(0)
  expect(succeeds('verify', '--data', back)).toMatch(
    /^demo: restored from a backup: no refunds.*\nsites: 1, with problems: 0\n$/,
  )
  expect(actsOf(back)).toEqual([
    ...['site.limits STARTED', 'site.limits DONE', 'command.load STARTED'],
    ...['command.fetch STARTED', 'command.fetch DONE'],
  ])
  expect(actsOf(data).at(-1)).toBe('command.load DONE')
  // Of a bucket that has something, nothing is replaced.
  const other = join(kept, 'other')
  const copied = await started(other)
  await siteOf(copied, 'demo').create('x')
  await copied.stop()
  expect(await clusterCommand(testing, 'load', other)).toEqual({
    status: 1,
    output: `${CLUSTER} is not empty: give another prefix, or delete everything below this one\n`,
  })
})

it('a site is loaded whose unique keys have more pages than the engine’s page cache', async () => {
  const data = newData()
  const before = await started(data)
  const { payload } = qrCodeOf(await siteOf(before).create('first')).qrCode
  await before.stop()
  const database = new DatabaseSync(fileOf(data))
  const columns = database
    .prepare("SELECT name FROM pragma_table_xinfo('qr_codes') WHERE hidden = 0")
    .all()
    .map(({ name }) => String(name))
  const own: Record<string, string> = {
    number: 'n.i',
    qr_code_uid: 'hex(randomblob(16))',
    link_id: 'hex(randomblob(16))',
  }
  database.exec(
    `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY_KEYS})
     INSERT INTO qr_codes (${columns})
       SELECT ${columns.map((name) => own[name] ?? `first.${name}`)} FROM n, qr_codes AS first WHERE first.number = 1`,
  )
  database.close()
  const testing = await testCluster()
  expect(await clusterCommand(testing, 'load', data)).toEqual({
    status: 0,
    output: 'sites loaded: 1, all rows are equal\n',
  })
  const instance = await testing.join('a')
  expect(qrCodeOf(await instance.site('demo').create('first')).qrCode.payload).toBe(payload)
})

it('a load that did not end is served by no instance, and fetched by nobody', async () => {
  const testing = await testCluster()
  const data = newData()
  const before = await started(data)
  await siteOf(before, 'one').create('a')
  await siteOf(before, 'two').create('a')
  await before.stop()
  // The bucket refuses the second site.
  let count = 0
  const isSite = (key: string) => key.includes('/do/') && key.endsWith('/own.json')
  testing.bucket.weather('all', {
    fault: ({ method, key }) => (method === 'PUT' && isSite(key) && ++count > 2 ? '500' : undefined),
  })
  expect((await clusterCommand(testing, 'load', data)).status).toBe(1)
  testing.bucket.weather('all')
  expect(testing.bucket.objects.has(`one/${LOADING}`)).toBe(true)
  const problem = `${CLUSTER} has a load of sites that did not end`
  expect((await clusterCommand(testing, 'fetch', newData())).output).toContain(problem)
  const options = ['--cluster', CLUSTER, '--cluster-addr', `127.0.0.1:${await freePort()}`]
  const served = await serve(newData(), {
    options: [...options, '--experimental'],
    settings: { ...testing.bucket.settings('tool'), CLUSTER_KEY: 'k'.repeat(32) },
  })
  expect(await served.ended).toBe(1)
  expect(served.output()).toContain(problem)
  // The directory is still that of the service.
  expect(succeeds('verify', '--data', data)).toBe('sites: 2, with problems: 0\n')
})

it('an instance waits for a bucket that does not answer, and not for one that refuses', async () => {
  const { bucket } = await testCluster()
  const opened = (id: string) => openBucket(CLUSTER, bucket.settings(id))
  bucket.weather('all', { fault: () => '500' })
  const reports: string[] = []
  await untilLoaded(opened('a'), (problem) => {
    reports.push(problem)
    bucket.weather('all')
  })
  expect(reports).toEqual([`the bucket ${CLUSTER} answers 500 InternalError`])
  await expect(untilLoaded(opened(''), () => {})).rejects.toThrow(
    /answers 403 AccessDenied: AWS_ACCESS_KEY_ID must be allowed to list the bucket, and to read, write and delete/,
  )
})

it.each([
  [
    'GET',
    'test.txt',
    '',
    { range: 'bytes=0-9' },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  ['GET', '?max-keys=2&prefix=J', '', {}, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  [
    'PUT',
    'test%24file.text',
    'Welcome to Amazon S3.',
    { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
])('%s %s has the signature that AWS documents for it', async (method, path, body, headers, signature) => {
  const url = new URL(`https://examplebucket.s3.amazonaws.com/${path}`)
  const signed = await signedHeaders(
    { method, url, body, headers },
    { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    'us-east-1',
    new Date('2013-05-24T00:00:00Z'),
  )
  expect(signed.get('authorization')).toMatch(new RegExp(`Signature=${signature}$`))
})
