// The admin socket: which requests it answers, for it asks for no token.
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { type Served, type ServeOptions, siteOf, started, temporaryDirectory } from '../support/serve.ts'

/** Sends requests with headers that fetch does not send; the status and the text. */
async function adminSocket(settings: ServeOptions['settings'] = {}) {
  const { admin } = await started(join(temporaryDirectory(), 'data'), { settings })
  return async (method: string, path: string, headers: Record<string, string>) => {
    const [response] = await once(request(admin + path, { method, headers }).end(), 'response')
    return [response.statusCode, await text(response)]
  }
}

it('answers requests that name this machine, and no web page', async () => {
  const ask = await adminSocket()
  for (const Host of ['localhost', '127.0.0.1:9090', '[::1]:9090', 'LOCALHOST:1']) {
    expect([Host, ...(await ask('GET', '/metrics', { Host }))]).toEqual([
      Host,
      200,
      expect.stringContaining('# EOF'),
    ])
    expect(await ask('POST', '/drain', { Host })).toEqual([204, ''])
  }
  for (const Host of [
    'rebound.example',
    'rebound.example:9090',
    'localhost.example',
    '10.0.0.7',
    'a b',
    'qr.acquirer.example',
  ]) {
    const refused = [421, `Host is "${Host}", must be localhost, 127.0.0.1, [::1] or one of ADMIN_HOSTS\n`]
    for (const path of ['/metrics', '/version', '/nothing']) {
      expect([Host, path, ...(await ask('GET', path, { Host }))]).toEqual([Host, path, ...refused])
    }
    expect([Host, ...(await ask('POST', '/drain', { Host }))]).toEqual([Host, ...refused])
  }
  // A container's health check names its address.
  expect((await ask('GET', '/readyz', { Host: '10.0.0.7:9090' }))[0]).toBe(200)
  for (const Origin of ['http://rebound.example', 'http://localhost', 'null']) {
    expect(await ask('POST', '/drain', { Origin })).toEqual([
      403,
      `Origin is "${Origin}", must be absent: no web page may call the admin socket\n`,
    ])
  }
})

it('answers the names of ADMIN_HOSTS too, for a Prometheus elsewhere', async () => {
  const ask = await adminSocket({ ADMIN_HOSTS: 'fps-qr,10.0.0.7' })
  for (const Host of ['fps-qr:9090', '10.0.0.7:9090', 'localhost:9090']) {
    expect([Host, (await ask('GET', '/metrics', { Host }))[0]]).toEqual([Host, 200])
  }
  expect((await ask('GET', '/metrics', { Host: 'rebound.example' }))[0]).toBe(421)
  // The setting of the public port says nothing about this one.
  expect((await ask('GET', '/metrics', { Host: 'qr.acquirer.example' }))[0]).toBe(421)
})

it('wakes a site by its name, and nothing else', async () => {
  const { admin } = await started(join(temporaryDirectory(), 'data'))
  const wake = async (body: string) => {
    const response = await fetch(`${admin}/wake`, { method: 'POST', body })
    return [response.status, await response.text()]
  }
  expect(await wake('nobody')).toEqual([200, ''])
  expect(await wake('/readyz')).toEqual([400, 'the body is "/readyz", must be a siteId\n'])
})

it('listens on the address of --admin-ip alone, answers it, and a stop has it answer the long polls', async () => {
  const served = await started(join(temporaryDirectory(), 'data'), {
    options: ['--admin-ip', '127.0.0.2'],
    settings: { ADMIN_HOSTS: 'fps-qr' },
  })
  const at = served.admin.replace('127.0.0.1', '127.0.0.2')
  await expect(fetch(`${served.admin}/readyz`)).rejects.toThrow()
  const statusFor = async (Host: string) => {
    const [response] = await once(request(`${at}/metrics`, { headers: { Host } }).end(), 'response')
    return response.resume().statusCode
  }
  for (const Host of ['127.0.0.2:9190', 'fps-qr', 'localhost']) {
    expect([Host, await statusFor(Host)]).toEqual([Host, 200])
  }
  expect(await statusFor('rebound.example')).toBe(421)
  await expectPollsAnswered(served, at)
})

it.each(['*', '0.0.0.0', '::'])('with --admin-ip %s, a stop answers the long polls', async (ip) => {
  const served = await started(join(temporaryDirectory(), 'data'), { options: ['--admin-ip', ip] })
  await expectPollsAnswered(served, served.admin)
})

/** A stop has the service answer the long polls. @param admin the address of its admin socket */
async function expectPollsAnswered(served: Served, admin: string): Promise<void> {
  const site = siteOf(served)
  await site.create('a')
  const poll = site.ask('/sbp/qrCodes/a', { headers: { Prefer: 'wait=60' } })
  const waiting = async () => (await fetch(`${admin}/metrics`)).text()
  await expect.poll(waiting).toContain('\nfps_qr_long_polls 1\n')
  served.process.kill('SIGTERM')
  expect((await poll).status).toBe(200)
  expect(await served.ended).toBe(0)
}
