// `npm run cluster` on the bucket of a test's cluster.
import { join } from 'node:path'
import { expect } from 'vitest'
import { CLUSTER, type TestCluster } from './cluster.ts'
import { runBeside, succeedsBeside } from './command.ts'
import { temporaryDirectory } from './serve.ts'

/** The settings with which commands reach the bucket. */
export const settingsOf = ({ bucket }: TestCluster) => ({
  ...{ AWS_ENDPOINT_URL: bucket.url, AWS_REGION: 'auto' },
  ...{ AWS_ACCESS_KEY_ID: 'tool', AWS_SECRET_ACCESS_KEY: 'secret' },
})

/** `npm run cluster -- {action}` of this bucket. */
export const clusterCommand = (of: TestCluster, action: 'fetch' | 'load', data: string) =>
  runBeside(settingsOf(of), 'cluster', action, '--cluster', CLUSTER, '--data', data)

/** Fetches the sites of a cluster whose instances are stopped: nothing is wrong with them. @returns their directory */
export async function verifiedCopy(cluster: TestCluster, sites: number): Promise<string> {
  const directory = temporaryDirectory()
  let data = ''
  let tries = 0
  const fetched = () => {
    data = join(directory, `data-${tries++}`)
    return clusterCommand(cluster, 'fetch', data)
  }
  // One that did not stop in time, and was killed, counts as running until its lease is over.
  await expect
    .poll(fetched, { timeout: 120_000, interval: 5_000 })
    .toEqual({ status: 0, output: expect.any(String) })
  const verified = await succeedsBeside('verify', '--data', data)
  expect(verified).toMatch(new RegExp(`\\nsites: ${sites}, with problems: 0\\n$`))
  return data
}
