// A restore and a backup that are killed at each of their steps, and data that has lost the folder of all sites.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { objectsOf, partOf, registryFile } from '../../bin/data/data-directory.ts'
import { listedSites } from '../../bin/data/site-list.ts'
import { commandOf, run, succeeds } from '../support/command.ts'
import { asOperator, serve, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { errorCodeOf } from '../support/site-at.ts'

/** Data that the first test makes, and its backup. */
const prepared = mkdtempSync(join(tmpdir(), 'fps-qr-interrupted-'))
const [full, backup] = [join(prepared, 'data'), join(prepared, 'backup')]
afterAll(() => rmSync(prepared, { recursive: true }))

let directory: string
let data: string
beforeEach(async () => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
  if (!existsSync(full)) await prepare()
})

/** Makes the data of a service that has stopped: with the sites demo and other, and gone, which the operator deleted. */
async function prepare(): Promise<void> {
  const served = await started(full)
  for (const siteId of ['demo', 'other', 'gone']) expect(await siteOf(served, siteId).pay('a')).toBe(200)
  while (listedSites(full).length < 3) await sleep(20)
  const body = { siteId: 'gone', force: true }
  const deleted = await asOperator(served, '/sites/gone', { method: 'DELETE', body })
  expect(deleted.status).toBe(204)
  await served.stop()
  succeeds('backup', '--data', full, '--to', backup)
}

/** What the service says of data with which it does not start. */
async function refusedStart(): Promise<string> {
  const served = await serve(data)
  expect(await served.ended).toBe(1)
  return served.output()
}

/** Runs a command that dies at its nth change of a file or folder. @returns whether it died, or ended before */
function isKilledAt(n: number, name: string, ...args: string[]): boolean {
  const preload = join(import.meta.dirname, '../support/kill-at.ts')
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ['--import', preload, ...commandOf(name), ...args],
    { env: { ...process.env, KILL_AT: `${n}` } },
  )
  expect([status, signal, `${stderr}`]).toEqual([signal ? null : 0, signal && 'SIGKILL', `${stderr}`])
  // A child process has the lock; it can outlive the killed command for a moment.
  const lock = join(data, 'lock')
  if (signal && existsSync(lock)) expect(spawnSync('flock', ['--timeout', '60', lock, 'true']).status).toBe(0)
  return signal !== null
}

const restoreInto = ['--from', backup, '--audit-of-backup', '--data']

describe('a restore', () => {
  // It starts some fifty programs, one after the other.
  it('that is killed at any step leaves data that the service refuses until the restore is repeated', {
    timeout: 900_000,
  }, async () => {
    const outcomes = { refused: 0, empty: 0, complete: 0 }
    for (let n = 0; isKilledAt(n, 'restore', ...restoreInto, data); n++) {
      if (existsSync(objectsOf(data))) {
        // The sites were moved last.
        outcomes.complete++
        expect([n, existsSync(partOf(data)) ? readdirSync(partOf(data)) : []]).toEqual([n, []])
      } else if (!existsSync(data) || readdirSync(data).join() === 'lock') outcomes.empty++
      else {
        outcomes.refused++
        const said = await refusedStart()
        expect([n, said]).toEqual([
          n,
          expect.stringContaining(`a restore into ${data} was interrupted: repeat it`),
        ])
        // Nothing was served, so nothing was made.
        expect(existsSync(objectsOf(data))).toBe(false)
        // A repeated restore can be killed too.
        if (n % 3 === 0) isKilledAt(n % 4, 'restore', ...restoreInto, data)
        expect([n, succeeds('restore', ...restoreInto, data)]).toEqual([
          n,
          expect.stringContaining('sites restored: 3'),
        ])
      }
      if (existsSync(objectsOf(data))) {
        expect([n, succeeds('verify', '--data', data)]).toEqual([
          n,
          expect.stringContaining('sites: 3, with problems: 0'),
        ])
        expect(listedSites(data).map(({ siteId }) => siteId)).toEqual(['demo', 'gone', 'other'])
      }
      rmSync(data, { recursive: true, force: true })
    }
    // Before each folder, in each copy, before each of the two moves; before it removes what it has emptied, and before the audit
    // has its result.
    expect(outcomes).toEqual({ refused: expect.any(Number), empty: expect.any(Number), complete: 2 })
    expect(outcomes.refused).toBeGreaterThan(5)
    expect(outcomes.empty).toBeGreaterThan(0)
  })

  it('that was interrupted is given up by a word: the service begins without its sites, which are kept aside', async () => {
    let n = 0
    while (!existsSync(registryFile(data))) {
      rmSync(data, { recursive: true, force: true })
      isKilledAt(n++, 'restore', ...restoreInto, data)
    }
    expect(existsSync(objectsOf(data))).toBe(false)
    expect(run('sites', 'rebuild', '--data', data)).toEqual({
      status: 1,
      output: expect.stringContaining('was interrupted'),
    })
    const { output } = run('sites', 'rebuild', '--data', data, '--accept-loss')
    const [, kept = ''] = /^kept: (.+)$/m.exec(output) ?? []
    expect(readdirSync(objectsOf(kept).replace(/fps-qr-Site$/, ''))).toEqual(['fps-qr-Site'])
    expect(output).toContain('demo: the registry has the site, but its file is missing')
    const served = await started(data)
    expect(errorCodeOf(await siteOf(served, 'gone').create('b'))).toBe('site.deleted')
    expect((await siteOf(served, 'new').create('b')).status).toBe(200)
  })
})

it('a backup that is killed at any step is no backup, and does not change the data', () => {
  let n = 0
  for (; ; n++) {
    const to = join(directory, `${n}`)
    if (!isKilledAt(n, 'backup', '--data', full, '--to', to) || existsSync(join(to, 'backup.json'))) break
    const refused = { status: 1, output: `${to} is not a complete backup: it has no backup.json\n` }
    expect([n, run('restore', '--from', to, '--data', data, '--audit-of-backup')]).toEqual([n, refused])
    const isBegun = existsSync(objectsOf(to))
    const empty = { status: 1, output: `${to} has no data of the service\n` }
    expect([n, run('verify', '--data', to)]).toEqual([n, isBegun ? refused : empty])
    expect(existsSync(data)).toBe(false)
  }
  expect(n).toBeGreaterThan(5)
  expect(
    succeeds('restore', '--from', join(directory, `${n}`), '--data', data, '--audit-of-backup'),
  ).toContain('sites restored: 3')
  expect(succeeds('verify', '--data', full)).toContain('sites: 3, with problems: 0')
})

describe('data that has lost the folder of all sites', () => {
  const lost = () => {
    cpSync(full, data, { recursive: true })
    rmSync(objectsOf(data), { recursive: true })
  }

  it('is refused, and goes on where the folder is put back', async () => {
    lost()
    const said = await refusedStart()
    expect(said).toContain(
      `${objectsOf(data)} is missing, which had all sites: put it back, restore a backup`,
    )
    expect(said).toContain(`npm run sites -- rebuild --accept-loss --data ${data}`)
    expect(existsSync(objectsOf(data))).toBe(false)
    for (const command of ['verify', 'resume', 'backup']) {
      const to = command === 'backup' ? ['--to', join(directory, 'to')] : []
      expect([command, run(command, '--data', data, ...to)]).toEqual([
        command,
        { status: 1, output: expect.stringContaining('is missing, which had all sites') },
      ])
    }
    cpSync(objectsOf(full), objectsOf(data), { recursive: true })
    const served = await started(data)
    expect((await siteOf(served).ask('/sbp/qrCodes/a')).status).toBe(200)
  })

  it('is begun anew by a word: deleted siteIds stay deleted, and lost sites stay named', async () => {
    lost()
    expect(run('sites', 'rebuild', '--data', data)).toEqual({
      status: 1,
      output: expect.stringContaining('is missing, which had all sites'),
    })
    const { output } = run('sites', 'rebuild', '--data', data, '--accept-loss')
    for (const siteId of ['demo', 'other']) {
      expect(output).toContain(`${siteId}: the registry has the site, but its file is missing`)
    }
    const served = await started(data)
    expect(errorCodeOf(await siteOf(served, 'gone').create('b'))).toBe('site.deleted')
    expect((await siteOf(served).create('b')).status).toBe(200)
    await served.stop()
    expect(served.output()).toContain('other: the registry has the site, but its file is missing')
  })

  it.each<[string, () => void]>([
    ['that is lost', lost],
    ['whose restore was interrupted', () => mkdirSync(partOf(data), { recursive: true })],
  ])('%s is refused without the supervisor too', (_, lose) => {
    lose()
    const { status, stderr } = spawnSync('deploy/run', [data], { env: { ...process.env, WORKERD: 'true' } })
    expect([status, `${stderr}`]).toEqual([1, expect.stringContaining(`${objectsOf(data)} is missing`)])
  })

  it('that was never there is made', async () => {
    const served = await started(data)
    expect((await siteOf(served).create('a')).status).toBe(200)
    expect(run('sites', 'rebuild', '--data', join(directory, 'none'), '--accept-loss')).toEqual({
      status: 1,
      output: `${join(directory, 'none')} has no data of the service\n`,
    })
    expect(existsSync(join(directory, 'none'))).toBe(false)
  })
})
