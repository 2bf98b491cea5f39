// The deployed bundle, killed: what was acknowledged is there afterwards.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PaymentsAnswer } from '../../src/contract/payment.ts'
import { type BareWorkerd, bareWorkerd } from '../support/bare-workerd.ts'
import { qrCodeIn, type SiteClient, siteClient } from '../support/client.ts'
import { overHttp } from '../support/over-http.ts'

let service: BareWorkerd
beforeEach(() => {
  service = bareWorkerd({ PUBLIC_URL: 'https://qr.example' })
})
afterEach(() => service.dispose())

/** Starts the service; its site. */
async function started() {
  const address = `http://127.0.0.1:${await service.start()}`
  return siteClient(
    'demo',
    overHttp(() => address, service.secret, 'demo'),
  )
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
  const before = await started()
  const create = (site: SiteClient, n: number) => site.create({ qrCodeUid: `order-${n}` })
  const acknowledged = await killedUnderLoad(500, (n) => create(before, n))
  expect(acknowledged.size).toBeGreaterThanOrEqual(500)

  const after = await started()
  for (const [n, answer] of acknowledged) {
    const response = await create(after, n)
    expect(response.headers.get('Idempotent-Replayed')).toBe('true')
    expect(await response.text()).toBe(answer)
  }
})

it('every payment that was acknowledged before a kill -9 is there after a restart, by the same paymentUid', async () => {
  const enough = 200
  const before = await started()
  const linkIds = await Promise.all(
    Array.from(
      { length: enough + CLIENTS },
      async (_, n) => (await before.make({ qrCodeUid: `order-${n}` })).linkId,
    ),
  )
  const report = (site: SiteClient, n: number) => site.report(linkIds[n] ?? '', `payment-${n}`)
  const acknowledged = await killedUnderLoad(enough, (n) => report(before, n))
  expect(acknowledged.size).toBeGreaterThanOrEqual(enough)

  const after = await started()
  for (const [n, answer] of acknowledged) {
    const text = await (await after.ask(`/sbp/qrCodes/order-${n}`)).text()
    expect(text).toBe(answer)
    expect(JSON.parse(text)).toMatchObject({
      qrCode: { status: 'PAYED' },
      payment: { paymentUid: `payment-${n}`, paymentStatus: 'COMPLETED' },
    })
    expect((await report(after, n)).headers.get('Idempotent-Replayed')).toBe('true')
  }
})

it('of the payments of a STATIC QR code none is lost and none is there twice, however often the service is killed', async () => {
  // PAYMENTS=10000 KILLS=20 takes a minute or two: with --testTimeout 900000.
  const { PAYMENTS: payments = '500', KILLS: kills = '2' } = process.env
  const { qrCodeUid, linkId } = await (await started()).make({}, { type: 'STATIC' })
  await service.kill()
  const reported = new Set<string>()
  for (let kill = 0; kill < Number(kills); kill++) {
    const before = await started()
    const uidOf = (n: number) => `payment-${kill}-${n}`
    const sent = new Set<number>()
    const acknowledged = await killedUnderLoad(Number(payments) / Number(kills), (n) => {
      sent.add(n)
      return before.report(linkId, uidOf(n))
    })
    // The network repeats each report, whether it got an answer or not.
    const after = await started()
    for (const n of sent) {
      const { status, headers } = await after.report(linkId, uidOf(n))
      const isReplayed = headers.get('Idempotent-Replayed') === 'true'
      expect([n, status, isReplayed || !acknowledged.has(n)]).toEqual([n, 200, true])
      reported.add(uidOf(n))
    }
    await service.kill()
  }

  const after = await started()
  const found: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query: string = cursor && `&cursor=${cursor}`
    const response = await after.ask(`/sbp/qrCodes/${qrCodeUid}/payments?limit=100${query}`)
    const page = PaymentsAnswer.parse(await response.json())
    found.push(...page.payments.filter(({ applied }) => applied).map(({ paymentId }) => paymentId))
    cursor = page.nextCursor
  }
  if (process.env.PAYMENTS) console.log(`${kills} kills, ${found.length} payments`)
  expect(found.toSorted()).toEqual([...reported].toSorted())
  const { lastPayment } = await qrCodeIn(await after.ask(`/sbp/qrCodes/${qrCodeUid}`))
  expect(lastPayment?.paymentUid).toBe(found.at(-1))
})
