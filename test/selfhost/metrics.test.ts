// Static files and metrics of the production build.
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { run } from '../support/command.ts'
import { SECRET } from '../support/secret.ts'
import { type Served, siteOf, started, temporaryDirectory } from '../support/serve.ts'

let data: string
beforeEach(() => {
  data = join(temporaryDirectory(), 'data')
})

describe('static files', () => {
  const files = readdirSync('public', { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && file.name !== '_headers')
    .map(({ parentPath, name }) => join(parentPath, name))

  it('every file of public/ is served as it is, with its type, and 304 where the client has it', async () => {
    const { address } = await started(data)
    for (const file of files) {
      const url = address + file.slice('public'.length)
      const response = await fetch(url)
      expect([file, response.status]).toEqual([file, 200])
      expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(file)), file).toBe(true)
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
      const type = response.headers.get('Content-Type') ?? ''
      expect(type).toMatch(
        file.endsWith('.js') ? /^text\/javascript/ : /^(text\/|image\/|font\/|application\/)/,
      )
      const again = await fetch(url, { headers: { 'If-None-Match': response.headers.get('ETag') ?? '' } })
      expect([again.status, await again.text()]).toEqual([304, ''])
      const head = await fetch(url, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
    }
    for (const path of ['/_headers', '/FILES', '/page.js/', '/%2e%2e/index.js']) {
      expect([path, (await fetch(address + path)).status]).toEqual([path, 404])
    }
    expect((await fetch(`${address}/page.js`, { method: 'POST' })).status).toBe(404)
  })
})

describe('metrics', () => {
  it('count what happened, on the admin socket only', async () => {
    const served = await started(data)
    const site = siteOf(served)
    await site.create('a')
    await site.create('a')
    await site.pay('b')
    await site.ask('/sbp/qrCodes/none')
    const poll = site.ask('/sbp/qrCodes/a', { headers: { Prefer: 'wait=60' } })
    await served.longPolls(1)
    const response = await fetch(`${served.admin}/metrics`)
    expect(response.headers.get('Content-Type')).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    )
    const text = await response.text()
    await site.pay('a')
    await poll
    const create = 'method="POST",route="/payin/v1/sites/:siteId/sbp/qrCodes"'
    const read = 'method="GET",route="/payin/v1/sites/:siteId/sbp/qrCodes/:qrCodeUid"'
    for (const line of [
      `fps_qr_requests_total{${create},status="200"} 3`,
      `fps_qr_requests_total{${read},status="404"} 1`,
      `fps_qr_request_seconds_bucket{${create},le="+Inf"} 3`,
      `fps_qr_request_seconds_count{${create}} 3`,
      'fps_qr_qr_codes_total{replayed="false"} 2',
      'fps_qr_qr_codes_total{replayed="true"} 1',
      'fps_qr_payments_total{status="COMPLETED",applied="true"} 1',
      'fps_qr_refused_writes_total 0',
      'fps_qr_long_polls 1',
    ]) {
      expect(text.split('\n')).toContain(line)
    }
    expect(text.endsWith('\n# EOF\n')).toBe(true)
    const after = await (await fetch(`${served.admin}/metrics`)).text()
    expect(after).toContain('\nfps_qr_long_polls 0\n')
    expect(after).toContain(`fps_qr_requests_total{${read},status="200"} 1`)
    // It waited: its time is not the service's.
    expect(after).toContain(`fps_qr_request_seconds_count{${read}} 1`)
    expect((await fetch(`${served.address}/metrics`)).status).toBe(404)
    expect((await fetch(`${served.admin}/payin/v1/sites/demo/sbp/qrCodes`)).status).toBe(404)
  })

  it('count a long poll no longer whose client resets its connection', async () => {
    const served = await started(data)
    const token = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant', days: 1 })
    const client = connect(Number(new URL(served.address).port), '127.0.0.1')
    client.on('error', () => {})
    client.write(
      `GET /payin/v1/sites/demo/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
        'Prefer: wait=60\r\n\r\n',
    )
    await served.longPolls(1)
    client.resetAndDestroy()
    await served.longPolls(0)
  })

  const metricsOf = async ({ admin }: Served) => (await fetch(`${admin}/metrics`)).text()

  it('say when the last backup of all sites was complete, after a restart too', async () => {
    const served = await started(data)
    await siteOf(served).create('a')
    expect(await metricsOf(served)).toContain('\nfps_qr_last_backup_time_seconds 0\n')
    const backUp = (to: string, ...args: string[]) =>
      run('backup', '--data', data, '--to', join(dirname(data), to), ...args)
    const port = ['--admin-port', new URL(served.admin).port]
    expect(backUp('one', '--site', 'demo', ...port)).toEqual({
      status: 1,
      output: '--admin-port is given with --site, must be with a backup of all sites\n',
    })
    expect(backUp('untold').status).toBe(0)
    expect(await metricsOf(served)).toContain('\nfps_qr_last_backup_time_seconds 0\n')
    const from = Date.now() / 1000
    expect(backUp('told', ...port).status).toBe(0)
    const [, time] = /\nfps_qr_last_backup_time_seconds (\S+)\n/.exec(await metricsOf(served)) ?? []
    expect(Number(time)).toBeGreaterThanOrEqual(from)
    await served.stop()
    expect(backUp('nobody', ...port)).toEqual({
      status: 0,
      output: expect.stringContaining('warning: the service was not told of the backup'),
    })
    expect(await metricsOf(await started(data))).toContain(`\nfps_qr_last_backup_time_seconds ${time}\n`)
  })

  it('count the starts that no stop preceded', async () => {
    const starts = async (served: Served) =>
      /\nfps_qr_unplanned_starts_total (\d+)\n/.exec(await metricsOf(served))?.[1]
    const first = await started(data)
    expect([await starts(first), await starts(first)]).toEqual(['0', '0'])
    await first.stop()
    const planned = await started(data)
    expect(await starts(planned)).toBe('0')
    await planned.kill()
    const unplanned = await started(data)
    expect([await starts(unplanned), await starts(unplanned)]).toEqual(['1', '1'])
  })

  it('/healthz and /readyz answer on both sockets', async () => {
    const served = await started(data)
    for (const url of [served.address, served.admin].flatMap((base) => [
      `${base}/healthz`,
      `${base}/readyz`,
    ])) {
      const response = await fetch(url, { headers: { Host: 'anything.example' } })
      expect([url, response.status, await response.text()]).toEqual([url, 200, '{"status":"ok"}'])
    }
  })
})
