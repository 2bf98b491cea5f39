// What the production build does when the machine fails: the disk, a file, the clock, the process.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { objectsOf, siteFile } from '../../bin/data/data-directory.ts'
import { checkSite } from '../../bin/data/site-checks.ts'
import { hasClock, shiftedClock } from '../support/clock.ts'
import { fillDisk } from '../support/full-disk.ts'
import { portOf } from '../support/ports.ts'
import { requires } from '../support/requires.ts'
import {
  EXTERNAL,
  fileOf,
  type Served,
  serve,
  siteOf,
  started,
  temporaryDirectory,
  workerdOf,
} from '../support/serve.ts'
import { errorCodeOf } from '../support/site-at.ts'

/** How often the service is killed under load: 20 by hand. */
const KILLS = Number(process.env.KILLS ?? 3)

let directory: string
let data: string
beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
})

const isReady = async ({ address }: Served) => (await fetch(`${address}/readyz`)).status === 200
const problemsOf = (siteId?: string) => checkSite(fileOf(data, siteId)).problems

/** A mount namespace of its own, in which the data directory is a file system of 6 MB. */
const SMALL_DISK = [
  ...['unshare', '--map-root-user', '--mount', 'sh', '-c'],
  'data=$1 && shift && mount -t tmpfs -o size=6m tmpfs "$data" && exec "$@"',
  'sh',
]
// Where the system allows no namespaces to its users, only an administrator could mount one.
const canMount = requires(
  'namespaces',
  spawnSync('unshare', ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0,
)

describe.runIf(canMount)('a disk that is full', () => {
  it('writes get 503, reads go on, nothing acknowledged is lost, and room is enough to recover', async () => {
    mkdirSync(data)
    const served = await started(data, { wrapper: [...SMALL_DISK, data] })
    const site = siteOf(served)
    // The file system as the process sees it.
    const inside = join('/proc', `${served.process.pid}`, 'root', data)
    const filler = join(inside, 'filler')
    writeFileSync(filler, Buffer.alloc(3_000_000))

    const acknowledged: string[] = []
    const refused: string[] = []
    while (refused.length < 20) {
      const uid = `uid-${acknowledged.length + refused.length}`
      const answered = await site.pay(uid)
      expect([200, 503]).toContain(answered)
      if (answered === 200) acknowledged.push(uid)
      else refused.push(uid)
    }
    expect(acknowledged.length).toBeGreaterThan(20)
    const create = await site.create('one more')
    expect([create.status, errorCodeOf(create), create.headers.get('Retry-After')]).toEqual([
      503,
      'service.unavailable',
      '1',
    ])
    expect(await isReady(served)).toBe(false)
    const statuses = async () =>
      Promise.all(acknowledged.map(async (uid) => (await site.ask(`/payments/pay-${uid}`)).status))
    expect(new Set(await statuses())).toEqual(new Set([200]))
    expect((await site.ask('/sbp/qrCodes')).status).toBe(200)
    // What few calls need is not loaded yet, and writes reset the object meanwhile.
    const seldom = ['/payments', '/notifications', '/settings', '/settlements']
    const asked = Promise.all(seldom.map(async (path) => [path, (await site.ask(path)).status]))
    const failing = await Promise.all(Array.from({ length: 20 }, (_, number) => site.pay(`full-${number}`)))
    expect(new Set(failing)).toEqual(new Set([503]))
    expect(await asked).toEqual(seldom.map((path) => [path, 200]))
    expect(served.output()).toContain('SQLITE_FULL')

    const workerd = Number(spawnSync('cat', [join(inside, 'lock')]).stdout.toString())
    unlinkSync(filler)
    await sleep(1100)
    expect(await isReady(served)).toBe(true)
    expect((await site.create('one more')).status).toBe(200)
    for (const uid of refused) expect(await site.pay(uid)).toBe(200)
    expect(new Set(await statuses())).toEqual(new Set([200]))
    expect(Number(spawnSync('cat', [join(inside, 'lock')]).stdout.toString()), 'no restart').toBe(workerd)
    // The file system ends with its processes: it is checked before.
    const copy = join(directory, 'copy')
    const { status, stderr } = spawnSync('nsenter', [
      ...[
        '--target',
        `${served.process.pid}`,
        '--user',
        '--mount',
        '--preserve-credentials',
        process.execPath,
      ],
      ...['--disable-warning=ExperimentalWarning', join(process.cwd(), 'bin/data/backup.ts')],
      ...['--data', data, '--to', copy],
    ])
    expect([status, stderr.toString()]).toEqual([0, ''])
    expect(checkSite(fileOf(copy)).problems).toEqual([])
  })
})

/** The files that the process has, and what fills its disk. */
const diskOf = (served: Served) => join('/proc', `${served.process.pid}`, 'root', data)

describe.runIf(canMount)('a disk that is full while instructions are pending', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)('every read succeeds, and after %s too', async (signal) => {
    mkdirSync(data)
    // It takes connections, and answers none of their requests: deliveries are in flight when the disk fills up.
    const connector = createServer()
    onTestFinished(() => void connector.close())
    const settings = { ...EXTERNAL, NETWORK_URL: `http://127.0.0.1:${await portOf(connector)}/` }
    const served = await started(data, { wrapper: [...SMALL_DISK, data], settings })
    const site = siteOf(served)
    const uids = Array.from({ length: 20 }, (_, i) => `uid-${i}`)
    for (const uid of uids) expect(await site.pay(uid)).toBe(200)
    for (const uid of uids) expect((await site.refund(`pay-${uid}`, 'r', 1)).status).toBe(200)
    /** The statuses of reads, of which many are in flight at once, beside writes that fail, for some seconds. */
    const read = async (seconds: number) => {
      const statuses = new Set<number>()
      for (const start = performance.now(); performance.now() - start < seconds * 1000; await sleep(100)) {
        const paths = [...uids.map((uid) => `/payments/pay-${uid}`), '/events', '/settings', '/sbp/qrCodes']
        const written = uids.map((uid) => site.create(`new-${uid}`))
        for (const { status } of await Promise.all(paths.map((path) => site.ask(path)))) statuses.add(status)
        for (const { status } of await Promise.all(written)) expect(status).toBe(503)
      }
      return [...statuses]
    }
    await fillDisk(join(diskOf(served), 'filler'))
    expect((await site.create('one more')).status).toBe(503)
    // Until the deliveries have ended, whose results cannot be written.
    expect(await read(13)).toEqual([200])

    const starts = () => served.output().split('"listening"').length
    const before = starts()
    process.kill(Number(readFileSync(join(diskOf(served), 'lock'), 'utf8')), signal)
    while (starts() === before) await sleep(20)
    await served.ready()
    expect(await read(4)).toEqual([200])

    unlinkSync(join(diskOf(served), 'filler'))
    await sleep(1100)
    expect(await isReady(served)).toBe(true)
    expect((await site.create('one more')).status).toBe(200)
  })
})

describe.runIf(canMount && hasClock)('a disk that is full while a QR code ends', () => {
  it('every read succeeds and shows the end, though the alarm cannot record it', async () => {
    mkdirSync(data)
    const clock = shiftedClock(directory)
    const served = await started(data, { wrapper: [...SMALL_DISK, data], settings: clock.settings })
    const site = siteOf(served)
    const body = { qrCodeUid: 'short', qrCode: { type: 'DYNAMIC', ttl: 30 } }
    expect((await site.ask('/sbp/qrCodes', { method: 'POST', body })).status).toBe(200)
    expect(await site.pay('paid')).toBe(200)
    await fillDisk(join(diskOf(served), 'filler'))
    expect((await site.create('one more')).status).toBe(503)
    clock.set(1)
    const paths = ['/sbp/qrCodes/short', '/sbp/qrCodes?status=EXPIRED', '/sbp/qrCodes', '/payments/pay-paid']
    const answers = async () => {
      const all = await Promise.all([...paths, '/payments', '/settings'].map((path) => site.ask(path)))
      return { statuses: [...new Set(all.map(({ status }) => status))], texts: all.map(({ text }) => text) }
    }
    // The alarm is tried again and again meanwhile, and fails.
    for (const start = performance.now(); performance.now() - start < 5000; await sleep(100)) {
      const { statuses, texts } = await answers()
      expect(statuses).toEqual([200])
      expect(texts.slice(0, 2).filter((text) => text.includes('"status":"EXPIRED"'))).toHaveLength(2)
    }
    expect(served.output()).toContain('SQLITE_FULL')
    unlinkSync(join(diskOf(served), 'filler'))
    await vi.waitFor(async () => expect((await site.ask('/events')).text).toContain('qrCode.expired'), {
      timeout: 60_000,
      interval: 200,
    })
  })
})

describe.runIf(canMount)('a data directory that is read-only', () => {
  /** Runs with the path mounted read-only. */
  const readOnly = (path: string): string[] => [
    ...['unshare', '--map-root-user', '--mount', 'sh', '-c'],
    'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"',
    ...['sh', path],
  ]

  it.each([
    ['as a whole', () => data, /Read-only file system/],
    ['where the sites are', () => objectsOf(data), /SQLITE_CANTOPEN/],
  ])('%s ends the start, which says so; nothing is lost', async (_, path, reason) => {
    const first = await started(data)
    await siteOf(first).create('a')
    await first.stop()
    const served = await serve(data, { wrapper: readOnly(path()) })
    expect(await served.ended).toBe(1)
    expect(served.output()).toMatch(reason)
    for (const line of served.output().trim().split('\n')) expect(() => JSON.parse(line), line).not.toThrow()
    const again = await started(data)
    expect((await siteOf(again).ask('/sbp/qrCodes/a')).status).toBe(200)
  })
})

describe('a corrupted file', () => {
  it.each<[string, (file: string) => void]>([
    ['whose header is overwritten', (file) => writeFileSync(file, Buffer.alloc(65_536, 'x'))],
    ['that is cut short', (file) => truncateSync(file, 20_000)],
  ])('%s affects its own site alone, and the log says so', async (_, corrupt) => {
    const first = await started(data)
    for (const siteId of ['demo', 'other']) {
      const site = siteOf(first, siteId)
      for (let n = 0; n < 20; n++) expect(await site.pay(`uid-${n}`)).toBe(200)
    }
    await first.stop()
    corrupt(fileOf(data))

    const served = await started(data)
    const [demo, other] = [siteOf(served), siteOf(served, 'other')]
    const create = await demo.create('new')
    expect([create.status, errorCodeOf(create)]).toEqual([503, 'service.unavailable'])
    expect((await demo.ask('/sbp/qrCodes')).status).toBe(503)
    expect((await other.create('new')).status).toBe(200)
    expect((await other.ask('/payments/pay-uid-3')).status).toBe(200)
    expect(await isReady(served)).toBe(true)
    const faults = served
      .output()
      .split('\n')
      .filter((line) => line.includes('"status":503'))
    expect(faults.length).toBe(2)
    for (const line of faults) {
      const { site, fault } = z.object({ site: z.string(), fault: z.string() }).parse(JSON.parse(line))
      expect(site).toBe('demo')
      // The runtime's own lines have the reason, by the same reference.
      const [, reference = 'none'] = /reference = (\w+)/.exec(fault) ?? []
      await expect.poll(served.output).toMatch(new RegExp(`SQLITE_(CORRUPT|NOTADB)[^]*${reference}`))
    }
    await served.stop()
    expect(problemsOf('demo').length).toBeGreaterThan(0)
    expect(problemsOf('other')).toEqual([])
  })
})

describe.runIf(hasClock)('a clock that is changed while the service runs', () => {
  it('an hour forward and back changes no fact, and what expired stays so', async () => {
    const clock = shiftedClock(directory)
    const served = await started(data, { settings: clock.settings })
    /** The timers of workerd would stand still: the supervisor starts it again. */
    const setBack = async (hours: number) => {
      const starts = () => served.output().split('"listening"').length
      const before = starts()
      clock.set(hours)
      while (starts() === before) await sleep(20)
      await served.ready()
    }
    const site = siteOf(served)
    const short = { qrCodeUid: 'short', qrCode: { type: 'DYNAMIC', ttl: 30 } }
    await site.ask('/sbp/qrCodes', { method: 'POST', body: short })
    expect(await site.pay('before')).toBe(200)
    const paid = (await site.ask('/payments/pay-before')).text
    const statusOf = async (uid: string) =>
      /"status":"(\w+)"/.exec((await site.ask(`/sbp/qrCodes/${uid}`)).text)?.[1]

    clock.set(1)
    expect(await statusOf('short')).toBe('EXPIRED')
    expect(await site.pay('forward')).toBe(200)
    // The feed records what is due.
    expect((await site.ask('/events')).text).toContain('qrCode.expired')
    // Longer than the supervisor takes to see it.
    await sleep(5000)
    await setBack(0)
    expect(await statusOf('short')).toBe('EXPIRED')
    await setBack(-1)
    expect(await site.pay('back')).toBe(200)
    expect((await site.create('open')).status).toBe(200)
    const poll = site.ask('/sbp/qrCodes/open', { headers: { Prefer: 'wait=1' } })
    expect((await poll).status).toBe(200)
    clock.set(0)
    expect((await site.ask('/payments/pay-before')).text).toBe(paid)
    expect((await site.create('before')).headers.get('Idempotent-Replayed')).toBe('true')
    for (const uid of ['before', 'forward', 'back']) expect(await statusOf(uid)).toBe('PAYED')
    // An hour, less the part of a millisecond that one of the clocks does not tell.
    expect(served.output()).toMatch(/the clock went back by (?:3600000|3599999) ms/)
    await served.stop()
    expect(problemsOf()).toEqual([])
  })
})

it('a broken body is refused, and changes nothing', async () => {
  const served = await started(data)
  const site = siteOf(served)
  for (const [body, status] of [
    ['{"qrCodeUid":"a","qrCode":{"type":"DYN', 400],
    ['x'.repeat(65_537), 413],
    ['[]', 400],
  ] as const) {
    expect((await site.ask('/sbp/qrCodes', { method: 'POST', body })).status).toBe(status)
  }
  const files = existsSync(objectsOf(data)) ? readdirSync(objectsOf(data)) : []
  expect(
    files.filter((name) => name === siteFile('demo')),
    'the site is not even woken',
  ).toEqual([])
  expect((await site.ask('/sbp/qrCodes')).text).toBe('{"qrCodes":[]}')
})

it(`${KILLS} times kill -9 under mixed load: what was acknowledged is there, and every rule holds`, async () => {
  const served = await started(data, {
    settings: { CALLBACK_HOSTS: 'any', PAYMENT_NETWORK: 'sandbox' },
  })
  const site = siteOf(served)
  // Notifications cannot be delivered here: they are queued, tried, leased and tried again.
  await site.ask('/settings', { method: 'PUT', body: { callbackUrl: 'http://127.0.0.1:9/' } })
  await site.ask('/settings/notificationKeys', { method: 'POST' })
  const paid = new Set<string>()
  const refunded = new Set<string>()
  /** Everything from a position on that was acknowledged is there. */
  const check = async (from: { paid: number; refunded: number }) => {
    const found = async (path: string) => expect([path, (await site.ask(path)).status]).toEqual([path, 200])
    for (const uid of [...paid].slice(from.paid)) await found(`/payments/pay-${uid}`)
    for (const uid of [...refunded].slice(from.refunded)) await found(`/payments/pay-${uid}/refunds/r`)
  }
  let next = 0
  for (let kill = 1; kill <= KILLS; kill++) {
    const before = { paid: paid.size, refunded: refunded.size }
    let isAlive = true
    const client = async () => {
      while (isAlive) {
        const uid = `uid-${next++}`
        try {
          if ((await site.pay(uid)) === 200) paid.add(uid)
          if ((await site.refund(`pay-${uid}`, 'r', 1)).status === 200) refunded.add(uid)
          await site.create(`open-${uid}`)
        } catch (error) {
          if (isAlive) throw error
        }
      }
    }
    const clients = Array.from({ length: 8 }, client)
    while (paid.size < kill * 40) await sleep(10)
    isAlive = false
    process.kill(workerdOf(data), 'SIGKILL')
    // It is verified as the kill left it.
    served.process.kill('SIGSTOP')
    try {
      await Promise.all(clients)
      expect(problemsOf()).toEqual([])
    } finally {
      served.process.kill('SIGCONT')
    }
    await sleep(50)
    await served.ready()
    await check(before)
  }
  await check({ paid: 0, refunded: 0 })
  await served.stop()
  expect(problemsOf()).toEqual([])
  console.log(`${KILLS} kills, ${paid.size} payments, ${refunded.size} refunds`)
})
