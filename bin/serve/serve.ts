// npm run serve: runs the built service on this machine, as in production (docs/self-hosting.md).
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { inheritedSocket } from '../../connector/server/inherited-socket.ts'
import { openBucket, untilLoaded } from '../data/bucket.ts'
import { prepareStart, type Report } from '../data/rebuild.ts'
import { tendSites } from '../data/tend-sites.ts'
import { parseOptions, portOption, required } from '../options.ts'
import { isWildcard } from '../start/addresses.ts'
import { identityOf } from './build-identity.ts'
import { checkPort } from './check-port.ts'
import {
  CLUSTER_OPTIONS,
  CLUSTER_SETTINGS,
  clusterOf,
  hostAndPort,
  prepareInstance,
  readyUrl,
} from './cluster.ts'
import { DISTRIBUTION } from './distribution.ts'
import { serviceSettings } from './service-settings.ts'
import { supervise } from './supervisor.ts'
import { workerdBinary } from './workerd-binary.ts'

const USAGE = `npm run serve -- --data DIR [options]

  --data DIR          the data directory, created if it does not exist
  --port N            the port, by default 8080
  --ip ADDRESS        the address to listen on, by default 127.0.0.1; a socket of systemd's replaces both
  --admin-port N      the port of /metrics, by default 9190
  --admin-ip ADDRESS  its address, by default 127.0.0.1; never one that the Internet reaches
  --env-file FILE     settings, as NAME=value; the environment overrides them

An instance of a cluster (docs/cluster.md), with DIR as its cache:
  --cluster s3://BUCKET/PREFIX     the cluster's bucket
  --cluster-addr HOST:PORT         where the other instances reach this one, on a private network
  --cluster-advertise HOST:PORT    the same, where that is another address than the one to listen on
  --experimental                   the cluster mode of workerd is experimental: docs/cluster.md says what is known

  --help              this text`

/** An instance hands its sites over before it ends, for which workerd takes 8 seconds; its bucket can be away for any time. */
const INSTANCE = { isPatient: true, stopMs: 12_000 }

const log = (level: string, message: string, more = {}) =>
  console.log(JSON.stringify({ time: new Date().toISOString(), level, message, ...more }))

try {
  await serve()
} catch (error) {
  for (const message of (error instanceof Error ? error.message : String(error)).split('\n'))
    log('error', message)
  process.exit(1)
}

/** An address, as a URL has it. */
function hostOf(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip
}

async function serve(): Promise<void> {
  const { values } = parseOptions({
    options: {
      data: { type: 'string' },
      port: { type: 'string', default: '8080' },
      ip: { type: 'string', default: '127.0.0.1' },
      'admin-port': { type: 'string', default: '9190' },
      'admin-ip': { type: 'string', default: '127.0.0.1' },
      'env-file': { type: 'string' },
      ...CLUSTER_OPTIONS,
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  if (!existsSync(DISTRIBUTION)) throw new Error(`${DISTRIBUTION} is missing: npm run build`)
  log('info', 'starting', identityOf(DISTRIBUTION))
  const data = resolve(required('--data', values.data))
  const port = portOption('--port', values.port)
  const adminPort = portOption('--admin-port', values['admin-port'])
  const others = values.cluster === undefined ? [] : CLUSTER_SETTINGS
  const { CLUSTER_KEY, ...settings } = serviceSettings(process.env, values['env-file'], others)
  const cluster = clusterOf(values, { ...settings, CLUSTER_KEY })
  const retentionDays = Number(settings.RETENTION_DAYS) || undefined
  const hasTestSites = settings.TEST_SITES === 'on'
  const socket = inheritedSocket(process.env, process.pid)
  if (socket === undefined) await checkPort(port, values.ip, '--port')
  await checkPort(adminPort, values['admin-ip'], '--admin-port')
  if (cluster) {
    const { host, port } = hostAndPort(cluster.address)
    await checkPort(port, host, '--cluster-addr')
    prepareInstance(data, cluster)
    await untilLoaded(openBucket(cluster.bucket, settings), (problem) => log('error', problem))
  }

  const [host, adminHost] = [hostOf(values.ip), hostOf(values['admin-ip'])]
  // A wildcard cannot be called: this process calls its own machine.
  const own = adminHost === '[::]' ? '[::1]' : '127.0.0.1'
  const calledHost = isWildcard(values['admin-ip']) ? own : adminHost
  const admin = `http://${calledHost}:${adminPort}`
  // This process and Prometheus call the admin socket by its address.
  settings.ADMIN_HOSTS = [settings.ADMIN_HOSTS, calledHost].filter(Boolean).join(',')
  const { LISTEN_PID: _pid, LISTEN_FDS: _fds, LISTEN_FDNAMES: _names, ...env } = process.env
  const report: Report = (problem, level) => log(level, problem)
  const isStopped = await supervise(
    {
      prepare: async () => {
        if (cluster) return
        await prepareStart(data, report, { retentionDays, hasTestSites })
      },
      async tend(signal) {
        if (cluster) return
        const wake = (siteId: string) => fetch(`${admin}/wake`, { method: 'POST', body: siteId, signal })
        const sites = await tendSites(data, report, { wake, signal })
        if (!signal.aborted) log('info', 'all sites are checked', { sites })
      },
      command: join(DISTRIBUTION, 'run'),
      args: [
        ...[data, '--control-fd=3', ...(cluster ? ['--experimental'] : [])],
        // 3 is the control descriptor, and 9 the lock.
        socket === undefined ? `--socket-addr=http=${host}:${port}` : '--socket-fd=http=4',
        `--socket-addr=admin=${adminHost}:${adminPort}`,
      ],
      ...(socket === undefined ? { address: `http://${host}:${port}/` } : { descriptors: [socket] }),
      env: {
        ...env,
        ...{ WORKERD: process.env.WORKERD ?? workerdBinary(), ...settings },
        ...(cluster && { CLUSTER_READY_URL: readyUrl(cluster) }),
      },
      ...(cluster && INSTANCE),
      drain: (signal) => fetch(`${admin}/drain`, { method: 'POST', signal }),
    },
    log,
  )
  process.exit(isStopped ? 0 : 1)
}
