// The operator's day on the production build: a site that is deleted, a restored one that is resumed while the service runs.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { SETTING_NAMES } from '../../bin/serve/setting-names.ts'
import { SCOPE_LIST_RULE } from '../../src/contract/access-token.ts'
import { run, succeeds } from '../support/command.ts'
import { SECRET } from '../support/secret.ts'
import {
  asOperator,
  EXTERNAL,
  fileOf,
  type Served,
  siteOf,
  started,
  temporaryDirectory,
} from '../support/serve.ts'
import { errorCodeOf } from '../support/site-at.ts'

let directory: string
let data: string
beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
})

/** The operator deletes site demo for good. */
const deleteDemo = (served: Served) =>
  asOperator(served, '/sites/demo', { method: 'DELETE', body: { siteId: 'demo', force: true } })

/** Lets a backup have been made so many days ago. */
function setAge(backup: string, days: number): void {
  const manifest = join(backup, 'backup.json')
  const time = new Date(Date.now() - days * 86_400_000).toISOString()
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, 'utf8')), time }))
}

/** The files below the data directory that contain a text. */
const filesWith = (text: string) =>
  readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file).includes(text))

const MARK = 'a-purpose-that-must-vanish'

describe('a site that is deleted while requests are in flight', () => {
  it('leaves nothing on the disk, and its token is refused, also after kill -9 and a restart', async () => {
    const served = await started(data, { settings: EXTERNAL })
    const site = siteOf(served)
    const create = (uid: string) =>
      site.ask('/sbp/qrCodes', {
        method: 'POST',
        body: { qrCodeUid: uid, qrCode: { type: 'DYNAMIC' }, paymentPurpose: MARK },
      })
    await Promise.all(Array.from({ length: 300 }, (_, i) => create(`before-${i}`)))
    expect(filesWith(MARK)).not.toEqual([])
    let isEnded = false
    const statuses = new Set<number>()
    const load = Array.from({ length: 8 }, async (_, lane) => {
      for (let i = 0; !isEnded; i++) statuses.add((await create(`${lane}-${i}`)).status)
    })
    await expect.poll(() => statuses.size).toBeGreaterThan(0)
    const removed = await deleteDemo(served)
    expect(removed.status).toBe(204)
    await expect.poll(() => statuses.has(410)).toBe(true)
    isEnded = true
    await Promise.all(load)
    expect([...statuses].toSorted()).toEqual([200, 410])
    expect(filesWith(MARK)).toEqual([])

    await served.kill()
    const again = await started(data, { settings: EXTERNAL })
    expect(errorCodeOf(await siteOf(again).create('after'))).toBe('site.deleted')
    expect((await asOperator(again, '/sites/demo')).status).toBe(410)
    expect(await (await asOperator(again, '/sites')).json()).toEqual({ sites: [] })
    await again.stop()
    expect(filesWith(MARK)).toEqual([])
    expect(succeeds('verify', '--data', data)).toContain('demo: deleted by the operator')
  })

  it('stays deleted if its file is lost: the registry has its name', async () => {
    const served = await started(data)
    await siteOf(served).create('a')
    await deleteDemo(served)
    await served.stop()
    for (const end of ['', '-wal', '-shm']) rmSync(fileOf(data) + end, { force: true })
    const again = await started(data)
    expect(errorCodeOf(await siteOf(again).create('a'))).toBe('site.deleted')
    await again.stop()
    expect(succeeds('sites', 'list', '--data', data)).toMatch(
      /^demo\t\S+Z\t""\t\S+\tdeleted by the operator\n$/,
    )
  })
})

it('a restored site says so at the start, in the metrics and to the operator, and is resumed while it is served', async () => {
  const before = await started(data, { settings: EXTERNAL })
  await siteOf(before).pay('a')
  await before.stop()
  const [backup, restored] = [join(directory, 'backup'), join(directory, 'restored')]
  succeeds('backup', '--data', data, '--to', backup)
  succeeds('restore', '--from', backup, '--data', restored, '--audit-of-backup')
  const served = await started(restored, { settings: EXTERNAL })
  const lines = served.output().split('\n').filter(Boolean)
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      level: 'warning',
      message: 'demo: restored from a backup, refunds and charges rest until it is resumed',
    }),
  )
  expect(await (await fetch(`${served.admin}/metrics`)).text()).toContain('\nfps_qr_restored_sites 1\n')
  expect(await (await asOperator(served, '/sites/demo')).json()).toMatchObject({ restored: true })
  const site = siteOf(served)
  expect(errorCodeOf(await site.refund('pay-a', 'r', 1))).toBe('site.restored')
  expect((await asOperator(served, '/sites/demo/resume', { method: 'POST' })).status).toBe(200)
  expect((await site.refund('pay-a', 'r', 1)).status).toBe(200)
  // A start reads the registry, which learns of it a minute later.
  const metrics = async () => (await fetch(`${served.admin}/metrics`)).text()
  await expect.poll(metrics, { timeout: 150_000 }).toContain('\nfps_qr_restored_sites 0\n')
  await served.stop()
  const again = await started(restored, { settings: EXTERNAL })
  expect(again.output()).not.toContain('rest until it is resumed')
})

describe('/version', () => {
  it('is on the admin socket alone, and is that of the first line of the log and of the metrics', async () => {
    const served = await started(data)
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    const build = { version, commit: expect.stringMatching(/^[0-9a-f]{40}(-dirty)?$/) }
    const answered: Record<string, unknown> = JSON.parse(
      await (await fetch(`${served.admin}/version`)).text(),
    )
    expect(answered).toEqual(build)
    expect(JSON.parse(served.output().split('\n')[0] ?? '')).toMatchObject({
      message: 'starting',
      ...answered,
    })
    const labels = `version="${version}",commit="${answered.commit}"`
    expect(await (await fetch(`${served.admin}/metrics`)).text()).toContain(
      `\nfps_qr_build_info{${labels}} 1\n`,
    )
    expect((await fetch(`${served.address}/version`)).status).toBe(404)
  })
})

describe('the log', () => {
  it('has lines of one shape: time, level, and a message or a route', async () => {
    const served = await started(data, { settings: EXTERNAL })
    await siteOf(served).pay('a')
    await served.stop()
    const lines = served.output().split('\n').filter(Boolean)
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines) {
      const { time, level, message, route } = JSON.parse(line)
      expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(600_000)
      expect(['info', 'notice', 'warning', 'error']).toContain(level)
      expect([line, typeof (message ?? route)]).toEqual([line, 'string'])
    }
  })

  it('has one line, with the site, of a notification to a name that does not resolve', async () => {
    const served = await started(data)
    const site = siteOf(served)
    const callbackUrl = 'https://no-such-host.invalid/'
    await site.ask('/settings', { method: 'PUT', body: { callbackUrl } })
    await site.ask('/settings/notificationKeys', { method: 'POST' })
    await site.pay('a')
    await expect.poll(() => served.output()).toContain('a notification was not delivered')
    await served.stop()
    const of = served
      .output()
      .split('\n')
      .filter((line) => /lookup|stack: |not delivered/.test(line))
    expect(of.length).toBeGreaterThan(0)
    for (const line of of) expect(JSON.parse(line)).toMatchObject({ level: 'warning', site: 'demo' })
  })
})

describe('the commands', () => {
  it('token reads the secret from a file of settings', async () => {
    const file = join(directory, 'settings')
    writeFileSync(file, `TOKEN_SECRET=${SECRET}\nPUBLIC_URL=https://qr.acquirer.example\n`)
    const env = { ...process.env, TOKEN_SECRET: '' }
    const args = ['--disable-warning=ExperimentalWarning', 'bin/token.ts', 'demo', '--env-file', file]
    const { stdout: output, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
    const [first, second] = stderr.split('\n')
    expect(first).toBe(`signed with TOKEN_SECRET of ${file}`)
    expect(second).toMatch(/^key [0-9a-f-]{36}, ends 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const served = await started(data)
    const response = await fetch(`${served.address}/payin/v1/sites/demo/events`, {
      headers: { Authorization: `Bearer ${output.trim()}` },
    })
    expect(response.status).toBe(200)
  })

  it.each([
    [['tea', '--scope', 'operator'], `siteId is "tea", must be '*' with scope operator or operator:read\n`],
    [
      ['tea', '--scope', 'merchant operator:read'],
      `siteId is "tea", must be '*' with scope operator or operator:read\n`,
    ],
    [['tea', '--scope', 'owner'], `scope is "owner", must be ${SCOPE_LIST_RULE}\n`],
    [['*'], 'scope is "merchant", must be operator or operator:read for *\n'],
    [['tea', '--days', '0'], 'days is 0, must be a whole number from 1 to 3650\n'],
    [
      ['tea', '--label', ' '],
      'label is " ", must be a line of 1 to 60 characters, not blank and without control characters\n',
    ],
  ])('token %j says only why it makes none', (args, reason) => {
    const env = { ...process.env, TOKEN_SECRET: SECRET }
    const ran = spawnSync(process.execPath, ['bin/token.ts', ...args], { env, encoding: 'utf8' })
    expect([ran.status, ran.stdout, ran.stderr]).toEqual([1, '', reason])
  })

  it('token makes the token of the operator, which no operation of a merchant takes', async () => {
    const args = ['run', '-s', 'token', '--', '*', '--scope', 'operator', '--label', 'anna']
    const env = { ...process.env, TOKEN_SECRET: SECRET }
    const { stdout, stderr, status } = spawnSync('npm', args, { env, encoding: 'utf8' })
    expect(status).toBe(0)
    const claims = z
      .object({ jti: z.string(), label: z.string(), exp: z.number() })
      .parse(JSON.parse(Buffer.from(stdout.split('.')[1] ?? '', 'base64url').toString()))
    const end = new Date(claims.exp * 1000).toISOString().replace('.000', '')
    expect(stderr).toContain(`key ${claims.jti}, label anna, ends ${end}\n`)
    const served = await started(data)
    const ask = async (path: string) => {
      const headers = { Authorization: `Bearer ${stdout.trim()}` }
      return (await fetch(served.address + path, { headers })).status
    }
    expect(await ask('/operator/v1/sites')).toBe(200)
    expect(await ask('/payin/v1/sites/demo/events')).toBe(403)
    expect(await ask('/network/v1/sites/demo/qrCodes')).toBe(403)
  })

  it('agree that a site which was only asked for is none', async () => {
    const served = await started(data)
    await siteOf(served).create('a')
    expect((await asOperator(served, '/sites/nosuch')).status).toBe(404)
    const size = () => statSync(fileOf(data, 'nosuch'), { throwIfNoEntry: false })?.size
    await expect.poll(size).toBeGreaterThan(0)
    const backup = join(directory, 'backup')
    expect(succeeds('backup', '--data', data, '--to', backup)).toMatch(/^sites: 1, /)
    const alone = join(directory, 'alone')
    expect(run('backup', '--data', data, '--to', alone, '--site', 'nosuch')).toEqual({
      status: 1,
      output: `${data} has no site nosuch\n`,
    })
    await served.stop()
    for (const checked of [data, backup]) {
      expect(succeeds('verify', '--data', checked)).toBe('sites: 1, with problems: 0\n')
    }
    expect(succeeds('sites', 'rebuild', '--data', data)).toMatch(/^sites: 1, .*problems: 0\n$/)
    const restored = join(directory, 'restored')
    expect(succeeds('restore', '--from', backup, '--data', restored, '--audit-of-backup')).toContain(
      'sites restored: 1,',
    )
  })

  it('backup deletes complete backups beside the new one that are older, and nothing else; damaged ones are named', async () => {
    const served = await started(data)
    await siteOf(served).create('a')
    const folder = join(directory, 'backups')
    const backup = (name: string, ...more: string[]) =>
      succeeds('backup', '--data', data, '--to', join(folder, name), ...more)
    for (const name of ['old', 'new']) backup(name)
    setAge(join(folder, 'old'), 8)
    mkdirSync(join(folder, 'incomplete'))
    for (const [name, text] of [
      ['cut', '{"time":'],
      ['shapeless', '{}'],
    ] as const) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'backup.json'), text)
    }
    const said = backup('newest', '--verify', '--keep-days', '7')
    expect(said).toContain('sites: 1, with problems: 0\n')
    expect(said).toContain(`deleted: ${join(folder, 'old')}\n`)
    for (const name of ['cut', 'shapeless']) {
      const damaged = join(folder, name)
      expect(said).toContain(
        `warning: ${damaged} is not deleted: ${join(damaged, 'backup.json')} cannot be read: `,
      )
    }
    expect(readdirSync(folder).toSorted()).toEqual(['cut', 'incomplete', 'new', 'newest', 'shapeless'])
    expect(run('backup', '--data', data, '--to', join(folder, 'x'), '--keep-days', '0').output).toContain(
      '--keep-days is 0',
    )
  })

  it('backup keeps the last backup of a site that the data has lost, however old it is', async () => {
    const served = await started(data)
    await siteOf(served).create('a')
    const folder = join(directory, 'backups')
    for (const [name, days] of [
      ['older', 9],
      ['old', 8],
    ] as const) {
      succeeds('backup', '--data', data, '--to', join(folder, name))
      setAge(join(folder, name), days)
    }
    symlinkSync('old', join(folder, 'latest'))
    const anew = join(directory, 'anew')
    await (await started(anew)).stop()
    const options = ['--to', join(folder, 'new'), '--keep-days', '7']
    const said = succeeds('backup', '--data', anew, ...options)
    expect(said).toContain(`kept: ${join(folder, 'old')}, sites that no later backup has: 1\n`)
    expect(said).toContain(`deleted: ${join(folder, 'older')}\n`)
    expect(readdirSync(folder).toSorted()).toEqual(['latest', 'new', 'old'])
  })

  it('backup of one site deletes no other backup', async () => {
    const options = ['--data', data, '--to', join(directory, 'one'), '--site', 'demo', '--keep-days', '7']
    expect(run('backup', ...options)).toEqual({
      status: 1,
      output: '--keep-days is given with --site, must be with a backup of all sites\n',
    })
  })

  it('backup --verify deletes nothing where the copy has problems', async () => {
    const served = await started(data)
    await siteOf(served).create('a')
    const folder = join(directory, 'backups')
    const old = join(folder, 'old')
    succeeds('backup', '--data', data, '--to', old)
    setAge(old, 8)
    await served.stop()
    const database = new DatabaseSync(fileOf(data, 'demo'))
    database.exec("UPDATE qr_codes SET status = 'CANCELLED'")
    database.close()
    const options = ['--data', data, '--to', join(folder, 'new'), '--verify', '--keep-days', '7']
    const { status, output } = run('backup', ...options)
    expect([status, output]).toEqual([1, expect.stringContaining('with problems: 1\n')])
    expect(output).toContain(`${join(folder, 'new')} has problems: older backups are kept`)
    expect(readdirSync(folder).toSorted()).toEqual(['new', 'old'])
  })
})

it('settings.example names every setting', () => {
  const text = readFileSync('deploy/settings.example', 'utf8')
  const named = Array.from(text.matchAll(/^(?:# )?([A-Z_]+)=/gm), ([, name]) => name)
  expect(named.toSorted()).toEqual([...SETTING_NAMES].toSorted())
})
