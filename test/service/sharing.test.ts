// The deployed bundle under many creates at once, some of whose clients disconnect.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { ListAnswer } from '../../src/contract/qr-code-list.ts'
import { type BareWorkerd, bareWorkerd } from '../support/bare-workerd.ts'

/** How many creates the test of disconnections sends: 50,000 by hand. */
const CREATES = Number(process.env.CREATES ?? 3000)
/** No answer takes longer, on a machine of any speed. */
const HANG_MS = 60_000

let service: BareWorkerd
let ask: (path: string) => Promise<Response>
let send: (site: string, qrCodeUid: string, signal?: AbortSignal) => Promise<Response>
beforeAll(async () => {
  service = bareWorkerd()
  const port = await service.start()
  const tokens = new Map<string, string>()
  for (const siteId of ['a', 'b'])
    tokens.set(siteId, await mintToken(service.secret, { siteId, scope: 'merchant', days: 1 }))
  ask = (path) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${tokens.get('a')}` } })
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

/** The links of all QR codes of site a, by their qrCodeUid. */
async function storedLinks(): Promise<Map<string, string>> {
  const links = new Map<string, string>()
  for (let cursor = ''; ; ) {
    const response = await ask(`/payin/v1/sites/a/sbp/qrCodes?limit=100${cursor}`)
    const { qrCodes, nextCursor } = ListAnswer.parse(await response.json())
    for (const { qrCodeUid, qrCode } of qrCodes) links.set(qrCodeUid, qrCode.payload)
    if (nextCursor === undefined) return links
    cursor = `&cursor=${nextCursor}`
  }
}

it(
  'of creates of which 5 % are disconnected at random, every other one is answered, by its own QR code, which is stored',
  async () => {
    let disconnected = 0
    for (const connections of [8, 32, 128]) {
      const acknowledged = new Map<string, string>()
      const faults: string[] = []
      let sent = 0
      let unanswered = 0
      const client = async () => {
        while (sent < CREATES / 3) {
          const qrCodeUid = `disconnecting-${connections}-${sent++}`
          const isDisconnected = Math.random() < 0.05
          const signal = AbortSignal.timeout(isDisconnected ? Math.floor(Math.random() * 20) : HANG_MS)
          try {
            const response = await send('a', qrCodeUid, signal)
            const answer = QrCodeAnswer.parse(await response.json())
            if (answer.qrCodeUid !== qrCodeUid) faults.push(`${qrCodeUid} got ${answer.qrCodeUid}`)
            acknowledged.set(qrCodeUid, answer.qrCode.payload)
          } catch (error) {
            if (isDisconnected) unanswered++
            else faults.push(`${qrCodeUid}: ${error}`)
          }
        }
      }
      await Promise.all(Array.from({ length: connections }, client))
      expect(faults).toEqual([])
      expect(acknowledged.size + unanswered).toBe(sent)
      disconnected += unanswered
      const stored = await storedLinks()
      for (const [uid, link] of acknowledged) expect([uid, stored.get(uid)]).toEqual([uid, link])
    }
    expect(disconnected).toBeGreaterThan(0)
  },
  Math.max(120_000, CREATES * 60),
)
