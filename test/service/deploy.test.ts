// npm run deploy: what it would upload.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'fps-qr-deploy-'))
afterAll(() => rmSync(directory, { recursive: true }))

const deploy = (...options: string[]) =>
  spawnSync('npm', ['run', '-s', 'deploy', '--', ...options], {
    encoding: 'utf8',
    env: {
      ...process.env,
      // The documentation is not in question.
      WITHOUT_DOCS: 'yes',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_SEND_ERROR_REPORTS: 'false',
      // Nothing is uploaded, whatever is allowed.
      CLOUDFLARE_API_TOKEN: 'none',
      CLOUDFLARE_ACCOUNT_ID: 'none',
      CLOUDFLARE_API_BASE_URL: 'http://127.0.0.1:1',
    },
  })

/** A second file, as for staging. */
function otherFile(bankMemberId: string): string {
  const file = join(directory, 'wrangler.staging.toml')
  writeFileSync(
    file,
    readFileSync('wrangler.toml', 'utf8').replace(
      /^BANK_MEMBER_ID = .*/m,
      `BANK_MEMBER_ID = "${bankMemberId}"`,
    ),
  )
  return file
}

const EXAMPLE = '100000000000'

it.each<[string, () => string[], string]>([
  ['wrangler.toml', () => [], 'wrangler.toml'],
  ['another file', () => ['--config', otherFile(EXAMPLE)], 'wrangler.staging.toml'],
  ['another file, by =', () => [`--config=${otherFile(EXAMPLE)}`], 'wrangler.staging.toml'],
  [
    '--var',
    () => ['--config', otherFile('100000000007'), '--var', `BANK_MEMBER_ID:${EXAMPLE}`],
    'staging.toml',
  ],
  [
    '--var=',
    () => ['--config', otherFile('100000000007'), `--var=BANK_MEMBER_ID:${EXAMPLE}`],
    'staging.toml',
  ],
])('the example of BANK_MEMBER_ID is refused, before anything is built: of %s', (_, options, file) => {
  const { status, stderr } = deploy(...options())
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(
      `^BANK_MEMBER_ID of .*${file} is ${EXAMPLE}, an example: put your bank's there, or PAYMENT_NETWORK = "sandbox"\n$`,
    ),
  ])
})

it.each<[string, () => string[]]>([
  ['of another file', () => ['--config', otherFile('100000000007')]],
  ['of --var=', () => ['--var=BANK_MEMBER_ID:100000000007']],
  ['of --var', () => ['--var', 'LINKS:x', 'BANK_MEMBER_ID:100000000007']],
])('a BANK_MEMBER_ID %s is not', (_, options) => {
  // wrangler refuses what it is asked for: nothing is uploaded, and nothing of the network is needed.
  const { stderr } = deploy(...options(), '--no-such-option')
  expect(stderr).not.toContain('BANK_MEMBER_ID')
  expect(stderr).toMatch(/such-option/)
})

it('it uploads the entry, and every module that the entry imports, at once or when it is asked for', () => {
  expect(deploy('--dry-run', '--outdir', directory).status).toBe(0)
  const uploaded = readdirSync(directory).filter((name) => name.endsWith('.js'))
  const imported = uploaded.flatMap((name) =>
    Array.from(
      readFileSync(join(directory, name), 'utf8').matchAll(/["'`]\.\/([\w-]+\.js)["'`]/g),
      ([, each]) => each,
    ),
  )
  expect(new Set(['index.js', ...imported])).toEqual(new Set(uploaded))
  expect(uploaded.some((name) => name.startsWith('console-'))).toBe(true)
})
