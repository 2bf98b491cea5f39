// Those who wait: how soon they hear of a payment, and what a thousand of them cost those who create.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { mintToken } from '../bin/mint-token.ts'
import { QrCodeAnswer } from '../src/contract/qr-code-answer.ts'
import type { Part } from './figures.ts'
import { drive } from './load.ts'
import { create, requests, SECRET } from './order.ts'
import { median, percentile, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'
import { serve } from './workers.ts'

const PAYMENTS = 100
const WAITERS = 1000
const CONNECTIONS = 32
const WARM_UP = 0.3
const merchant = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant', days: 1 })
const network = await mintToken(SECRET, { siteId: 'demo', scope: 'network', days: 1 })

export const waiting: Part = async ({ directory, ours, rounds, seconds }) => {
  const server = await serve(ours, join(directory, 'disk'))
  const faults: string[] = []
  const ask = async (path: string, token: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      ...init,
      headers: { ...init.headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(90_000),
    })
    if (!response.ok) faults.push(`an answer ${response.status}`)
    return response
  }

  /** A new QR code, and what it takes to wait for it, to pay it and to cancel it. */
  async function qrCode() {
    const created = await create(server.port, randomUUID())
    const { qrCodeUid, qrCode } = QrCodeAnswer.parse(await created.json())
    const path = `/payin/v1/sites/demo/sbp/qrCodes/${qrCodeUid}`
    const linkId = new URL(qrCode.payload).pathname.split('/').at(-1)
    const etag = (await ask(path, merchant)).headers.get('ETag') ?? ''
    return {
      wait: async () => {
        const response = await ask(path, merchant, { headers: { 'If-None-Match': etag, Prefer: 'wait=60' } })
        await response.text()
        return performance.now()
      },
      pay: () =>
        ask(`/network/v1/sites/demo/qrCodes/${linkId}/payments/${randomUUID()}`, network, {
          method: 'PUT',
          body: '{"status":"COMPLETED","amount":{"value":1234.56}}',
        }),
      cancel: () => ask(path, merchant, { method: 'DELETE' }),
    }
  }

  const heard: number[] = []
  for (let i = 0; i < PAYMENTS; i++) {
    const { wait, pay } = await qrCode()
    const waiter = wait()
    await pause(20)
    const paid = performance.now()
    await pay()
    heard.push((await waiter) - paid)
  }

  const perSecond = async () => {
    const load = {
      port: server.port,
      connections: CONNECTIONS,
      request: requests('none'),
      seconds,
      warmUp: WARM_UP,
    }
    const measured = await drive(load)
    faults.push(...measured.faults)
    return measured.perSecond
  }
  const alone: number[] = []
  const beside: number[] = []
  await perSecond()
  for (let round = 0; round < rounds; round++) {
    alone.push(await perSecond())
    const { wait, cancel } = await qrCode()
    const waiters = Array.from({ length: WAITERS }, wait)
    await pause(1000)
    beside.push(await perSecond())
    await cancel()
    await Promise.all(waiters)
  }
  await server.stop()

  const besideVsAlone = ratio(beside, alone)
  return {
    tables: [
      table(
        `From the report of a payment to the answer of who waits for it (${PAYMENTS} payments; ms)`,
        ['median', 'p99'],
        [[figure(median(heard)), figure(percentile(heard, 0.99))]],
      ),
      table(
        `Creating with ${CONNECTIONS} connections in a site for whose QR code others wait (${rounds} rounds)`,
        ['who wait', 'req/s', 'of none'],
        [
          ['0', figure(median(alone)), ''],
          [`${WAITERS}`, figure(median(beside)), times(besideVsAlone)],
        ],
      ),
    ],
    figures: { waiter_hears_ms: median(heard), create_beside_waiters: besideVsAlone },
    faults,
  }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
