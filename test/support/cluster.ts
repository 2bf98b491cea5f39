// Instances of a cluster over a bucket of the test's, each with a directory of its own.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { clusterConfig } from '../../bin/serve/cluster.ts'
import { DISTRIBUTION } from '../../bin/serve/distribution.ts'
import { workerdBinary } from '../../bin/serve/workerd-binary.ts'
import { freePort } from './ports.ts'
import { type Server, startServer } from './processes.ts'
import { type Bucket, s3Bucket } from './s3-bucket.ts'
import { SECRET } from './secret.ts'
import { temporaryDirectory } from './serve.ts'
import { type Site, siteAt } from './site-at.ts'

export const BUCKET = 'qr-cluster'
/** What times of leases and stops are divided by: a lease lasts 10 seconds, which a slow machine renews in time. */
const TIME_DIVISOR = 2

export interface Instance {
  /** Its access key of the bucket, by which its weather is set. */
  name: string
  /** `http://127.0.0.1:…` of the service. */
  address: string
  /** Whether the cluster's port says that it serves and holds its lease. */
  isReady(): Promise<boolean>
  site(siteId: string): Site
  log(): string
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
}

export interface TestCluster {
  bucket: Bucket
  /** Starts an instance with an empty directory, and waits until it is ready. */
  join(name: string): Promise<Instance>
}

/** A cluster without instances, which ends with the test. */
export async function testCluster(): Promise<TestCluster> {
  const bucket = await s3Bucket(BUCKET)
  onTestFinished(() => bucket.close())
  const directory = temporaryDirectory()
  return {
    bucket,
    async join(name) {
      const data = join(directory, name)
      mkdirSync(data)
      // workerd tells the port of the cluster too, as one of its sockets.
      const [address, http] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
      const file = join(data, 'cluster.capnp')
      const cluster = { bucket: `s3://${BUCKET}/one`, address, key: 'k'.repeat(32) }
      writeFileSync(file, clusterConfig(cluster, TIME_DIVISOR))
      let written = ''
      const server = await startServer(
        workerdBinary(),
        [
          ...['serve', '--experimental', '--control-fd=3', `--import-path=${DISTRIBUTION}`],
          ...[`--directory-path=data=${data}`, `--directory-path=files=${join(DISTRIBUTION, 'public')}`],
          ...[`--socket-addr=http=${http}`, '--socket-addr=admin=127.0.0.1:0', file, 'config'],
        ],
        {
          ...{ TOKEN_SECRET: SECRET, PUBLIC_URL: 'http://qr.example', PAYMENT_NETWORK: 'sandbox' },
          ...{ SITE_RATE: '1000000', AWS_ENDPOINT_URL: bucket.url, AWS_REGION: 'auto' },
          ...{ AWS_ACCESS_KEY_ID: name, AWS_SECRET_ACCESS_KEY: 'secret' },
        },
        (text) => {
          written += text
        },
      )
      onTestFinished(() => server.kill())
      const instance = instanceOf(name, server, { http, cluster: address }, () => written)
      while (!(await instance.isReady())) await sleep(20)
      return instance
    },
  }
}

function instanceOf(
  name: string,
  server: Server,
  at: { http: string; cluster: string },
  log: () => string,
): Instance {
  const address = `http://${at.http}`
  return {
    name,
    address,
    log,
    isReady: async () => (await fetch(`http://${at.cluster}/ready`).catch(() => undefined))?.ok ?? false,
    site: (siteId) => siteAt(() => address, SECRET, siteId),
    stop: () => server.stop(),
    kill: () => server.kill(),
  }
}
