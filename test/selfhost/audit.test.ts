// The audit on the production build: kill -9, restarts, backups, restores and commands take nothing away from it.
// RUNS=20 tries as many histories, from SEED on.

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { auditFile, registryFile } from '../../bin/data/data-directory.ts'
import { mintToken } from '../../bin/mint-token.ts'
import { run, succeeds, succeedsBeside } from '../support/command.ts'
import { randomOf } from '../support/random.ts'
import { SECRET } from '../support/secret.ts'
import {
  asOperator,
  EXTERNAL,
  type Served,
  serve,
  siteOf,
  started,
  temporaryDirectory,
  workerdOf,
} from '../support/serve.ts'

const RUNS = Number(process.env.RUNS ?? 1)
const SEED = Number(process.env.SEED ?? 1)
/** Of a history, besides a backup as the first one, and an act and a restore as the last. */
const STEPS = 6

let directory: string
let data: string
beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
})

const [anna = '', boris = ''] = await Promise.all(
  ['anna', 'boris'].map((label) => mintToken(SECRET, { siteId: '*', scope: 'operator', days: 1, label })),
)
const idOf = (token: string) =>
  String(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti)

/** Changes the audit as nobody may: without its triggers. */
function changeAudit(sql: string): void {
  const database = new DatabaseSync(auditFile(data))
  database.exec(`DROP TRIGGER acts_are_not_deleted; DROP TRIGGER acts_are_not_changed; ${sql}`)
  database.close()
}

const ask = (served: Served, below: string, method = 'GET', token = anna) =>
  asOperator(served, below, { method, token })

const Page = z.object({
  rows: z.array(
    z.object({
      number: z.int(),
      act: z.string(),
      siteId: z.string().optional(),
      label: z.string().optional(),
      details: z.record(z.string(), z.unknown()),
      result: z.string(),
      intent: z.int().optional(),
    }),
  ),
})
/** The rows, the oldest first. */
const rowsOf = async (served: Served) =>
  Page.parse(await (await ask(served, '/audit?limit=100')).json()).rows.toReversed()
const actsIn = (rows: Awaited<ReturnType<typeof rowsOf>>) => rows.map(({ act, result }) => `${act} ${result}`)

it('every act that was answered is there after kill -9, a backup, a restore and the commands, with the same number', async () => {
  const served = await started(data, { settings: EXTERNAL })
  await siteOf(served).pay('a')
  expect((await ask(served, '/sites/demo/resume', 'POST')).status).toBe(200)
  await served.kill()

  const again = await started(data, { settings: EXTERNAL })
  const first = await rowsOf(again)
  expect(actsIn(first)).toEqual(['site.resume STARTED', 'site.resume DONE'])
  const backup = join(directory, 'backup')
  await succeedsBeside('backup', '--data', data, '--to', backup)
  // After the backup.
  await ask(again, '/sites/demo', 'GET', boris)
  expect((await ask(again, `/keys/${idOf(boris)}`, 'DELETE')).status).toBe(204)
  expect(await (await ask(again, '/sites/demo/export')).text()).toContain('"kind":"end"')
  const known = await rowsOf(again)
  await again.kill()

  const restored = join(directory, 'restored')
  succeeds('restore', '--from', backup, '--data', restored, '--before', data)
  succeeds('resume', '--data', restored)
  succeeds('sites', 'rebuild', '--data', restored)
  expect(succeeds('verify', '--data', restored)).toContain('with problems: 0\n')
  const last = await started(restored, { settings: EXTERNAL })
  const rows = await rowsOf(last)
  expect(rows.slice(0, known.length)).toEqual(known)
  expect(actsIn(rows.slice(known.length))).toEqual([
    'command.restore STARTED',
    'command.restore DONE',
    'command.resume STARTED',
    'command.resume DONE',
    'command.rebuild STARTED',
    'command.rebuild DONE',
  ])
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, i) => i + 1))
  // The registry is the backup's, but a key that was revoked since stays revoked.
  expect((await ask(last, '/sites', 'GET', boris)).status).toBe(401)
  expect((await ask(last, '/sites')).status).toBe(200)
})

it(`no sequence of acts, kills, backups and restores makes an act vanish, or changes one, ${RUNS} times`, {
  timeout: 60_000 + RUNS * 120_000,
}, async () => {
  for (let run = 0; run < RUNS; run++) {
    const random = randomOf(SEED + run)
    const steps: string[] = []
    const name = (what: string) => join(directory, `${run}-${what}-${steps.length}`)
    let current = name('data')
    let served = await started(current, { settings: EXTERNAL })
    await siteOf(served).pay('a')
    const backups: string[] = []
    /** What was answered with success: those acts have both rows. */
    let answered = 0
    let known: Awaited<ReturnType<typeof rowsOf>> = []
    /** Asks for an act; killed while it runs, it may have happened. */
    const act = async (isKilled: boolean) => {
      const asked = ask(served, '/sites/demo/resume', 'POST').then(
        ({ ok }) => ok,
        () => false,
      )
      if (isKilled) {
        await sleep(random.below(30))
        await served.kill()
      }
      if (await asked) answered++
      if (isKilled) served = await started(current, { settings: EXTERNAL })
    }
    const drawn = Array.from({ length: STEPS }, () =>
      random.weighted({ act: 4, killedAct: 3, backup: 2, restore: 2 }),
    )
    for (const what of ['backup', ...drawn, 'act', 'restore'] as const) {
      steps.push(what)
      if (what === 'act') await act(false)
      else if (what === 'killedAct') await act(true)
      else if (what === 'backup') {
        const to = name('backup')
        await succeedsBeside('backup', '--data', current, '--to', to)
        backups.push(to)
      } else {
        await served.kill()
        const next = name('data')
        const from = backups[random.below(backups.length)] ?? ''
        succeeds('restore', '--from', from, '--data', next, '--before', current)
        current = next
        served = await started(current, { settings: EXTERNAL })
      }
      const rows = await rowsOf(served)
      const seen = { seed: SEED + run, steps, rows: actsIn(rows) }
      expect({ ...seen, rows: rows.slice(0, known.length) }).toEqual({ ...seen, rows: known })
      expect(rows.map(({ number }) => number)).toEqual(rows.map((_, i) => i + 1))
      const done = rows.filter((row) => row.act === 'site.resume' && row.result === 'DONE').length
      expect(done).toBeGreaterThanOrEqual(answered)
      const restores = steps.filter((each) => each === 'restore').length
      expect(rows.filter((row) => row.act === 'command.restore')).toHaveLength(2 * restores)
      known = rows
    }
    await served.stop()
    expect(succeeds('verify', '--data', current)).toContain('with problems: 0\n')
  }
})

it('without --before it is the backup’s, by a word and recorded; one that lacks rows of the backup is refused, and nothing is restored', async () => {
  const served = await started(data)
  await siteOf(served).pay('a')
  await ask(served, '/sites/demo/resume', 'POST')
  await served.stop()
  const [backup, restored, other] = ['backup', 'restored', 'other'].map((name) => join(directory, name))
  succeeds('backup', '--data', data, '--to', backup ?? '')
  const another = await started(other ?? '')
  await siteOf(another).pay('a')
  await another.stop()
  const refused = run('restore', '--from', backup ?? '', '--data', restored ?? '', '--before', other ?? '')
  expect([refused.status, refused.output]).toEqual([
    1,
    expect.stringContaining('its audit lacks rows that the backup has'),
  ])
  const bare = ['restore', '--from', backup ?? '', '--data', restored ?? ''] as const
  for (const words of [[], ['--audit-of-backup', '--before', data]])
    expect(run(...bare, ...words)).toEqual({
      status: 1,
      output: expect.stringContaining('whose audit goes on'),
    })
  expect(existsSync(restored ?? '')).toBe(false)
  expect(succeeds(...bare, '--audit-of-backup')).toContain('the audit is that of the backup')
  const last = await started(restored ?? '')
  const rows = await rowsOf(last)
  expect(actsIn(rows)).toEqual([
    'site.resume STARTED',
    'site.resume DONE',
    'command.restore STARTED',
    'command.restore DONE',
  ])
  for (const { details } of rows.slice(2)) expect(details).toMatchObject({ audit: 'of the backup' })
})

it('a restore refuses --before while its service runs, or where that is a backup', async () => {
  const served = await started(data)
  await siteOf(served).pay('a')
  const [backup, restored] = [join(directory, 'backup'), join(directory, 'restored')]
  await succeedsBeside('backup', '--data', data, '--to', backup)
  const restore = (before: string) => run('restore', '--from', backup, '--data', restored, '--before', before)
  expect(restore(data)).toEqual({
    status: 1,
    output: `${data} is in use by process ${workerdOf(data)}: stop it first\n`,
  })
  expect(restore(backup).output).toContain(`${backup} is a backup, must be a data directory`)
  expect(existsSync(restored)).toBe(false)
  await served.stop()
  expect(restore(data)).toMatchObject({ status: 0 })
})

it.each([
  ['was revoked', '', 401],
  ['was revoked when the result could not be written', 'DELETE FROM acts WHERE number = 2', 401],
  ['was not revoked', "UPDATE acts SET result = 'REFUSED' WHERE number = 2", 200],
])(
  'a registry that is lost is made anew: a key of an operator that %s is so again',
  async (_, change, status) => {
    const served = await started(data)
    await siteOf(served).pay('a')
    await ask(served, `/keys/${idOf(boris)}`, 'DELETE')
    await served.stop()
    changeAudit(change)
    for (const end of ['', '-wal', '-shm']) rmSync(registryFile(data) + end, { force: true })
    const again = await started(data)
    expect((await ask(again, '/sites', 'GET', boris)).status).toBe(status)
  },
)

it('an audit that cannot be read stops no merchant: acts are 503, the start and verify name it, and a command does nothing', async () => {
  const served = await started(data)
  await siteOf(served).pay('a')
  await ask(served, '/sites/demo/resume', 'POST')
  await served.stop()
  for (const end of ['-wal', '-shm']) rmSync(auditFile(data) + end, { force: true })
  writeFileSync(auditFile(data), 'not a database, and long enough to be one'.repeat(200))
  expect(run('verify', '--data', data).output).toContain(`the audit ${auditFile(data)} cannot be read`)
  const resumed = run('resume', '--data', data)
  expect([resumed.status, resumed.output]).toEqual([1, expect.not.stringContaining('sites resumed')])
  const again = await serve(data)
  await expect.poll(() => again.output()).toContain('acts of operators are refused')
  await expect.poll(() => siteOf(again).pay('b')).toBe(200)
  expect((await ask(again, '/sites/demo/resume', 'POST')).status).toBe(503)
  expect((await ask(again, '/sites/demo')).status).toBe(200)
})

it.each([
  [
    'rows that somebody took away',
    'DELETE FROM acts WHERE number = 2',
    'it has 3 rows, the last one is 4: rows are missing',
  ],
  [
    'the result of an act without its intent',
    'UPDATE acts SET intent = NULL WHERE number = 2',
    'row 2 is the result of an act without an intent',
  ],
])('verify finds %s', async (_, change, problem) => {
  const served = await started(data)
  await siteOf(served).pay('a')
  for (let i = 0; i < 2; i++) await ask(served, '/sites/demo/resume', 'POST')
  await served.stop()
  changeAudit(change)
  const { status, output } = run('verify', '--data', data)
  expect([status, output]).toEqual([1, expect.stringContaining(problem)])
})
