// An instance of a cluster: its options and settings, and the configuration by which workerd joins (docs/cluster.md).
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { clusterFile, objectsOf } from '../data/data-directory.ts'
import { portOption } from '../options.ts'

/** The settings that only an instance of a cluster has. workerd reads those of the bucket from its environment. */
export const CLUSTER_SETTINGS = [
  'CLUSTER_KEY',
  'AWS_ENDPOINT_URL',
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_CREDENTIALS_FILE',
] as const

/** The options of the command line. */
export const CLUSTER_OPTIONS = {
  cluster: { type: 'string' },
  'cluster-addr': { type: 'string' },
  'cluster-advertise': { type: 'string' },
  experimental: { type: 'boolean', default: false },
} as const

interface Options {
  cluster?: string | undefined
  'cluster-addr'?: string | undefined
  'cluster-advertise'?: string | undefined
  experimental: boolean
}

interface Cluster {
  /** `s3://bucket/prefix` */
  bucket: string
  /** Where the instance listens for the others: HOST:PORT. */
  address: string
  /** How the others reach it, where that differs. */
  advertise?: string | undefined
  key: string
}

/**
 * Reads the options of an instance. @returns undefined without --cluster
 * @throws Error with a line for each option or setting that is missing or wrong
 */
export function clusterOf(options: Options, settings: Partial<Record<string, string>>): Cluster | undefined {
  const { cluster: bucket, 'cluster-addr': address, 'cluster-advertise': advertise } = options
  if (bucket === undefined) {
    const others = { '--cluster-addr': address, '--cluster-advertise': advertise }
    for (const [name, value] of Object.entries(others)) {
      if (value !== undefined) throw new Error(`${name} is given without --cluster`)
    }
    return undefined
  }
  if (!options.experimental) throw new Error(EXPERIMENTAL)
  const { CLUSTER_KEY: key = '' } = settings
  const problems = [
    BUCKET.test(bucket) ? undefined : `--cluster is ${bucket}, must be s3://bucket/prefix`,
    addressProblem('--cluster-addr', address),
    advertise === undefined ? undefined : addressProblem('--cluster-advertise', advertise),
    advertise === undefined && WILDCARD.test(address ?? '')
      ? '--cluster-advertise is not given, must be the HOST:PORT by which the other instances reach this one'
      : undefined,
    KEY.test(key) ? undefined : keyProblem(key),
    hasCredentials(settings)
      ? undefined
      : 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, nor is AWS_CREDENTIALS_FILE',
    endpointProblem(settings.AWS_ENDPOINT_URL),
  ].filter((problem) => problem !== undefined)
  if (problems.length > 0 || address === undefined) throw new Error(problems.join('\n'))
  return { bucket, address, advertise, key }
}

const EXPERIMENTAL =
  '--cluster uses a mode of workerd that is experimental, what is known of it is in docs/cluster.md: give --experimental too'

/** S3's rules of names, and of the prefix what needs no encoding. */
export const BUCKET = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[A-Za-z0-9._-]+)*$/
const WILDCARD = /^(?:0\.0\.0\.0|\[::\]):/
/** What no configuration has to escape. */
const KEY = /^[A-Za-z0-9+/=_-]{32,1024}$/

const keyProblem = (key: string) =>
  key === ''
    ? 'CLUSTER_KEY is not set: make one with `openssl rand -hex 32`'
    : 'CLUSTER_KEY must be 32 or more of A-Z a-z 0-9 + / = _ -'

const hasCredentials = (settings: Partial<Record<string, string>>): boolean =>
  settings.AWS_CREDENTIALS_FILE !== undefined ||
  (settings.AWS_ACCESS_KEY_ID !== undefined && settings.AWS_SECRET_ACCESS_KEY !== undefined)

function endpointProblem(endpoint: string | undefined): string | undefined {
  const isUrl = endpoint === undefined || (/^https?:\/\//.test(endpoint) && URL.canParse(endpoint))
  return isUrl ? undefined : `AWS_ENDPOINT_URL is '${endpoint}', must be an http or https URL, or not set`
}

function addressProblem(option: string, address: string | undefined): string | undefined {
  const rule = 'must be HOST:PORT, of a private network'
  if (address === undefined) return `${option} is not given, ${rule}`
  const [, , port = ''] = /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]):(\d+)$/.exec(address) ?? []
  if (port === '') return `${option} is ${address}, ${rule}`
  try {
    portOption(option, port)
    return undefined
  } catch {
    return `${option} is ${address}, must have a port from 1 to 65535`
  }
}

/** The host without brackets, and the port, of an address that clusterOf has checked. */
export function hostAndPort(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':')
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) }
}

/** Where the cluster port of an instance says whether it serves, holds its lease and is not stopping. */
export function readyUrl({ address }: Pick<Cluster, 'address'>): string {
  const { host, port } = hostAndPort(address)
  // Nothing connects to a wildcard.
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}/ready`
}

/**
 * Writes the configuration of an instance into its data directory, which is a cache of its bucket.
 * @throws Error where the directory has sites of a service that is no cluster: the bucket does not have them
 */
export function prepareInstance(data: string, cluster: Cluster): void {
  const file = clusterFile(data)
  if (!existsSync(file) && existsSync(objectsOf(data))) {
    throw new Error(
      `${data} has sites of its own, which the cluster would not have: give an empty directory; docs/cluster.md, Moving in and out`,
    )
  }
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const part = `${file}.part`
  writeFileSync(part, clusterConfig(cluster), { mode: 0o600 })
  renameSync(part, file)
}

interface TestTimes {
  /** By what the times of leases are divided, and how long requests are taken after SIGTERM. */
  timeDivisor?: number
  /** How long a hand-over may take, in milliseconds. */
  stopTimeoutMs?: number
}

/** The configuration of workerd. */
export function clusterConfig(
  { bucket, address, advertise, key }: Cluster,
  { timeDivisor, stopTimeoutMs }: TestTimes = {},
): string {
  const fields = [
    `bucket = ${JSON.stringify(bucket)}`,
    `address = ${JSON.stringify(address)}`,
    ...(advertise === undefined ? [] : [`advertise = ${JSON.stringify(advertise)}`]),
    `key = ${JSON.stringify(key)}`,
    ...(timeDivisor === undefined ? [] : [`unsafeTimeDivisor = ${timeDivisor}`]),
    ...(stopTimeoutMs === undefined ? [] : [`stopTimeoutMs = ${stopTimeoutMs}`]),
  ]
  return `# How this instance joins its cluster: npm run serve writes it. It has the cluster's key.
using Workerd = import "/workerd/workerd.capnp";
using Service = import "/config.capnp";

const config :Workerd.Config = (
  services = Service.services,
  sockets = Service.sockets,
  cluster = (${fields.join(', ')}),
);
`
}
