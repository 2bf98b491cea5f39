// deploy/haproxy.cfg in front of three instances: it follows /readyz, so a rolling restart fails no request.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ErrorAnswer } from '../../src/contract/error-answer.ts'
import { load, losses } from '../support/acknowledged.ts'
import { testCluster } from '../support/cluster.ts'
import { startHaProxy } from '../support/haproxy.ts'
import { startNginx } from '../support/nginx.ts'
import { freePort } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import { siteAt } from '../support/site-at.ts'

const SITES = Array.from({ length: 6 }, (_, number) => `site-${number}`)
const NAMES = ['a', 'b', 'c']

it('a rolling restart behind the shipped file fails no request, and loses nothing', async () => {
  // An instance takes requests after SIGTERM for as long as in production.
  const cluster = await testCluster({ timeDivisor: 1 })
  const instances = await Promise.all(NAMES.map((name) => cluster.join(name)))
  const { address, log } = await startHaProxy(
    instances.map((instance) => instance.address),
    // A machine that is slow is not an instance that is down.
    { checkTimeout: '20s' },
  )
  const balanced = { site: (siteId: string) => siteAt(() => address, SECRET, siteId) }
  const requests = load(() => [balanced], SITES, 6)
  await requests.more(30)
  for (const instance of instances) {
    const ups = () => log().split(`fps_qr/${instance.name} is UP`).length
    const before = ups()
    await instance.stop()
    // Of the others' requests none waited for it.
    await requests.more(10)
    await cluster.join(instance.name)
    while (ups() === before) await sleep(50)
  }
  await requests.more(30)
  await requests.end()
  for (const name of NAMES)
    expect(log()).toContain(`fps_qr/${name} is DOWN, reason: Layer7 wrong status, code: 503`)
  expect(requests.failures).toEqual([])
  expect(await losses(balanced, requests.acknowledged)).toEqual([])
}, 600_000)

it('without an instance the answer is that of nginx: the error object of the contract', async () => {
  const addresses = await Promise.all(NAMES.map(async () => `http://127.0.0.1:${await freePort()}`))
  const nginx = await startNginx(await startHaProxy(addresses))
  const answer = await nginx.client('127.0.0.2').ask('/payin/v1/sites/demo/sbp/qrCodes')
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5'])
  expect(ErrorAnswer.parse(JSON.parse(answer.text)).errorCode).toBe('service.unavailable')
})
