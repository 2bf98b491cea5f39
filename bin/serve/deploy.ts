// npm run deploy: bundles the Worker into dist/worker and uploads it by wrangler, whose options it takes.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { EXAMPLE_BANK_MEMBER_ID } from '../../src/config.ts'
import { bundle } from './bundle.ts'
import { configuration } from './wrangler.ts'

const root = join(import.meta.dirname, '../..')
const options = process.argv.slice(2)

/** The value of an option of wrangler's, as `--config FILE` or `--config=FILE`. */
function optionOf(...names: string[]): string | undefined {
  for (const [i, option] of options.entries()) {
    const [, name = option, value] = /^(--?[\w-]+)=(.*)$/s.exec(option) ?? []
    if (names.includes(name)) return value ?? options[i + 1]
  }
}

const file = optionOf('--config', '-c') ?? 'wrangler.toml'
const { vars } = configuration(file)

/** A var as it would be uploaded: `--var NAME:VALUE` takes several, and is also `--var=NAME:VALUE`. */
function varOf(name: string): unknown {
  const given = options
    .map((option) => option.replace(/^--var=/, ''))
    .findLast((option) => option.startsWith(`${name}:`))
  return given === undefined ? vars[name] : given.slice(name.length + 1)
}

const isExample =
  varOf('BANK_MEMBER_ID') === EXAMPLE_BANK_MEMBER_ID &&
  varOf('PAYMENT_NETWORK') !== 'sandbox' &&
  // With LINKS=connector the links come from the bank.
  varOf('LINKS') !== 'connector'
if (isExample && !options.includes('--dry-run')) {
  console.error(
    `BANK_MEMBER_ID of ${file} is ${EXAMPLE_BANK_MEMBER_ID}, an example: put your bank's there, or PAYMENT_NETWORK = "sandbox"`,
  )
  process.exit(1)
}
await bundle(join(root, 'dist/worker'))
const upload = ['deploy', 'dist/worker/index.js', '--no-bundle', '--no-minify', ...options]
process.exit(spawnSync('wrangler', upload, { cwd: root, stdio: 'inherit' }).status ?? 1)
