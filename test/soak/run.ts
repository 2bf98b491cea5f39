// npm run soak -- [options]: minutes or hours of everything at once, with a table of what happened.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command } from '../../bin/command.ts'
import { parseOptions } from '../../bin/options.ts'

const USAGE = `npm run soak -- [options]

  --minutes N   how long, by default 3
  --sites N     so many merchants, by default 10
  --seed N      what is chosen at random, by default 1
  --cluster     three instances over a bucket, without banks
  --help        this text

The time is divided: processes end only in the last third, but for no longer than 30 minutes. Then everything comes to rest, which takes minutes besides.
Where the system lets a user mount, the disk is one in memory of 1 GiB, which is full from time to time.`

/** A file system of its own, in a mount namespace that ends with the processes. */
const SMALL_DISK = [
  ...['unshare', '--map-root-user', '--mount', 'sh', '-c'],
  'mount -t tmpfs -o size=1g tmpfs "$0" && exec "$@"',
]

await command(USAGE, async () => {
  const count = { type: 'string' } as const
  const { values } = parseOptions({
    options: { minutes: count, sites: count, seed: count, cluster: { type: 'boolean' } },
  })
  const { cluster, ...numbers } = values
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(numbers)) {
    if (!/^\d+(\.\d+)?$/.test(value)) throw new RangeError(`--${name} is ${value}, must be a number`)
    env[name.toUpperCase()] = value
  }
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-soak-'))
  const canMount = spawnSync(SMALL_DISK[0] ?? '', [...SMALL_DISK.slice(1), directory, 'true']).status === 0
  const vitest = [
    'node_modules/.bin/vitest',
    'run',
    '--silent=false',
    '--project',
    'soak',
    `test/soak/${cluster ? 'cluster' : 'soak'}.test.ts`,
  ]
  if (!canMount) console.error('warning: this system lets no user mount: the disk is never full')
  const [name = '', ...args] = canMount ? [...SMALL_DISK, directory, ...vitest] : vitest
  const child = spawn(name, args, {
    stdio: 'inherit',
    env: { ...process.env, ...env, TMPDIR: directory },
  })
  child.once('exit', (status) => {
    rmSync(directory, { recursive: true, force: true })
    process.exitCode = status ?? 1
  })
})
