// Restarts and upgrades under a socket that systemd owns, through the nginx of deploy/nginx.conf: no request is lost.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, symlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { SITE } from '../../src/site/database/schema.ts'
import { qrCodeBody } from '../support/client.ts'
import { laterVersion } from '../support/later-version.ts'
import { startNginx } from '../support/nginx.ts'
import { freePort } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import { type Served, started, temporaryDirectory } from '../support/serve.ts'

/** A checkout of 209e88ca, which is 0.3.0, with its build and its packages. */
const { RELEASE } = process.env
const RESTARTS = Number(process.env.RESTARTS ?? 5)
/** Every other one goes back. */
const UPGRADES = 2 * Math.ceil(Number(process.env.UPGRADES ?? 2) / 2)
const CONNECTIONS = 8
const CODES = '/payin/v1/sites/demo/sbp/qrCodes'

/** Serves by the socket's unit; SIGHUP restarts the service. */
async function startUnit(data: string, from?: string): Promise<Served> {
  const ports = [await freePort(), await freePort()] as const
  const wrapper = ['python3', 'test/support/socket-unit.py', 'deploy/fps-qr.socket', `${ports[0]}`]
  return started(data, { ports, wrapper, checkout: from ?? '' })
}

/** How often the service has started. */
const starts = (served: Served) => served.output().split('"listening"').length - 1

/** Restarts under load. @returns how many answers of each kind there were, and the uids that a create acknowledged */
async function restartUnderLoad(
  served: Served,
  count: number,
  prepare: (restart: number) => void = () => {},
) {
  const nginx = await startNginx(served, false, '100000r/s')
  const token = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant', days: 1 })
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const client = nginx.client('127.0.0.3')

  const statuses: Record<string, number> = {}
  const add = (what: string) => {
    statuses[what] = (statuses[what] ?? 0) + 1
  }
  const acknowledged: string[] = []
  let longestMs = 0
  let isDone = false
  const load = Array.from({ length: CONNECTIONS }, async (_, n) => {
    for (let i = 0; !isDone; i++) {
      const qrCodeUid = `code-${n}-${i}`
      const body = qrCodeBody({ qrCodeUid, amount: { value: 5 } })
      const from = performance.now()
      const created = await client.ask(CODES, { method: 'POST', headers, body })
      longestMs = Math.max(longestMs, performance.now() - from)
      add(`create ${created.status}`)
      if (created.status === 200) acknowledged.push(qrCodeUid)
      // One connection waits: a restart answers its long poll.
      const wait = n === 0 ? { Prefer: 'wait=2' } : {}
      const read = await client.ask(`${CODES}/${qrCodeUid}`, { headers: { ...headers, ...wait } })
      add(`read ${read.status}`)
    }
  })
  for (let restart = 1; restart <= count; restart++) {
    await sleep(500)
    prepare(restart)
    served.process.kill('SIGHUP')
    await expect.poll(() => starts(served), { timeout: 180_000 }).toBe(1 + restart)
  }
  isDone = true
  await Promise.all(load)
  const found: number[] = []
  for (const uid of acknowledged) found.push((await client.ask(`${CODES}/${uid}`, { headers })).status)
  console.log(
    `${count} restarts: ${JSON.stringify(statuses)}, the longest create ${Math.round(longestMs)} ms`,
  )
  return { kinds: Object.keys(statuses).toSorted(), found: new Set(found) }
}

const NOTHING_LOST = { kinds: ['create 200', 'read 200'], found: new Set([200]) }

it('restarts under load lose no request: creates are acknowledged, reads find them, long polls end', async () => {
  const served = await startUnit(join(temporaryDirectory(), 'data'))
  expect(await restartUnderLoad(served, RESTARTS)).toEqual(NOTHING_LOST)
  await served.stop()
}, 3_600_000)

it('a connection that has sent nothing when the service ends is answered by the next one', async () => {
  const served = await startUnit(join(temporaryDirectory(), 'data'))
  const { hostname, port } = new URL(served.address)
  const sockets = Array.from({ length: 5 }, () => connect(Number(port), hostname))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  served.process.kill('SIGHUP')
  await expect.poll(() => starts(served), { timeout: 180_000 }).toBe(2)
  const answers = sockets.map(async (socket) => {
    // A write to a connection that was closed fails; then there is no answer.
    socket.on('error', () => {})
    socket.write('GET /healthz HTTP/1.1\r\nHost: demo\r\nConnection: close\r\n\r\n')
    return (await text(socket).catch(() => '')).slice(0, 'HTTP/1.1 200'.length)
  })
  expect(await Promise.all(answers)).toEqual(sockets.map(() => 'HTTP/1.1 200'))
  await served.stop()
}, 600_000)

/** Upgrades under load; every second restart goes back. @returns what `verify` of this build says of the data */
async function upgradeAndBack([older, newer]: readonly [string, string]): Promise<string> {
  const directory = temporaryDirectory()
  const [link, data] = [join(directory, 'release'), join(directory, 'data')]
  const install = (release: string) => {
    symlinkSync(release, `${link}.next`)
    renameSync(`${link}.next`, link)
  }
  install(older)
  const served = await startUnit(data, link)
  expect(await restartUnderLoad(served, UPGRADES, (n) => install(n % 2 === 1 ? newer : older))).toEqual(
    NOTHING_LOST,
  )
  await served.stop()
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'bin/data/verify.ts', '--data', data],
    { encoding: 'utf8' },
  )
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

it('an upgrade to a version with more tables, and the way back, lose no request and no data', async () => {
  const verified = await upgradeAndBack([resolve('.'), laterVersion()])
  expect(verified).toContain(`demo: of version ${SITE.versions.length + 1} of the schema`)
}, 3_600_000)

it.runIf(RELEASE)(
  'an upgrade from 0.3.0, and the way back, lose no request and no data',
  async () => {
    const release = resolve(RELEASE ?? '')
    const { stdout: commit } = spawnSync('git', ['-C', release, 'rev-parse', 'HEAD'], { encoding: 'utf8' })
    expect(commit).toMatch(/^209e88ca/)
    await upgradeAndBack([release, resolve('.')])
  },
  3_600_000,
)
