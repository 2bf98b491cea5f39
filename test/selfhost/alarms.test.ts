// What is due is done, whatever became of the alarms of workerd: after a restore, a lost file, a clock that was wrong.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { objectsOf } from '../../bin/data/data-directory.ts'
import { workerdBinary } from '../../bin/serve/workerd-binary.ts'
import { hasClock, shiftedClock } from '../support/clock.ts'
import { run, succeeds } from '../support/command.ts'
import { freePort } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import {
  EXTERNAL,
  fileOf,
  removeAlarms,
  SETTINGS,
  serve,
  siteOf,
  started,
  temporaryDirectory,
} from '../support/serve.ts'
import { type Site, siteAt } from '../support/site-at.ts'

let directory: string
let data: string
beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
})

const alarmsFile = (of = data) => join(objectsOf(of), 'metadata.sqlite')

/** A connector that takes instructions while it is up, and reports nothing. */
async function connector() {
  const taken: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (!up.isUp) return request.socket.destroy()
    const { data } = z
      .object({ data: z.object({ refundUid: z.string() }) })
      .parse(JSON.parse(Buffer.concat(chunks).toString()))
    taken.push(data.refundUid)
    response.writeHead(202).end()
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const up = {
    isUp: false,
    taken,
    settings: { ...EXTERNAL, NETWORK_URL: `http://127.0.0.1:${port}/` },
    /** Waits for an instruction, longer than until its third attempt. */
    async took(refundUid: string) {
      for (let n = 0; n < 1500 && !taken.includes(refundUid); n++) await sleep(100)
      expect(taken).toContain(refundUid)
    },
  }
  return up
}

/** A site with a refund that waits for a connector which is down. */
async function waiting(site: Site, refundUid: string): Promise<void> {
  expect(await site.pay(`order-${refundUid}`)).toBe(200)
  expect((await site.refund(`pay-order-${refundUid}`, refundUid, 1)).status).toBe(200)
}

/** What a file of SQLite has. */
function rowsOf(file: string, query: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  try {
    return database
      .prepare(query)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    database.close()
  }
}

const attempted = async (file: string) => {
  while (rowsOf(file, "SELECT 1 FROM outbox WHERE queue = 'external' AND attempts <> '[]'").length === 0)
    await sleep(50)
}

it('a restored site that is resumed sends its instructions at once, though nobody calls it', async () => {
  const network = await connector()
  let served = await started(data, { settings: network.settings })
  await waiting(siteOf(served), 'r-1')
  const backup = join(directory, 'backup')
  succeeds('backup', '--data', data, '--to', backup)
  await served.stop()
  const restored = join(directory, 'restored')
  succeeds('restore', '--from', backup, '--data', restored, '--audit-of-backup')
  // Its alarm rings, and finds a queue that rests.
  served = await started(restored, { settings: network.settings })
  await siteOf(served).ask('/sbp/qrCodes')
  await sleep(1000)
  await served.stop()
  // It failed for long before the backup.
  const database = new DatabaseSync(fileOf(restored))
  database.exec('UPDATE outbox SET due_at = due_at + 1800000, send_at = send_at + 1800000')
  database.close()
  succeeds('resume', '--data', restored)
  network.isUp = true
  await started(restored, { settings: network.settings })
  await network.took('r-1')
})

describe('without the file of alarms', () => {
  async function withoutAlarms() {
    const network = await connector()
    const served = await started(data, { settings: network.settings })
    await waiting(siteOf(served), 'r-1')
    await attempted(fileOf(data))
    await served.stop()
    removeAlarms(data)
    network.isUp = true
    return network
  }

  it('the start of the service wakes every site that has work', async () => {
    const network = await withoutAlarms()
    await started(data, { settings: network.settings })
    await network.took('r-1')
  })

  it('one that lacks the row of a site: the start wakes that site', async () => {
    const network = await connector()
    const served = await started(data, { settings: network.settings })
    await waiting(siteOf(served), 'r-1')
    await attempted(fileOf(data))
    await served.stop()
    const database = new DatabaseSync(alarmsFile())
    database.exec('DELETE FROM _cf_ALARM')
    database.close()
    network.isUp = true
    const again = await started(data, { settings: network.settings })
    await network.took('r-1')
    await expect.poll(again.output).toContain('"all sites are checked","sites":1')
  })

  it('a site that is called sends what is due, also where its own copy of the alarm says that it is set', async () => {
    const network = await withoutAlarms()
    const port = await freePort()
    // Without the supervisor, which would make the alarms.
    const child: ChildProcess = spawn(
      'dist/fps-qr/run',
      [data, `--socket-addr=http=127.0.0.1:${port}`, `--socket-addr=admin=127.0.0.1:${await freePort()}`],
      {
        stdio: 'ignore',
        env: { ...process.env, ...SETTINGS, ...network.settings, WORKERD: workerdBinary() },
      },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    const address = `http://127.0.0.1:${port}`
    while (!(await fetch(`${address}/healthz`).catch(() => undefined))?.ok) await sleep(20)
    const site = siteAt(() => address, SECRET, 'demo')
    expect((await site.ask('/sbp/qrCodes/order-r-1')).status).toBe(200)
    await network.took('r-1')
  })
})

it('a backup without rows of alarms is restored with those that its sites need, with their names', async () => {
  const served = await started(data, { settings: EXTERNAL })
  for (const siteId of ['demo', 'other']) await waiting(siteOf(served, siteId), 'r-1')
  const backup = join(directory, 'backup')
  succeeds('backup', '--data', data, '--to', backup)
  await served.stop()
  const database = new DatabaseSync(alarmsFile(backup))
  database.exec('DELETE FROM _cf_ALARM')
  database.close()
  const manifest = join(backup, 'backup.json')
  const hash = createHash('sha256')
    .update(readFileSync(alarmsFile(backup)))
    .digest('hex')
  const text = readFileSync(manifest, 'utf8').replace(/("metadata.sqlite": ")\w+/, `$1${hash}`)
  writeFileSync(manifest, text)
  const restored = join(directory, 'restored')
  succeeds('restore', '--from', backup, '--data', restored, '--audit-of-backup')
  const rows = rowsOf(alarmsFile(restored), 'SELECT actor_name FROM _cf_ALARM ORDER BY actor_name')
  expect(rows).toEqual([{ actor_name: 'demo' }, { actor_name: 'other' }])
})

it.runIf(hasClock)(
  'after a clock that was 23 hours ahead, instructions go out at once, though nobody calls the site',
  async () => {
    const clock = shiftedClock(directory)
    const network = await connector()
    const settings = { ...network.settings, ...clock.settings }
    clock.set(23)
    const served = await started(data, { settings })
    const site = siteOf(served)
    for (const refundUid of ['r-1', 'r-2', 'r-3', 'r-4']) await waiting(site, refundUid)
    // The queue is probed, and the next probe is 23 hours ahead.
    while (rowsOf(fileOf(data), 'SELECT 1 FROM endpoints WHERE failures >= 3').length === 0) await sleep(50)
    await sleep(1500)
    network.isUp = true
    clock.set(0)
    for (const refundUid of ['r-1', 'r-2', 'r-3', 'r-4']) await network.took(refundUid)
    expect(served.output()).toContain('the clock went back by')
  },
)

describe('a corrupted file of alarms', () => {
  it('ends the start, which names it; so does verify; a command makes it from the tables of the sites', async () => {
    const network = await connector()
    const first = await started(data, { settings: network.settings })
    await waiting(siteOf(first), 'r-1')
    await first.stop()
    removeAlarms(data)
    writeFileSync(alarmsFile(), Buffer.alloc(8192, 'x'))

    const served = await serve(data, { settings: network.settings })
    expect(await served.ended).toBe(1)
    const named = `${alarmsFile()} is corrupted (file is not a database): npm run sites -- rebuild --data ${data}`
    expect(served.output()).toContain(named)
    const verified = run('verify', '--data', data)
    expect([verified.status, verified.output]).toEqual([1, expect.stringContaining(named)])
    expect(verified.output).toContain('sites: 1, with problems: 0; other files with problems: 1\n')

    expect(succeeds('sites', 'rebuild', '--data', data)).toContain('sites: 1, with work: 1')
    expect(existsSync(`${alarmsFile()}.corrupted`)).toBe(true)
    expect(succeeds('verify', '--data', data)).toBe('sites: 1, with problems: 0\n')
    network.isUp = true
    await started(data, { settings: network.settings })
    await network.took('r-1')
  })
})
