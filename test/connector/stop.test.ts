// The end of the connector by a signal.
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { registerData, surroundings } from './harness.ts'
import { startProcess, until } from './process.ts'

it('SIGTERM ends it while a client sends one request after the other on the connection that it keeps', async () => {
  const connector = await startProcess(await surroundings())
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answered: (string | undefined)[] = []
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      get(`${connector.url}/healthz`, { agent }, (response) => {
        answered.push(response.headers.connection)
        response.resume().once('end', resolve)
      }).once('error', reject)
    })
  for (let n = 0; n < 3; n++) await ask()
  const requests = (async () => {
    for (;;) await ask()
  })().catch(() => {})
  await connector.kill('SIGTERM')
  await requests
  expect(connector.child.exitCode).toBe(0)
  expect(answered.slice(0, 3)).toEqual(Array(3).fill('keep-alive'))
})

it('SIGTERM on a full disk ends it after the requests in flight, which get their answers', async () => {
  const at = await surroundings({ now: Date.now() })
  const connector = await startProcess(at)
  const allowed = Promise.withResolvers<void>()
  at.tbank.beforeExecution = () => allowed.promise
  const asked = at.service.instruct('qrCode.register', registerData(at, 'cafe'), at.clock.now)
  await until(() => at.tbank.calls.length > 0)
  const database = new DatabaseSync(join(at.directory, 'data/connector.sqlite'))
  database.exec(`PRAGMA busy_timeout = 10000; CREATE TRIGGER full BEFORE DELETE ON meta
    BEGIN SELECT raise(ABORT, 'database or disk is full'); END`)
  database.close()
  const ended = connector.kill('SIGTERM')
  await until(() => connector.lines.some((line) => line.includes('disk is full')))
  allowed.resolve()
  expect((await asked).status).toBe(200)
  await ended
  expect(connector.child.exitCode).toBe(0)
})
