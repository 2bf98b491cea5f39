// npm run fuzz -- [options]: hostile inputs against the production build, with a table of what was answered.
import { spawn } from 'node:child_process'
import { command } from '../../bin/command.ts'
import { parseOptions } from '../../bin/options.ts'

const USAGE = `npm run fuzz -- [options]

  --seconds N   how long; without it, by --inputs. A fifth is for banks that answer wrongly, in batches of sites that end late,
                and a tenth more for settlement files
  --inputs N    how many, by default 20000; for each 20000 come 14 sites whose banks answer wrongly to whatever they are asked,
                and 2000 settlement files of which some bytes are others
  --workers N   so many deployments beside each other, each with its part of the inputs and the next seed, by default 1
  --seed N      what is chosen at random, by default 1: the same seed gives the same inputs, but for what the service makes
  --help        this text

It prints its progress after each 20,000 inputs and each finding with the bytes that were sent, and ends with status 1 if there is one.`

await command(USAGE, () => {
  const count = { type: 'string' } as const
  const { values } = parseOptions({ options: { seconds: count, inputs: count, seed: count, workers: count } })
  for (const [name, value] of Object.entries(values))
    if (!/^\d{1,9}$/.test(value)) throw new RangeError(`--${name} is ${value}, must be a whole number`)
  const { seconds: DURATION, inputs: INPUTS, seed: SEED, workers: WORKERS } = values
  const env = {
    ...process.env,
    ...(DURATION && { DURATION }),
    ...(INPUTS && { INPUTS }),
    ...(SEED && { SEED }),
    ...(WORKERS && { WORKERS }),
  }
  const args = ['run', '--silent=false', '--project', 'selfhost', 'test/selfhost/fuzz.test.ts']
  const child = spawn('node_modules/.bin/vitest', args, { stdio: 'inherit', env })
  child.once('exit', (status) => {
    process.exitCode = status ?? 1
  })
})
