// The list of sites: a file that is lost is noticed, and the list is made from the files.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { objectsOf, registryFile } from '../../bin/data/data-directory.ts'
import { listedSites } from '../../bin/data/site-list.ts'
import { run, succeeds } from '../support/command.ts'
import { asOperator, fileOf, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { errorCodeOf } from '../support/site-at.ts'

let directory: string
let data: string
beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
})

const listed = (): string[] => listedSites(data).map(({ siteId }) => siteId)
const removeFile = (file: string) => {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
}

/** Data that the first test makes which needs it. */
const prepared = mkdtempSync(join(tmpdir(), 'fps-qr-sites-'))
afterAll(() => rmSync(prepared, { recursive: true }))

/** The data of a service that has stopped, with the listed sites demo and other. */
async function twoSites(): Promise<void> {
  if (readdirSync(prepared).length === 0) {
    const served = await started(data)
    for (const siteId of ['demo', 'other']) expect(await siteOf(served, siteId).pay('a')).toBe(200)
    while (listed().length < 2) await sleep(20)
    await served.stop()
    cpSync(data, prepared, { recursive: true })
  } else cpSync(prepared, data, { recursive: true })
}

it('a site that is deleted and can still be restored is marked with the end of its data, while the service runs', async () => {
  const served = await started(data, { settings: { DELETION_DAYS: '7' } })
  await siteOf(served).create('a')
  const removed = await asOperator(served, '/sites/demo', {
    method: 'DELETE',
    body: { siteId: 'demo', force: true },
  })
  expect(removed.status).toBe(202)
  await expect
    .poll(() => run('sites', 'list', '--data', data).output)
    .toMatch(
      /^demo\t\S+Z\t""\t\S+\tdeleted by the operator, its data until 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/,
    )
})

it('every site that was written to is listed, with the name of its shop in quotes, while the service runs', async () => {
  const served = await started(data)
  const site = siteOf(served)
  expect((await siteOf(served, 'read').ask('/sbp/qrCodes')).status).toBe(200)
  await site.create('a')
  await site.ask('/settings', { method: 'PUT', body: { name: 'deleted by the operator' } })
  const list = () => run('sites', 'list', '--data', data).output
  while (!list().includes('deleted')) await sleep(20)
  expect(list()).toMatch(
    /^demo\t20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\t"deleted by the operator"\tfps-qr-Site\/[0-9a-f]{64}\.sqlite\n$/,
  )
})

it('a deleted site keeps its siteId: one whose file is gone is no problem, and is not forgotten', async () => {
  const served = await started(data)
  await siteOf(served).create('a')
  const body = { siteId: 'demo', force: true }
  expect((await asOperator(served, '/sites/demo', { method: 'DELETE', body })).status).toBe(204)
  await served.stop()
  for (const lose of [removeFile, (file: string) => writeFileSync(file, '')]) {
    lose(fileOf(data))
    expect(succeeds('sites', 'list', '--data', data)).toMatch(/\tdeleted by the operator\n$/)
    expect(succeeds('verify', '--data', data)).toMatch(/^sites: [01], with problems: 0\n$/)
    expect(run('sites', 'forget', '--data', data, '--site', 'demo')).toEqual({
      status: 1,
      output: '--site is demo, must not be a deleted site: its siteId is never used again\n',
    })
  }
  const again = await started(data)
  expect(errorCodeOf(await siteOf(again).create('a'))).toBe('site.deleted')
})

describe('the file of a listed site', () => {
  const LOSSES: [string, (file: string) => void, string][] = [
    ['that is deleted', removeFile, 'its file is missing'],
    [
      'that is emptied',
      (file) => {
        removeFile(file)
        writeFileSync(file, '')
      },
      'its file has been emptied',
    ],
    [
      'that is replaced by another database',
      (file) => {
        const database = new DatabaseSync(file)
        database.exec("UPDATE site SET epoch = 'another'")
        database.close()
      },
      'with another database than its file has',
    ],
  ]

  it.each(LOSSES)(
    '%s is a problem for verify, and the start of the service says so',
    async (_, lose, text) => {
      await twoSites()
      lose(fileOf(data))
      const problem = `demo: the registry has the site`
      const verified = run('verify', '--data', data)
      expect([verified.status, verified.output]).toEqual([1, expect.stringContaining(problem)])
      expect(verified.output).toContain(text)
      expect(verified.output).toContain('with problems: 1')
      const served = await started(data)
      await expect.poll(served.output).toContain(problem)
      expect(served.output()).toContain(text)
      // A start with many sites does not take longer.
      expect(served.output().indexOf(problem)).toBeGreaterThan(served.output().indexOf('"listening"'))
      // Other sites are not affected.
      expect((await siteOf(served, 'other').create('b')).status).toBe(200)
      await served.stop()
      expect(run('sites', 'list', '--data', data).output).toContain(text)
    },
  )

  it('that is deleted and made anew by a request is still a problem', async () => {
    await twoSites()
    removeFile(fileOf(data))
    const served = await started(data)
    expect((await siteOf(served).create('a')).status).toBe(200)
    while (!served.output().includes('another database than the registry knows')) await sleep(20)
    await served.stop()
    expect(run('verify', '--data', data)).toMatchObject({
      status: 1,
      output: expect.stringContaining('with another database than its file has'),
    })
    // The operator accepts it.
    expect(succeeds('sites', 'rebuild', '--data', data)).toContain('problems: 0')
    expect(succeeds('verify', '--data', data)).toBe('sites: 2, with problems: 0\n')
  })

  it('that was removed on purpose is forgotten, one that is there is not', async () => {
    await twoSites()
    expect(run('sites', 'forget', '--data', data, '--site', 'demo')).toMatchObject({
      status: 1,
      output: expect.stringContaining('site demo has a file, must be removed first'),
    })
    removeFile(fileOf(data))
    expect(succeeds('sites', 'forget', '--data', data, '--site', 'demo')).toBe('forgotten: demo\n')
    expect(listed()).toEqual(['other'])
    expect(succeeds('verify', '--data', data)).toBe('sites: 1, with problems: 0\n')
  })

  it('that has the database of another site is named', async () => {
    await twoSites()
    removeFile(fileOf(data))
    renameSync(fileOf(data, 'other'), fileOf(data))
    const { status, output } = run('sites', 'rebuild', '--data', data)
    expect(status).toBe(1)
    expect(output).toContain('it has the database of site other')
    expect(output).toContain('other: the registry has the site, but its file is missing')
  })
})

describe('the registry', () => {
  it.each<[string, () => void]>([
    ['that is lost', () => rmSync(join(data, 'fps-qr-Registry'), { recursive: true })],
    ['that is corrupted', () => writeFileSync(registryFile(data), Buffer.alloc(8192, 'x'))],
    ['that is cut short', () => truncateSync(registryFile(data), 4096)],
  ])('%s is made from the tables of the sites', async (_, lose) => {
    await twoSites()
    lose()
    expect(succeeds('sites', 'rebuild', '--data', data)).toBe('sites: 2, with work: 0, problems: 0\n')
    expect(listed()).toEqual(['demo', 'other'])
    const served = await started(data)
    expect((await siteOf(served, 'third').create('a')).status).toBe(200)
    while (listed().length < 3) await sleep(20)
    await served.stop()
    expect(succeeds('verify', '--data', data)).toBe('sites: 3, with problems: 0\n')
  })

  it('of earlier versions, which had none, is made at the start', async () => {
    await twoSites()
    rmSync(join(data, 'fps-qr-Registry'), { recursive: true })
    await started(data)
    expect(listed()).toEqual(['demo', 'other'])
  })

  it('is in a backup, and a restore keeps what it says of a site whose file is lost', async () => {
    await twoSites()
    removeFile(fileOf(data))
    const [backup, restored] = [join(directory, 'backup'), join(directory, 'restored')]
    succeeds('backup', '--data', data, '--to', backup)
    expect(run('verify', '--data', backup).output).toContain('demo: the registry has the site')
    const { output } = run('restore', '--from', backup, '--data', restored, '--audit-of-backup')
    expect(output).toContain('demo: the registry has the site, but its file is missing')
    expect(output).toContain(fileOf(restored))
    expect(readdirSync(objectsOf(restored))).not.toContain('part')
    expect(run('verify', '--data', restored).output).toContain('other: restored from a backup')
    expect(run('verify', '--data', restored).output).toContain('with problems: 1')
  })

  it('in a backup of one site has that site alone', async () => {
    await twoSites()
    const backup = join(directory, 'backup')
    succeeds('backup', '--data', data, '--to', backup, '--site', 'other')
    expect(succeeds('verify', '--data', backup)).toBe('sites: 1, with problems: 0\n')
    expect(
      succeeds('restore', '--from', backup, '--data', join(directory, 'restored'), '--audit-of-backup'),
    ).toContain('sites restored: 1')
  })
})

it('the commands of Moving a site take one to another machine, and the others stay', async () => {
  await twoSites()
  const [, section = ''] = readFileSync('docs/self-hosting.md', 'utf8').split('\n## Moving a site\n')
  const [save = '', take = '', forget = ''] = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(
    ([, block]) => block,
  )
  const node = `${process.execPath} --disable-warning=ExperimentalWarning`
  const other = join(directory, 'other')
  const follow = (block: string, machine: string) => {
    const steps = block
      .replaceAll('tea', 'other')
      .replaceAll(/^(systemctl|chown) .*$/gm, '')
      .replaceAll('-o fps-qr ', '')
      .replaceAll('runuser -u fps-qr -- ', '')
      .replaceAll('/var/lib/fps-qr', machine)
      .replaceAll('/var/backups/fps-qr', join(directory, 'backups'))
      .replaceAll(/\bfps-qr (?=sites|backup|restore|resume)/g, `${node} bin/data/`)
      .replaceAll(/(?<=bin\/data\/)(\w+)/g, '$1.ts')
    const done = spawnSync('sh', ['-euc', steps], { encoding: 'utf8' })
    expect([done.status, done.stderr]).toEqual([0, ''])
  }
  follow(save, data)
  follow(take, other)
  follow(forget, data)
  const sitesOf = (of: string) => listedSites(of).map(({ siteId }) => siteId)
  expect([sitesOf(data), sitesOf(other)]).toEqual([['demo'], ['other']])
  for (const of of [data, other])
    expect(succeeds('verify', '--data', of)).toBe('sites: 1, with problems: 0\n')
})
