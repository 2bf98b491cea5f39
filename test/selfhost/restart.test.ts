// A restart under a socket that systemd owns, through the nginx of deploy/nginx.conf: no request is lost.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { qrCodeBody } from '../support/client.ts'
import { startNginx } from '../support/nginx.ts'
import { freePort } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import { started, temporaryDirectory } from '../support/serve.ts'

const RESTARTS = Number(process.env.RESTARTS ?? 5)
const CONNECTIONS = 8

it('restarts under load lose no request: creates are acknowledged, reads find them, long polls end', async () => {
  const ports = [await freePort(), await freePort()] as const
  const wrapper = ['python3', 'test/support/socket-unit.py', `${ports[0]}`]
  const served = await started(join(temporaryDirectory(), 'data'), { ports, wrapper })
  const nginx = await startNginx(served, false, '100000r/s')
  const token = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant', days: 1 })
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const client = nginx.client('127.0.0.3')
  const codes = '/payin/v1/sites/demo/sbp/qrCodes'

  const statuses: Record<string, number> = {}
  const count = (what: string) => {
    statuses[what] = (statuses[what] ?? 0) + 1
  }
  let isDone = false
  const load = Array.from({ length: CONNECTIONS }, async (_, n) => {
    for (let i = 0; !isDone; i++) {
      const qrCodeUid = `code-${n}-${i}`
      const body = qrCodeBody({ qrCodeUid, amount: { value: 5 } })
      const created = await client.ask(codes, { method: 'POST', headers, body })
      count(`create ${created.status}`)
      // One connection waits: a restart answers its long poll.
      const wait = n === 0 ? { Prefer: 'wait=2' } : {}
      const read = await client.ask(`${codes}/${qrCodeUid}`, { headers: { ...headers, ...wait } })
      count(`read ${read.status}`)
    }
  })
  const starts = () => served.output().split('"listening"').length - 1
  for (let restart = 1; restart <= RESTARTS; restart++) {
    await sleep(500)
    served.process.kill('SIGHUP')
    await expect.poll(starts).toBe(1 + restart)
  }
  isDone = true
  await Promise.all(load)
  console.log(`${RESTARTS} restarts: ${JSON.stringify(statuses)}`)
  expect(Object.keys(statuses).toSorted()).toEqual(['create 200', 'read 200'])
  await served.stop()
})
