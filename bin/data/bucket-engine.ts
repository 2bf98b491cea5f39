// The objects of a cluster's bucket, while no instance runs: through workerd, whose format the bucket has.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { DISTRIBUTION } from '../serve/distribution.ts'
import { workerdBinary } from '../serve/workerd-binary.ts'
import type { Bucket, BucketSettings } from './bucket.ts'
import { joinConfig } from './objects-config.ts'

/** Statements that run once for each of their rows. */
export interface Statement {
  text: string
  rows: readonly (readonly unknown[])[]
}

export interface Engine {
  /** The ids of all objects in the bucket. */
  ids(): Promise<string[]>
  /** Fetches an object onto the disk. @returns its file, which changes no more until it is opened again */
  open(id: string): Promise<string>
  /** Writes to an object, in one transaction. @param wakeAt Unix milliseconds: its alarm */
  write(id: string, statements: readonly Statement[], wakeAt?: number): Promise<void>
}

/**
 * Works on a bucket whose instances are all stopped.
 * @param near a directory on the disk that the work is for: what is fetched lies there meanwhile
 * @throws Error where an instance runs, or ran meanwhile
 */
export async function withEngine<T>(
  bucket: Bucket,
  settings: BucketSettings,
  near: string,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const running = await leases(bucket)
  if (running.length > 0) throw new Error(isRunning(running))
  mkdirSync(near, { recursive: true, mode: 0o700 })
  const data = mkdtempSync(join(near, 'engine-'))
  // The path of a socket is short.
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-'))
  const socket = join(directory, 'http')
  writeFileSync(join(directory, 'join.capnp'), joinConfig(bucket.name, randomBytes(32).toString('hex')), {
    mode: 0o600,
  })
  const child = spawn(
    process.env.WORKERD ?? workerdBinary(),
    [
      ...[
        'serve',
        '--experimental',
        `--import-path=${DISTRIBUTION}`,
        join(directory, 'join.capnp'),
        'config',
      ],
      ...[`--directory-path=data=${data}`, `--socket-addr=http=unix:${socket}`],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...settings } },
  )
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (written: string) => {
    errors = (errors + written).slice(-MAX_ERRORS)
  })
  const stop = () => child.kill()
  process.once('exit', stop)
  try {
    await untilReady(child, socket, () => errors)
    const before = await nodes(bucket)
    const done = await work(engineAt(bucket, socket, data, () => errors))
    const others = (await nodes(bucket)).filter((node) => !before.includes(node))
    const live = await leases(bucket)
    if (others.length > 0 || live.length !== 1) {
      throw new Error(`an instance ran meanwhile, what was read is not of one moment: ${live.join(', ')}`)
    }
    return done
  } catch (error) {
    if (child.exitCode === null && child.signalCode === null) throw error
    throw new Error(`workerd ended: ${errors}`, { cause: error })
  } finally {
    process.off('exit', stop)
    await end(child)
    for (const each of [data, directory]) rmSync(each, { recursive: true, force: true })
  }
}

/** How many objects are worked on at once: each waits for the bucket most of the time. */
const AT_ONCE = 8

/** Does the work of each item, a few at once. @throws what the first one throws that fails */
export async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values()
  const next = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

const MAX_ERRORS = 4000
const MAX_REASON = 300
/** How long after its answer workerd can write why a call failed. */
const ERRORS_MS = 100

const isRunning = (addresses: readonly string[]) =>
  `an instance runs, or was killed within the last 20 seconds: ${addresses.join(', ')}. Stop all instances: no command ` +
  'copies a running cluster (docs/cluster.md, What is missing)'

const NODES = 'v1/nodes/'
const OBJECTS = 'v1/do/'

const nodes = (bucket: Bucket): Promise<string[]> => bucket.list(NODES)

const Lease = z.object({ address: z.string(), expires_ms: z.number() })

/** The addresses of the instances that have a lease. @throws Error where one is in another format than this version's */
async function leases(bucket: Bucket): Promise<string[]> {
  const found: string[] = []
  for (const node of await nodes(bucket)) {
    const written = await bucket.read(node)
    if (written === undefined) continue
    const lease = Lease.safeParse(JSON.parse(written))
    if (!lease.success) throw new Error(`${bucket.name}/${node} is not a lease that is known here`)
    if (lease.data.expires_ms > Date.now()) found.push(lease.data.address)
  }
  return found
}

async function untilReady(child: ChildProcess, socket: string, errors: () => string): Promise<void> {
  for (;;) {
    // Any answer will do.
    const status = await call(socket, '/none').then(
      (answer) => answer.status,
      () => undefined,
    )
    if (status !== undefined) return
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(errors())
    await sleep(50)
  }
}

const engineAt = (bucket: Bucket, socket: string, data: string, errors: () => string): Engine => ({
  async ids() {
    const found: string[] = []
    for (const namespace of await bucket.list(OBJECTS, { delimiter: '/' })) {
      for (const folder of await bucket.list(namespace, { delimiter: '/' })) {
        found.push(folder.slice(namespace.length, -1))
      }
    }
    return found
  },
  async open(id) {
    const { folder } = Opened.parse(await succeed(socket, errors, id))
    return join(data, folder, `${id}.sqlite`)
  },
  async write(id, statements, wakeAt) {
    await succeed(socket, errors, id, JSON.stringify({ statements, wakeAt }))
  },
})

const Opened = z.object({ folder: z.string() })

async function succeed(socket: string, errors: () => string, id: string, body?: string): Promise<unknown> {
  const { status, value } = await call(socket, `/${id}`, body)
  if (status === 200) return value
  // The answer does not say why. The log of workerd does, and can come later.
  await sleep(ERRORS_MS)
  const reason = errors()
    .match(new RegExp(`(?<=${id}: ).{1,${MAX_REASON}}`, 'g'))
    ?.at(-1)
  throw new Error(`${id}: workerd answers ${status} ${value}${reason ? `, ${reason}` : ''}`)
}

/** A request over a socket of the file system, which only this user can reach. */
async function call(
  socketPath: string,
  path: string,
  body?: string,
): Promise<{ status: number; value: unknown }> {
  const sent = request({ socketPath, path, method: body === undefined ? 'GET' : 'POST' })
  sent.end(body)
  const [response] = await once(sent, 'response')
  const { statusCode: status } = response
  return { status, value: status === 200 ? await json(response) : await text(response) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
