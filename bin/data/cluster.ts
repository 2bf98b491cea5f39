// npm run cluster: brings the sites of a cluster into a data directory, and back (docs/cluster.md).
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { command } from '../command.ts'
import { parseOptions, readEnvFile, required } from '../options.ts'
import { BUCKET, CLUSTER_SETTINGS } from '../serve/cluster.ts'
import { DISTRIBUTION } from '../serve/distribution.ts'
import { type BucketSettings, LOADING, openBucket } from './bucket.ts'
import { fetchSites } from './fetch-sites.ts'
import { loadSites } from './load-sites.ts'
import { peopleText } from './restored-people.ts'

const USAGE = `npm run cluster -- fetch --cluster s3://BUCKET/PREFIX --data DIR [--env-file FILE]
npm run cluster -- load --data DIR --cluster s3://BUCKET/PREFIX [--env-file FILE]

  fetch             copies all sites of a cluster into an empty directory, on which all commands of a data directory work: a
                    backup, a check, a move to one machine. It is like a restored backup. All instances are stopped
  load              brings a data directory, whose service is stopped, into an empty prefix, and compares all rows
                    afterwards. The directory is of no service any more then

  --cluster URL     the bucket; its credentials and address are settings of the environment, as npm run serve has them
  --data DIR        the data directory
  --env-file FILE   settings, as NAME=value; the environment overrides them`

await command(USAGE, async () => {
  const { values, positionals } = parseOptions({
    options: { cluster: { type: 'string' }, data: { type: 'string' }, 'env-file': { type: 'string' } },
    allowPositionals: true,
  })
  const [action] = positionals
  if (action !== 'fetch' && action !== 'load') {
    throw new Error(`the first word is ${action ?? 'missing'}, must be fetch or load`)
  }
  const data = resolve(required('--data', values.data))
  const { cluster = '' } = values
  if (!BUCKET.test(cluster)) throw new Error(`--cluster is ${cluster}, must be s3://bucket/prefix`)
  if (!existsSync(DISTRIBUTION)) throw new Error(`${DISTRIBUTION} is missing: npm run build`)
  const settings = bucketSettings(values['env-file'])
  const bucket = openBucket(cluster, settings)
  if (action === 'load') {
    console.log(`sites loaded: ${await loadSites(bucket, settings, data)}, all rows are equal`)
    return
  }
  if ((await bucket.read(LOADING)) !== undefined) {
    throw new Error(`${cluster} has a load of sites that did not end: it lacks some`)
  }
  const { sites, problems, people } = await fetchSites(bucket, settings, data)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  console.log(`sites fetched: ${sites}; refunds and charges wait until npm run resume -- --data ${data}`)
  if (people.size > 0) console.log(peopleText(people))
})

/** The settings of the bucket that workerd reads; the key of the cluster is not needed, and is left out. */
function bucketSettings(file: string | undefined): BucketSettings {
  const given = file === undefined ? {} : parseEnv(readEnvFile(file))
  const names = CLUSTER_SETTINGS.filter((name) => name !== 'CLUSTER_KEY')
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name] ?? given[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
