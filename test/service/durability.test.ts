// The real build, killed: what was acknowledged is there afterwards.
import { afterAll, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { wranglerDev } from '../support/wrangler-dev.ts'

const { secret, start, kill, dispose } = wranglerDev()
const token = await mintToken(secret, { siteId: 'demo', scope: 'merchant', days: 1 })
afterAll(dispose)

const create = (address: string, qrCodeUid: string) =>
  fetch(`${address}/payin/v1/sites/demo/sbp/qrCodes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ qrCodeUid, qrCode: { type: 'DYNAMIC' }, amount: { value: 1 } }),
  })

it('every create that was acknowledged before a kill -9 is there after a restart, with the same link', async () => {
  const before = await start()
  const acknowledged = new Map<string, string>()
  let sent = 0
  let alive = true
  const client = async () => {
    while (alive) {
      const uid = `order-${sent++}`
      try {
        const response = await create(before, uid)
        if (response.ok) acknowledged.set(uid, await response.text())
      } catch {
        return
      }
      if (acknowledged.size >= 500 && alive) {
        alive = false
        kill()
      }
    }
  }
  await Promise.all(Array.from({ length: 16 }, client))
  expect(acknowledged.size).toBeGreaterThanOrEqual(500)

  const after = await start()
  for (const [uid, answer] of acknowledged) {
    const response = await create(after, uid)
    expect(response.headers.get('Idempotent-Replayed')).toBe('true')
    expect((await response.text()).replace(after, before)).toBe(answer)
  }
})
