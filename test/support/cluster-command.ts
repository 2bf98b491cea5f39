// `npm run cluster` on the bucket of a test's cluster.
import { join } from 'node:path'
import { expect } from 'vitest'
import { CLUSTER, type TestCluster } from './cluster.ts'
import { runBeside, succeedsBeside } from './command.ts'
import { temporaryDirectory } from './serve.ts'

/** `npm run cluster -- {action}` of this bucket. */
export const clusterCommand = (of: TestCluster, action: 'fetch' | 'load', data: string) =>
  runBeside(of.bucket.settings('tool'), 'cluster', action, '--cluster', CLUSTER, '--data', data)

/** Fetches the sites of a cluster whose instances are stopped: nothing is wrong with them. @returns their directory */
export async function verifiedCopy(cluster: TestCluster, sites: number): Promise<string> {
  const directory = temporaryDirectory()
  let data = ''
  let tries = 0
  let failure: string | undefined
  const isRunning = async () => {
    data = join(directory, `data-${tries++}`)
    const { status, output } = await clusterCommand(cluster, 'fetch', data)
    failure = status === 0 ? undefined : output
    return output.includes('an instance runs, or was killed')
  }
  // One that did not stop in time, and was killed, counts as running until its lease is over.
  await expect.poll(isRunning, { timeout: 120_000, interval: 5_000 }).toBe(false)
  expect(failure).toBeUndefined()
  const verified = await succeedsBeside('verify', '--data', data)
  expect(verified).toMatch(new RegExp(`\\nsites: ${sites}, with problems: 0\\n$`))
  return data
}
