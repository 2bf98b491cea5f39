// Many sites in one process of the connector: it reads its configuration again and again while QR codes are registered.
// RELOADS=50 SITES=200 npm run test:connector -- reload-under-load is the full size.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { awaitReloads } from '../../connector/commands/reload.ts'
import { Meta, openDatabase } from '../../connector/disk/database.ts'
import { tokenOf } from '../support/network-service.ts'
import { afterwards, launched, register, registerData, surroundings } from './harness.ts'
import { runCommand, spawnConnector, startProcess, until } from './process.ts'

const SITES = Number(process.env.SITES ?? 40)
const RELOADS = Number(process.env.RELOADS ?? 10)
const CLIENTS = 8

it(`${RELOADS} reloads while ${SITES} sites register codes: none fails, none is registered twice`, async () => {
  const at = await surroundings({
    get now() {
      return Date.now()
    },
  })
  const siteIds = Array.from({ length: SITES }, (_, i) => `shop-${i}`)
  for (const siteId of [...siteIds, 'extra']) {
    const file = join(at.directory, `${siteId}.token`)
    writeFileSync(file, tokenOf(siteId))
    if (siteId === 'extra') continue
    Object.assign(at.config.sites, { [siteId]: { token: { file }, bank: 'tbank-cafe' } })
  }
  const connector = await startProcess(at)
  const counts = { registered: 0, reloads: 0 }
  const keys = new Map<string, string>()
  let isOver = false
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let i = client; !isOver; i += CLIENTS) {
      const siteId = siteIds[i % SITES] ?? ''
      const data = registerData(at, siteId)
      const send = () => at.service.instruct('qrCode.register', data, Date.now())
      // The service repeats a request whose answer it has lost.
      const answers = await Promise.all(i % 5 === 0 ? [send(), send()] : [send()])
      for (const { status, body } of answers) {
        const causes = connector.lines.filter((line) => line.includes('a code was not registered'))
        expect([siteId, status, body, causes]).toEqual([siteId, 200, body, []])
        const payload = String(body.payload)
        expect(keys.get(data.key) ?? payload).toBe(payload)
        keys.set(data.key, payload)
      }
      counts.registered++
    }
  })
  const done = () =>
    connector.lines.filter((line) => line.includes('the configuration was read again')).length
  const refused = () =>
    connector.lines.filter((line) => line.includes('the configuration has a fault')).length
  const reloading = async () => {
    for (; counts.reloads < RELOADS; counts.reloads++) {
      const before = done() + refused()
      const registered = counts.registered
      // Every third file has a fault, the others another site that comes or goes.
      const isFaulty = counts.reloads % 3 === 2
      const more = {
        token: { file: join(at.directory, `${isFaulty ? 'shop-0' : 'extra'}.token`) },
        bank: 'tbank-cafe',
      }
      const sites = counts.reloads % 3 === 0 ? at.config.sites : { ...at.config.sites, extra: more }
      const file = join(at.directory, 'connector.json')
      writeFileSync(file, JSON.stringify({ ...at.config, sites }))
      connector.child.kill('SIGHUP')
      await until(() => done() + refused() > before && counts.registered > registered)
    }
    isOver = true
  }
  await Promise.all([reloading(), ...clients])
  console.log(JSON.stringify({ ...counts, done: done(), refused: refused() }))
  expect([done() + refused(), refused()]).toEqual([RELOADS, Math.floor(RELOADS / 3)])
  // One session of the bank for each key: nothing was registered twice, and nothing was lost.
  expect([at.tbank.sessions.size, new Set(keys.values()).size]).toEqual([keys.size, keys.size])
})

it('the command reload says whether the file is in force, and names its faults', async () => {
  const at = await surroundings({ now: Date.now() })
  const connector = await startProcess(at)
  expect(await runCommand(at, 'reload')).toMatchObject({ code: 0, lines: ['the configuration is in force'] })
  await register(at, 'cafe')
  const site = { token: { file: '/nowhere/bar.token' }, bank: 'tbank-cafe' }
  Object.assign(at.config.sites, { bar: site })
  const faulty = await runCommand(at, 'reload')
  const fault = expect.stringMatching(/^sites\.bar\.token: the file cannot be read: ENOENT/)
  expect(faulty).toMatchObject({ code: 1, lines: [fault], errors: '' })
  expect(connector.lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({
      level: 'error',
      message: 'the configuration has a fault, and was not changed',
      fault,
    }),
  )
  await register(at, 'cafe')
  await connector.kill('SIGTERM')
  expect(await runCommand(at, 'reload')).toMatchObject({
    ...{ code: 0, lines: ['no connector runs on this directory: it reads its configuration when it starts'] },
  })
})

it('the command reload does not take the answer to an earlier one, which has read the file of before', async () => {
  const at = await surroundings({ now: Date.now() })
  const connector = await startProcess(at)
  const token = join(at.directory, 'tea.token')
  execFileSync('mkfifo', [token])
  Object.assign(at.config.sites.tea, { token: { file: token } })
  writeFileSync(join(at.directory, 'connector.json'), JSON.stringify(at.config))
  connector.child.kill('SIGHUP')
  // Opened: the connector has read the file, and waits for the token.
  const first = await open(token, 'w')
  const site = { token: { file: '/nowhere/bar.token' }, bank: 'tbank-cafe' }
  Object.assign(at.config.sites, { bar: site })
  const command = runCommand(at, 'reload')
  const database = openDatabase(join(at.directory, 'data'), at.clock.now)
  const meta = new Meta(database)
  await until(() => meta.get('reloadsAsked') === '1')
  await first.writeFile(tokenOf('tea'))
  await first.close()
  // Until then the connector can still have the pipe open, and would take the end of the second one for that of the first.
  await until(() => meta.get('lastReload') !== undefined)
  database.close()
  const second = await open(token, 'w')
  expect(await Promise.race([command, sleep(500)])).toBeUndefined()
  await second.writeFile(tokenOf('tea'))
  await second.close()
  expect(await command).toMatchObject({ code: 1, lines: [expect.stringMatching(/^sites\.bar\.token: /)] })
})

it('a reload is for the process that runs now: one that was killed is not signalled', async () => {
  const at = await surroundings({ now: Date.now() })
  const killed = await startProcess(at)
  await killed.kill('SIGKILL')
  expect((await runCommand(at, 'reload')).lines).toEqual([
    'no connector runs on this directory: it reads its configuration when it starts',
  ])
  await startProcess(at)
  await sleep(1)
  expect((await runCommand(at, 'reload')).lines).toEqual(['the configuration is in force'])
})

it('SIGHUP while the connector starts ends nothing, and has it read its configuration again', async () => {
  const at = await surroundings({ now: Date.now() })
  const [file, token] = [join(at.directory, 'connector.json'), join(at.directory, 'tea.token')]
  execFileSync('mkfifo', [token])
  const { tea, ...sites } = at.config.sites
  writeFileSync(
    file,
    JSON.stringify({ ...at.config, sites: { ...sites, tea: { ...tea, token: { file: token } } } }),
  )
  const options = ['--config', file, '--data', join(at.directory, 'data'), '--port', '0']
  const connector = spawnConnector(at, options)
  afterwards(() => connector.kill('SIGKILL'))
  let output = ''
  connector.stdout?.on('data', (data) => {
    output += String(data)
  })
  // Opened: the connector waits for the token.
  const pipe = await open(token, 'w')
  connector.kill('SIGHUP')
  writeFileSync(file, JSON.stringify({ ...at.config, sites }))
  await pipe.writeFile(tokenOf('tea'))
  await pipe.close()
  await expect.poll(() => output).toContain('"message":"the configuration was read again","sites":3')
})

it('SIGHUP ends nothing where its answer cannot be stored: the log has the error', async () => {
  const { at, core, log } = await launched()
  const database = openDatabase(join(at.directory, 'full'), at.clock.now)
  const others = process.listeners('SIGHUP')
  awaitReloads()(database, core.log, () => [])
  database.close()
  process.emit('SIGHUP')
  for (const each of process.listeners('SIGHUP')) if (!others.includes(each)) process.off('SIGHUP', each)
  expect(log).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'the answer to a reload was not stored' }),
  )
})
