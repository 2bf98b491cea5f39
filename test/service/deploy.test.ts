// npm run deploy: what it would upload.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'fps-qr-deploy-'))
afterAll(() => rmSync(directory, { recursive: true }))

it('the example of BANK_MEMBER_ID is refused, before anything is built', () => {
  const { status, stderr } = spawnSync('npm', ['run', '-s', 'deploy'], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    1,
    `BANK_MEMBER_ID of wrangler.toml is 100000000000, an example: put your bank's there, or PAYMENT_NETWORK = "sandbox"\n`,
  ])
})

it('it uploads the entry, and every module that the entry imports, at once or when it is asked for', () => {
  execFileSync('npm', ['run', '-s', 'deploy', '--', '--dry-run', '--outdir', directory], {
    stdio: 'pipe',
    env: {
      ...process.env,
      // The documentation is not in question.
      WITHOUT_DOCS: 'yes',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_SEND_ERROR_REPORTS: 'false',
    },
  })
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
