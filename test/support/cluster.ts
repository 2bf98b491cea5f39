// Instances of a cluster over a bucket of the test's, each with a directory of its own.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { clusterConfig, readyUrl } from '../../bin/serve/cluster.ts'
import { DISTRIBUTION } from '../../bin/serve/distribution.ts'
import { workerdBinary } from '../../bin/serve/workerd-binary.ts'
import { shiftedClock } from './clock.ts'
import { type PeerProxy, peerProxy } from './peer-proxy.ts'
import { freePort } from './ports.ts'
import { type Server, startServer } from './processes.ts'
import { type Bucket, s3Bucket } from './s3-bucket.ts'
import { SECRET } from './secret.ts'
import { temporaryDirectory } from './serve.ts'
import { type Site, siteAt } from './site-at.ts'

const BUCKET = 'qr-cluster'
/** What `--cluster` says. */
export const CLUSTER = `s3://${BUCKET}/one`
/** By default: a lease lasts 10 seconds, which a slow machine renews in time. */
const TIME_DIVISOR = 2
/** In production 8 seconds, in which a slow machine does not hand over everything. */
const STOP_TIMEOUT_MS = 30_000

export interface Instance {
  /** Its access key of the bucket, by which its weather is set. */
  name: string
  /** `http://127.0.0.1:…` of the service. */
  address: string
  /** The port of its admin socket. */
  adminPort: number
  /** What its /readyz says. */
  isReady(): Promise<boolean>
  /** What npm run serve does before it sends SIGTERM. */
  drain(): Promise<void>
  site(siteId: string): Site
  /** Resolves when so many long polls wait that came through it. */
  longPolls(count: number): Promise<void>
  log(): string
  /** Drains it, and sends SIGTERM; resolves when it has ended. */
  stop(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** Of its workerd; undefined once that has ended. */
  pid(): number | undefined
  /** The CPU time that it has used. */
  cpuSeconds(): number | undefined
}

export interface TestCluster {
  bucket: Bucket
  /**
   * Starts an instance and waits until it is ready. One that has ended gets its addresses and its directory again.
   * @param build what it runs, by default that of the options
   * @throws Error where it ends before it is ready
   */
  join(name: string, build?: string): Promise<Instance>
  /** What the others send to an instance stops, and goes on; its own question whether it is ready goes that way too. */
  network(name: string): Pick<PeerProxy, 'cut' | 'takeAway' | 'heal'>
  /** Sets the seconds by which the clock of an instance is ahead of the machine's, also of one that starts later. */
  setClock(name: string, seconds: number): void
}

export interface ClusterOptions {
  /** The directory of the build, by default the one of npm run serve. */
  build?: string
  /** Whether there is a network between the instances that can be cut. */
  hasNetwork?: boolean
  /** Whether each instance has a clock that the test sets. */
  hasClocks?: boolean
  /** What times of leases are divided by. */
  timeDivisor?: number
  /** Of the instances, by default one that ends with the test. */
  directory?: string
  /** Takes what ends everything, by default at the end of the test. */
  onEnd?: OnEnd
}

type OnEnd = (end: () => void | Promise<void>) => void

/** Where an instance listens, as HOST:PORT. */
interface Addresses {
  http: string
  admin: string
  /** For the other instances. */
  address: string
  /** On the way from them. */
  proxy?: PeerProxy
}

const free = async () => `127.0.0.1:${await freePort()}`

/** A cluster without instances, which ends with the test. */
export async function testCluster({
  build: usual = DISTRIBUTION,
  hasNetwork = false,
  hasClocks = false,
  timeDivisor = TIME_DIVISOR,
  directory = temporaryDirectory(),
  onEnd = onTestFinished,
}: ClusterOptions = {}): Promise<TestCluster> {
  const bucket = await s3Bucket(BUCKET)
  onEnd(() => bucket.close())
  const clocks = new Map<string, ReturnType<typeof shiftedClock>>()
  const clockOf = (name: string) => {
    const clock = clocks.get(name) ?? shiftedClock(temporaryDirectory())
    clocks.set(name, clock)
    return clock
  }
  const addresses = new Map<string, Addresses>()
  const newAddresses = async (): Promise<Addresses> => {
    const at = { http: await free(), admin: await free(), address: await free() }
    if (!hasNetwork) return at
    const proxy = await peerProxy(at.address)
    onEnd(() => proxy.close())
    return { ...at, proxy }
  }
  return {
    bucket,
    network(name) {
      const { proxy } = addresses.get(name) ?? {}
      if (!proxy) throw new Error(`${name} has no network that can be cut`)
      return proxy
    },
    setClock(name, seconds) {
      if (!hasClocks) throw new Error('this cluster has no clocks of its own')
      clockOf(name).set(seconds / 3600)
    },
    async join(name, build = usual) {
      const data = join(directory, name)
      mkdirSync(data, { recursive: true })
      // workerd tells the port of the cluster too, as one of its sockets.
      const at = addresses.get(name) ?? (await newAddresses())
      addresses.set(name, at)
      const { http, admin, address, proxy } = at
      const file = join(data, 'cluster.capnp')
      const cluster = {
        ...{ bucket: CLUSTER, address, key: 'k'.repeat(32) },
        advertise: proxy?.address,
      }
      writeFileSync(file, clusterConfig(cluster, { timeDivisor, stopTimeoutMs: STOP_TIMEOUT_MS }))
      let written = ''
      const server = await startServer(
        workerdBinary(),
        [
          ...['serve', '--experimental', '--control-fd=3', `--import-path=${build}`],
          ...[`--directory-path=data=${data}`, `--directory-path=files=${join(build, 'public')}`],
          ...[`--socket-addr=http=${http}`, `--socket-addr=admin=${admin}`, file, 'config'],
        ],
        {
          ...{ TOKEN_SECRET: SECRET, PUBLIC_URL: 'http://qr.example', PAYMENT_NETWORK: 'sandbox' },
          ...{ SITE_RATE: '1000000', CALLBACK_HOSTS: 'any' },
          ...bucket.settings(name),
          ...(hasClocks && clockOf(name).settings),
          // As where the port is of an interface that goes away: neither the others nor the instance reach it.
          CLUSTER_READY_URL: readyUrl({ address: proxy?.address ?? address }),
        },
        (text) => {
          written += text
        },
      )
      onEnd(() => server.kill())
      const instance = instanceOf(name, server, at, () => written)
      while (!(await instance.isReady())) {
        if (instance.pid() === undefined) throw new Error(`${name} ended before it was ready`)
        await sleep(20)
      }
      return instance
    },
  }
}

function instanceOf(name: string, server: Server, { http, admin }: Addresses, log: () => string): Instance {
  const address = `http://${http}`
  const drain = async () => {
    const { ok } = await fetch(`http://${admin}/drain`, { method: 'POST' })
    if (!ok) throw new Error('the instance does not drain')
  }
  return {
    name,
    address,
    adminPort: Number(admin.split(':')[1]),
    log,
    isReady: async () => (await fetch(`${address}/readyz`).catch(() => undefined))?.ok ?? false,
    site: (siteId) => siteAt(() => address, SECRET, siteId),
    async longPolls(count) {
      const line = `\nfps_qr_long_polls ${count}\n`
      while (!(await (await fetch(`http://${admin}/metrics`)).text()).includes(line)) await sleep(20)
    },
    drain,
    stop: async () => {
      await drain()
      await server.stop()
    },
    kill: () => server.kill(),
    pid: () => server.pid(),
    cpuSeconds: () => server.cpuSeconds(),
  }
}
