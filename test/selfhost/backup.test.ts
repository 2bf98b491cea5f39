// Backup of a service that writes, restore, resume, verify.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { alarmNames, alarmsFile } from '../../bin/data/alarms.ts'
import { auditFile, objectsOf, registryFile, siteFile } from '../../bin/data/data-directory.ts'
import { commandOf, run, succeeds, succeedsBeside } from '../support/command.ts'
import { EARLIER_BUILD } from '../support/earlier-build.ts'
import { EXTERNAL, fileOf, serve, siteOf, started, temporaryDirectory } from '../support/serve.ts'
import { errorCodeOf, type Site } from '../support/site-at.ts'

let directory: string

let data: string

beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
})

/** The uids of the QR codes of a site that are paid, and of all. */
function uidsIn(file: string): { all: Set<string>; paid: Set<string> } {
  const database = new DatabaseSync(file)
  const rows = database.prepare('SELECT qr_code_uid AS uid, status FROM qr_codes').all()
  database.close()
  const uids = (some: typeof rows) => new Set(some.map(({ uid }) => String(uid)))
  return { all: uids(rows), paid: uids(rows.filter(({ status }) => status === 'PAYED')) }
}

it('a backup under load has everything that was acknowledged before it began, and obeys every rule', async () => {
  const served = await started(data)
  const sites = ['demo', 'other'].map((siteId) => siteOf(served, siteId))
  const acknowledged = new Set<string>()
  let isRunning = true
  const client = async (site: Site, name: string) => {
    for (let n = 0; isRunning; n++) {
      expect(await site.pay(`${name}-${n}`)).toBe(200)
      acknowledged.add(`${site.siteId} ${name}-${n}`)
    }
  }
  const clients = [0, 1, 2, 3].flatMap((n) => sites.map((site) => client(site, `client-${n}`)))
  while (acknowledged.size < 200) await new Promise((resolve) => setTimeout(resolve, 20))
  const before = new Set(acknowledged)
  const backups = [join(directory, 'first'), join(directory, 'second')]
  // The process of the command is another one: the clients go on meanwhile.
  for (const to of backups) {
    const child = spawn(process.execPath, [...commandOf('backup'), '--data', data, '--to', to])
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
  }
  isRunning = false
  await Promise.all(clients)
  for (const backup of backups) {
    for (const siteId of ['demo', 'other']) {
      const { paid } = uidsIn(fileOf(backup, siteId))
      const missing = [...before].filter(
        (key) => key.startsWith(`${siteId} `) && !paid.has(key.slice(siteId.length + 1)),
      )
      expect(missing).toEqual([])
    }
    expect(succeeds('verify', '--data', backup)).toBe('sites: 2, with problems: 0\n')
  }
  await served.stop()
  expect(succeeds('verify', '--data', data)).toBe('sites: 2, with problems: 0\n')
})

describe('a restored service', () => {
  /** Site demo with a paid QR code at the time of the backup, another payment after it, and a key revoked after it. */
  async function restored(): Promise<{ feed: string; restoredData: string }> {
    const served = await started(data)
    const site = siteOf(served)
    await site.pay('before')
    await site.create('open')
    const { nextCursor } = z.object({ nextCursor: z.string() }).parse(await site.value('/events'))
    const backup = join(directory, 'backup')
    await succeedsBeside('backup', '--data', data, '--to', backup)
    await site.pay('after')
    await served.stop()
    const restoredData = join(directory, 'restored')
    const said = succeeds('restore', '--from', backup, '--data', restoredData, '--audit-of-backup')
    for (const text of [
      'sites restored: 1',
      'site.restored',
      'REVOKED_KEYS',
      'POST /operator/v1/sites/{siteId}/resume\n',
      `npm run resume -- --data ${restoredData}`,
    ])
      expect(said).toContain(text)
    return { feed: nextCursor, restoredData }
  }

  it('does not know which instructions were attempted after the backup', async () => {
    const served = await started(data, { settings: EXTERNAL })
    const site = siteOf(served)
    await site.pay('order')
    expect((await site.refund('pay-order', 'r-1', 1)).status).toBe(200)
    await served.stop()
    const database = new DatabaseSync(fileOf(data))
    database.exec('UPDATE outbox SET attempted = 0')
    database.close()
    const backup = join(directory, 'backup')
    succeeds('backup', '--data', data, '--to', backup)
    const restoredData = join(directory, 'restored')
    succeeds('restore', '--from', backup, '--data', restoredData, '--audit-of-backup')
    const copy = new DatabaseSync(fileOf(restoredData))
    const rows = copy.prepare('SELECT queue, attempted FROM outbox').all()
    copy.close()
    expect(rows.map((row) => ({ ...row }))).toEqual([{ queue: 'external', attempted: 1 }])
  })

  it('has what the backup has, ends old feed cursors, and refuses refunds until it is resumed', async () => {
    const { feed, restoredData } = await restored()
    let served = await started(restoredData)
    let site = siteOf(served)
    expect((await site.ask('/payments/pay-before')).status).toBe(200)
    expect((await site.ask('/payments/pay-after')).status).toBe(404)
    const old = await site.ask(`/events?after=${feed}`)
    expect([old.status, errorCodeOf(old)]).toEqual([410, 'events.cursor.gone'])
    const events = (await site.ask('/events')).text
    expect(events).toContain('payment.completed')

    const refused = await site.refund('pay-before', 'r-1', 1)
    expect([refused.status, errorCodeOf(refused)]).toEqual([409, 'site.restored'])
    expect((await site.ask('/payments/pay-before/refunds')).text).toBe('[]')
    // Everything else goes on.
    expect(await site.pay('new')).toBe(200)
    expect(run('resume', '--data', restoredData).status).toBe(1)
    await served.stop()
    expect(succeeds('verify', '--data', restoredData)).toBe(
      'demo: restored from a backup: no refunds and charges until POST /operator/v1/sites/demo/resume ' +
        'while the service runs, or npm run resume while it is stopped\nsites: 1, with problems: 0\n',
    )
    expect(succeeds('resume', '--data', restoredData)).toBe('sites resumed: 1\n')

    served = await started(restoredData)
    site = siteOf(served)
    expect((await site.refund('pay-before', 'r-1', 1)).status).toBe(200)
  })

  // Without the alarm, it would wait until the timeout of the test.
  it('records what is due although no request reaches the site: the alarm is restored too', async () => {
    let served = await started(data)
    const site = siteOf(served)
    await site.ask('/sbp/qrCodes', {
      method: 'POST',
      body: { qrCodeUid: 'a', qrCode: { type: 'DYNAMIC', ttl: 1 } },
    })
    const backup = join(directory, 'backup')
    succeeds('backup', '--data', data, '--to', backup)
    await served.stop()
    // The ttl ended while nothing ran.
    const database = new DatabaseSync(fileOf(backup))
    database.exec('UPDATE qr_codes SET created_at = created_at - 3600')
    database.exec('UPDATE _cf_METADATA SET value = value - 3600000000000 WHERE key = 1')
    database.close()
    rehash(backup)
    const restoredData = join(directory, 'restored')
    succeeds('restore', '--from', backup, '--data', restoredData, '--audit-of-backup')
    served = await started(restoredData)
    const recorded = () => {
      const reader = new DatabaseSync(fileOf(restoredData), { readOnly: true, timeout: 10_000 })
      const row = reader.prepare("SELECT count(*) AS count FROM events WHERE type = 'qrCode.expired'").get()
      reader.close()
      return row?.count
    }
    while (recorded() === 0) await new Promise((resolve) => setTimeout(resolve, 200))
  })
})

describe('a site whose file is corrupted in the backup', () => {
  /** Overwrites the page of a table. */
  function damage(file: string, table: string): void {
    const database = new DatabaseSync(file)
    const page = database
      .prepare(
        'SELECT page_size AS size, (SELECT rootpage FROM sqlite_schema WHERE name = ?) AS rootpage FROM pragma_page_size()',
      )
      .get(table)
    database.close()
    const bytes = readFileSync(file)
    const size = Number(page?.size)
    // The schema is in the first page, and not in itself.
    const end = Number(page?.rootpage ?? 1) * size
    bytes.fill('x', end - size, end)
    writeFileSync(file, bytes)
  }

  it.each(['outbox', 'site', 'sqlite_schema'])(
    'in %s, is not served after a restore, which restores the others',
    async (table) => {
      const first = await started(data)
      for (const siteId of ['demo', 'other']) expect(await siteOf(first, siteId).pay('a')).toBe(200)
      await expect.poll(() => run('sites', 'list', '--data', data).output).toMatch(/^demo\t.*\nother\t/)
      await first.stop()
      const backup = join(directory, 'backup')
      succeeds('backup', '--data', data, '--to', backup)
      damage(fileOf(backup), table)
      const damaged = readFileSync(fileOf(backup))
      rehash(backup)

      const restoredData = join(directory, 'restored')
      const { status, output } = run('restore', '--from', backup, '--data', restoredData, '--audit-of-backup')
      const aside = `${fileOf(restoredData)}.corrupted`
      expect([status, output]).toEqual([1, expect.stringContaining('sites restored: 1, ')])
      expect(output.match(/^demo: .*/gm)).toEqual([expect.stringMatching(/malformed|is not a database/)])
      expect(output).toContain(`; the site is not served, its file is now ${aside}\n`)
      expect(readFileSync(aside).length).toBe(damaged.length)
      expect(actsOf(restoredData)).toContainEqual({ result: 'DONE', sites: 1, problems: 1 })
      expect(run('verify', '--data', restoredData)).toEqual({
        status: 1,
        output: expect.stringContaining('demo: file is not a database'),
      })

      const served = await started(restoredData)
      const [demo, other] = [siteOf(served), siteOf(served, 'other')]
      expect([(await demo.create('b')).status, (await demo.refund('pay-a', 'r-1', 1)).status]).toEqual([
        503, 503,
      ])
      expect((await other.create('b')).status).toBe(200)
      expect(errorCodeOf(await other.refund('pay-a', 'r-1', 1))).toBe('site.restored')
      await served.stop()
      expect(succeeds('resume', '--data', restoredData)).toMatch(/^sites resumed: 1\n/)
    },
  )

  const actsOf = (of: string) => {
    const database = new DatabaseSync(auditFile(of), { readOnly: true })
    const rows = database
      .prepare(
        `SELECT result, details ->> 'sites' AS sites, details ->> 'problems' AS problems FROM acts WHERE act = 'command.restore'`,
      )
      .all()
    database.close()
    return rows.map((row) => ({ ...row }))
  }
})

/** Writes the checksum of the changed file, as if it had been backed up so. */
function rehash(backup: string): void {
  const file = join(backup, 'backup.json')
  const manifest = z
    .looseObject({ files: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(file, 'utf8')))
  manifest.files[siteFile('demo')] = createHash('sha256')
    .update(readFileSync(fileOf(backup)))
    .digest('hex')
  writeFileSync(file, JSON.stringify(manifest))
}

it('of a running service one site can be copied with its alarm alone, and be served elsewhere', async () => {
  const served = await started(data)
  for (const siteId of ['demo', 'other']) expect((await siteOf(served, siteId).create('a')).status).toBe(200)
  const alarmsOf = (of: string) => [...alarmNames(of).values()].toSorted()
  await expect.poll(() => alarmsOf(data)).toEqual(['demo', 'other'])
  const backup = join(directory, 'backup')
  expect(succeeds('backup', '--data', data, '--to', backup, '--site', 'other')).toMatch(/^sites: 1, /)
  const elsewhere = join(directory, 'elsewhere')
  succeeds('restore', '--from', backup, '--data', elsewhere, '--audit-of-backup')
  expect(alarmsOf(elsewhere)).toEqual(['other'])
  const second = await started(elsewhere)
  expect((await siteOf(second, 'other').ask('/sbp/qrCodes/a')).status).toBe(200)
  expect((await siteOf(second, 'demo').ask('/sbp/qrCodes/a')).status).toBe(404)
  expect(run('backup', '--data', data, '--to', join(directory, 'none'), '--site', 'nobody')).toEqual({
    status: 1,
    output: `${data} has no site nobody\n`,
  })
})

describe('what is not complete is refused', () => {
  async function backedUp(): Promise<string> {
    const served = await started(data)
    const site = siteOf(served)
    await site.pay('a')
    await site.create('b')
    const backup = join(directory, 'backup')
    succeeds('backup', '--data', data, '--to', backup)
    await served.stop()
    return backup
  }
  const target = () => join(directory, 'target')

  it.each<[string, (backup: string) => void, string]>([
    [
      'a backup without its manifest',
      (backup) => rmSync(join(backup, 'backup.json')),
      'is not a complete backup: it has no backup.json',
    ],
    ['a backup without a file', (backup) => rmSync(fileOf(backup)), 'is missing'],
    [
      'a backup with a changed byte',
      (backup) => {
        const bytes = readFileSync(fileOf(backup))
        bytes[5000] = (bytes[5000] ?? 0) ^ 1
        writeFileSync(fileOf(backup), bytes)
      },
      'differs from what was backed up',
    ],
    [
      'a data directory that is not empty',
      () => {
        mkdirSync(target())
        writeFileSync(join(target(), 'file'), '')
      },
      'must be an empty directory',
    ],
  ])('%s', async (_, change, text) => {
    const backup = await backedUp()
    change(backup)
    const { status, output } = run('restore', '--from', backup, '--data', target(), '--audit-of-backup')
    expect([status, output]).toEqual([1, expect.stringContaining(text)])
    expect(existsSync(objectsOf(target()))).toBe(false)
  })

  it.each<[string, (backup: string) => string]>([
    ['site', fileOf],
    ['alarms', alarmsFile],
    ['registry', registryFile],
    ['audit', auditFile],
  ])(
    'a backup whose file of the %s is missing or differs is a problem for verify, as for restore',
    async (_, fileIn) => {
      const backup = await backedUp()
      const file = fileIn(backup)
      const database = new DatabaseSync(file)
      database.exec('PRAGMA user_version = 1')
      database.close()
      const verified = () => run('verify', '--data', backup)
      expect(verified()).toEqual({
        status: 1,
        output: `sites: 1, with problems: 0; files that are not as they were backed up: 1\n${file} differs from what was backed up\n`,
      })
      rmSync(file)
      expect(verified()).toEqual({ status: 1, output: expect.stringContaining(`${file} is missing\n`) })
    },
  )

  it('a backup into a directory that is not empty, or in the data, or of no data', async () => {
    const backup = await backedUp()
    expect(run('backup', '--data', data, '--to', backup)).toEqual({
      status: 1,
      output: `--to is ${backup}, must be an empty directory\n`,
    })
    const [inside, link] = [join(data, 'backup'), join(directory, 'link')]
    symlinkSync(data, link)
    for (const [from, to] of [
      [data, inside],
      [link, inside],
      [data, join(link, 'backup')],
    ])
      expect(run('backup', '--data', from ?? '', '--to', to ?? '')).toEqual({
        status: 1,
        output: `--to is ${to}, must not be in ${from}\n`,
      })
    expect(existsSync(inside)).toBe(false)
    expect(run('backup', '--data', directory, '--to', target())).toEqual({
      status: 1,
      output: `${directory} has no data of the service\n`,
    })
  })

  it('a backup of an earlier build', async () => {
    const backup = await backedUp()
    rmSync(fileOf(backup))
    const database = new DatabaseSync(fileOf(backup))
    database.exec(EARLIER_BUILD)
    database.close()
    rehash(backup)
    expect(run('restore', '--from', backup, '--data', target(), '--audit-of-backup')).toEqual({
      status: 1,
      output: expect.stringContaining('demo: the database is of version 2 of a build before 0.3.0'),
    })
    expect(existsSync(objectsOf(target()))).toBe(false)
  })
})

// root may write everywhere, unless this is taken from it.
const asUser =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override', '--inh-caps=-dac_override'] : []
function runAsUser(name: string, ...args: string[]) {
  const [command = '', ...all] = [...asUser, process.execPath, ...commandOf(name), ...args]
  const { status, stdout, stderr } = spawnSync(command, all)
  return { status, output: `${stdout}${stderr}` }
}

describe('a backup is no data directory', () => {
  const backup = () => join(directory, 'backup')
  const refused = () =>
    `${backup()} is a backup, must be a data directory: make one with npm run restore -- --from ${backup()} --data DIR`

  beforeEach(async () => {
    const served = await started(data)
    await siteOf(served).pay('a')
    await expect.poll(() => run('sites', 'list', '--data', data).output).toMatch(/^demo\t/)
    await served.stop()
    succeeds('backup', '--data', data, '--to', backup())
  })

  it('no command changes, serves or copies it, complete or not; its sites are listed', async () => {
    for (const name of ['backup.json', 'backup.json.part']) {
      if (name !== 'backup.json') renameSync(join(backup(), 'backup.json'), join(backup(), name))
      for (const [command = '', ...args] of [
        ['resume'],
        ['sites', 'rebuild'],
        ['sites', 'forget', '--site', 'demo'],
        ['backup', '--to', join(directory, 'copy')],
      ])
        expect([command, run(command, ...args, '--data', backup())]).toEqual([
          command,
          { status: 1, output: `${refused()}\n` },
        ])
      const served = await serve(backup())
      expect([await served.ended, served.output()]).toEqual([1, expect.stringContaining(refused())])
      const env = { ...process.env, WORKERD: 'true' }
      const { status, stderr } = spawnSync('deploy/run', [backup()], { env })
      expect([status, `${stderr}`]).toEqual([1, expect.stringContaining(`${backup()} is a backup`)])
      expect(run('sites', 'list', '--data', backup()).output).toMatch(/^demo\t/)
    }
  })

  it('no command that would be refused is named for a corrupted file of it', () => {
    writeFileSync(registryFile(backup()), Buffer.alloc(8192, 'x'))
    const { output } = run('verify', '--data', backup())
    expect(output).toContain(`${registryFile(backup())} is corrupted (file is not a database)\n`)
  })

  it('it stays as it is: one that its user cannot write is listed, verified and restored', () => {
    const names = () => readdirSync(backup(), { recursive: true }).toSorted()
    const before = names()
    spawnSync('chmod', ['-R', 'a-w', backup()])
    onTestFinished(() => void spawnSync('chmod', ['-R', 'u+w', backup()]))
    const restored = join(directory, 'restored')
    for (const [command = '', ...args] of [
      ['sites', 'list', '--data', backup()],
      ['verify', '--data', backup()],
      ['restore', '--from', backup(), '--data', restored, '--audit-of-backup'],
      ['resume', '--data', restored],
    ]) {
      const { status, output } = runAsUser(command, ...args)
      expect([command, status, output]).toEqual([command, 0, output])
    }
    expect(names()).toEqual(before)
  })
})

describe('a directory that its user cannot write is named in one line', () => {
  it.each<[string, (to: string) => string[]]>([
    ['--to', (to) => ['backup', '--data', data, '--to', to]],
    ['--data', (to) => ['restore', '--from', join(directory, 'backup'), '--data', to, '--audit-of-backup']],
  ])('%s', (option, commandLine) => {
    mkdirSync(objectsOf(data), { recursive: true })
    succeeds('backup', '--data', data, '--to', join(directory, 'backup'))
    const locked = join(directory, 'locked')
    mkdirSync(locked, { mode: 0o500 })
    for (const to of [join(locked, 'a/b'), locked]) {
      const [name = '', ...args] = commandLine(to)
      expect(runAsUser(name, ...args)).toEqual({
        status: 1,
        output: `${option} is ${to}, but ${locked} cannot be written: permission denied\n`,
      })
    }
  })
})
