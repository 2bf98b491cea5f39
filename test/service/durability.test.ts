// The deployed bundle, killed: what was acknowledged is there afterwards.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { parseLink } from '../../src/fps/link.ts'
import { type BareWorkerd, bareWorkerd } from '../support/bare-workerd.ts'

let service: BareWorkerd
beforeEach(() => {
  service = bareWorkerd({ PUBLIC_URL: 'https://qr.example' })
})
afterEach(() => service.dispose())

const qrCodeBody = (n: number) => ({
  qrCodeUid: `order-${n}`,
  qrCode: { type: 'DYNAMIC' },
  amount: { value: 1 },
})

/** Sends as a merchant or as the network; with a body, it writes. */
async function sender(scope: 'merchant' | 'network') {
  const token = await mintToken(service.secret, { siteId: 'demo', scope, days: 1 })
  return (url: string, method = 'GET', body?: object) =>
    fetch(url, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
}

/**
 * Sixteen clients send the first, the second, the third request and so on, until so many are acknowledged and the
 * service is killed: the others have requests in flight then.
 * @returns the answers, by the number of the request
 */
async function killedUnderLoad(
  enough: number,
  send: (n: number) => Promise<Response>,
): Promise<Map<number, string>> {
  const acknowledged = new Map<number, string>()
  let sent = 0
  let alive = true
  const client = async () => {
    while (alive) {
      const n = sent++
      try {
        const response = await send(n)
        const answer = await response.text()
        if (!response.ok) throw new Error(`${response.status} ${answer}`)
        acknowledged.set(n, answer)
      } catch (error) {
        if (alive) throw error
      }
      if (acknowledged.size >= enough && alive) {
        alive = false
        await service.kill()
      }
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return acknowledged
}
const CLIENTS = 16

it('every create that was acknowledged before a kill -9 is there after a restart, with the same link', async () => {
  const send = await sender('merchant')
  const before = `http://127.0.0.1:${await service.start()}`
  const acknowledged = await killedUnderLoad(500, (n) =>
    send(`${before}/payin/v1/sites/demo/sbp/qrCodes`, 'POST', qrCodeBody(n)),
  )
  expect(acknowledged.size).toBeGreaterThanOrEqual(500)

  const after = `http://127.0.0.1:${await service.start()}`
  for (const [n, answer] of acknowledged) {
    const response = await send(`${after}/payin/v1/sites/demo/sbp/qrCodes`, 'POST', qrCodeBody(n))
    expect(response.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await response.text()).toBe(answer)
  }
})

it('every payment that was acknowledged before a kill -9 is there after a restart, by the same paymentUid', async () => {
  const [merchant, network] = [await sender('merchant'), await sender('network')]
  const enough = 200
  const before = `http://127.0.0.1:${await service.start()}`
  const linkIds = await Promise.all(
    Array.from({ length: enough + CLIENTS }, async (_, n) => {
      const response = await merchant(`${before}/payin/v1/sites/demo/sbp/qrCodes`, 'POST', qrCodeBody(n))
      const { qrCode } = (await response.json()) as { qrCode: { payload: string } }
      return parseLink(qrCode.payload)?.id
    }),
  )
  const report = (address: string, n: number) =>
    network(`${address}/network/v1/sites/demo/qrCodes/${linkIds[n]}/payments/payment-${n}`, 'PUT', {
      status: 'COMPLETED',
      amount: { value: 1 },
    })
  const acknowledged = await killedUnderLoad(enough, (n) => report(before, n))
  expect(acknowledged.size).toBeGreaterThanOrEqual(enough)

  const after = `http://127.0.0.1:${await service.start()}`
  for (const [n, answer] of acknowledged) {
    const response = await merchant(`${after}/payin/v1/sites/demo/sbp/qrCodes/order-${n}`)
    const text = await response.text()
    expect(text).toBe(answer)
    expect(JSON.parse(text)).toMatchObject({
      qrCode: { status: 'PAYED' },
      payment: { paymentUid: `payment-${n}`, paymentStatus: 'COMPLETED' },
    })
    expect((await report(after, n)).headers.get('Idempotent-Replayed')).toBe('true')
  }
})
