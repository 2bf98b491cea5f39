// The deployed bundle under requests that share calls, some of whose clients disconnect.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { type BareWorkerd, bareWorkerd } from '../support/bare-workerd.ts'

let service: BareWorkerd
let send: (site: string, qrCodeUid: string, signal?: AbortSignal) => Promise<Response>
beforeAll(async () => {
  service = bareWorkerd()
  const port = await service.start()
  const tokens = new Map<string, string>()
  for (const siteId of ['a', 'b'])
    tokens.set(siteId, await mintToken(service.secret, { siteId, scope: 'merchant', days: 1 }))
  send = (site, qrCodeUid, signal) =>
    fetch(`http://127.0.0.1:${port}/payin/v1/sites/${site}/sbp/qrCodes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tokens.get(site)}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ qrCodeUid, qrCode: { type: 'DYNAMIC' } }),
      ...(signal && { signal }),
    })
})
afterAll(() => service.dispose())

it('each of 64 concurrent requests gets its own QR code, though other clients disconnect', async () => {
  const links = new Map<string, string>()
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      Array.from({ length: 64 }, async (_, n) => {
        const [site, qrCodeUid] = [n % 2 === 0 ? 'a' : 'b', `${round}-${n}`]
        if (n % 3 === 1) {
          // The client can disconnect before, during or after the call.
          await send(site, qrCodeUid, AbortSignal.timeout(n >> 2)).catch(() => {})
          return
        }
        const response = await send(site, qrCodeUid)
        const answer = (await response.json()) as { qrCodeUid?: string; qrCode?: { payload: string } }
        expect([response.status, answer.qrCodeUid]).toEqual([200, qrCodeUid])
        expect(answer.qrCode?.payload).toContain(`/pay/${site}/`)
        links.set(`${site} ${qrCodeUid}`, answer.qrCode?.payload ?? '')
      }),
    )
  }
  expect(new Set(links.values()).size).toBe(20 * 43)
  for (const [key, link] of [...links].slice(0, 100)) {
    const [site = '', qrCodeUid = ''] = key.split(' ')
    const response = await send(site, qrCodeUid)
    expect(response.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await response.text()).toContain(link)
  }
})
