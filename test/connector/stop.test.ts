// The end of the connector by a signal.
import { Agent, get } from 'node:http'
import { expect, it } from 'vitest'
import { surroundings } from './harness.ts'
import { startProcess } from './process.ts'

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
