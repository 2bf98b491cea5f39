// Data that has lost the audit: the service does not begin another one by itself.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { auditFile, auditMark } from '../../bin/data/data-directory.ts'
import { run, succeeds } from '../support/command.ts'
import { asOperator, type Served, serve, siteOf, started, temporaryDirectory } from '../support/serve.ts'

/** Data that the first test makes. */
const prepared = mkdtempSync(join(tmpdir(), 'fps-qr-lost-audit-'))
const full = join(prepared, 'data')
afterAll(() => rmSync(prepared, { recursive: true }))

let directory: string
let data: string
beforeEach(async () => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
  if (!existsSync(full)) await prepare()
})

/** Makes the data of a service that has stopped, with an act. */
async function prepare(): Promise<void> {
  const served = await started(full)
  expect(await siteOf(served).pay('a')).toBe(200)
  expect((await asOperator(served, '/sites/demo/resume', { method: 'POST' })).status).toBe(200)
  await served.stop()
}

/** What the service says of data with which it does not start. */
async function refusedStart(): Promise<string> {
  const served = await serve(data)
  expect(await served.ended).toBe(1)
  return served.output()
}

const lost = 'is missing, the audit: put it back, or that of the last backup'
const lose = () => {
  cpSync(full, data, { recursive: true })
  rmSync(dirname(auditFile(data)), { recursive: true })
}
const auditIn = async (served: Served) => (await asOperator(served, '/audit?limit=100')).text()

it('a lost audit is refused by the start and by each command, and goes on where the folder is put back', async () => {
  lose()
  const said = await refusedStart()
  expect(said).toContain(`${auditFile(data)} ${lost}`)
  expect(said).toContain(`npm run sites -- rebuild --accept-loss --data ${data}`)
  for (const [command, ...args] of [
    ['verify'],
    ['resume'],
    ['sites', 'rebuild'],
    ['backup', '--to', join(directory, 'to')],
  ] as const)
    expect([command, run(command, ...args, '--data', data)]).toEqual([
      command,
      { status: 1, output: expect.stringContaining(lost) },
    ])
  expect(existsSync(dirname(auditFile(data)))).toBe(false)
  cpSync(dirname(auditFile(full)), dirname(auditFile(data)), { recursive: true })
  expect(await auditIn(await started(data))).toContain('"act":"site.resume"')
})

it('a lost audit whose folder is empty is refused by the start too', async () => {
  lose()
  mkdirSync(dirname(auditFile(data)))
  expect(await refusedStart()).toContain(lost)
})

it('a lost audit is given up by a word: another one begins, whose first row says so', async () => {
  lose()
  expect(succeeds('sites', 'rebuild', '--data', data, '--accept-loss')).toContain('problems: 0')
  const served = await started(data)
  const audit = await auditIn(served)
  expect(audit).toMatch(/"act":"command.rebuild".*"acceptLoss":true/)
  expect(audit).not.toContain('site.resume')
  await served.stop()
  rmSync(dirname(auditFile(data)), { recursive: true })
  expect(await refusedStart()).toContain(lost)
})

it('a lost audit is refused without the supervisor too', () => {
  lose()
  const { status, stderr } = spawnSync('deploy/run', [data], { env: { ...process.env, WORKERD: 'true' } })
  expect([status, `${stderr}`]).toEqual([1, expect.stringContaining('fps-qr-Audit is missing')])
})

it('data of an earlier version, which had no audit, starts', async () => {
  lose()
  rmSync(auditMark(data))
  const served = await started(data)
  expect(await auditIn(served)).toContain('"rows":[]')
})

it('an audit that is lost before the first act and before any restart is missed', async () => {
  const served = await started(data)
  await served.stop()
  rmSync(dirname(auditFile(data)), { recursive: true })
  expect(await refusedStart()).toContain(lost)
})
