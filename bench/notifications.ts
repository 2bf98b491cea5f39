// Notifications: how soon and how fast they are delivered, how fast creating is beside a dead endpoint, what is kept.
import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { mintToken } from '../bin/mint-token.ts'
import { NotificationsAnswer } from '../src/contract/notifications/log.ts'
import type { NotificationStatus } from '../src/contract/notifications/status.ts'
import { QrCodeAnswer } from '../src/contract/qr-code-answer.ts'
import { SECRET } from '../test/support/secret.ts'
import { serve } from '../test/support/workers.ts'
import { CONNECTIONS, creating, inParallel } from './creating.ts'
import type { Part } from './figures.ts'
import { deadUrl, openReceiver } from './receiver.ts'
import { answerOf, create } from './requests.ts'
import { measure, siteFile } from './site-file.ts'
import { median, percentile, ratio } from './statistics.ts'
import { figure, mebibytes, table, times } from './table.ts'

/** Payments that are notified one after the other, and at once. */
const FULL = { payments: 100, pending: 10_000 }
const SMALLEST = { payments: 3, pending: 50 }
/** The endpoint answers after so many milliseconds. */
const DELAY_MS = 100

const admin = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant:admin', days: 1 })
const network = await mintToken(SECRET, { siteId: 'demo', scope: 'network', days: 1 })

export const notifications: Part = async ({ directory, ours, rounds, seconds, isSmallest }) => {
  const { payments, pending } = isSmallest ? SMALLEST : FULL
  const [disk, deadDisk] = [join(directory, 'disk'), join(directory, 'dead-disk')]
  const site = async (onDisk: string) => {
    const server = await serve(ours, onDisk, { vars: { CALLBACK_HOSTS: 'any' }, config: 'local' })
    return { server, ...operationsAt(server.port) }
  }
  const receiver = await openReceiver(DELAY_MS)

  // Notifications wait while there is no notification key.
  const waiting = await site(disk)
  await waiting.pay()
  await waiting.server.stop()
  const atFirst = measure(siteFile(disk)).bytes
  const filled = await site(disk)
  await filled.setCallbackUrl(receiver.url)
  await inParallel(pending, filled.pay)
  await filled.server.stop()
  cpSync(disk, deadDisk, { recursive: true })

  const alive = await site(disk)
  const from = performance.now()
  await alive.makeKey()
  await receiver.until(pending)
  const perSecond = pending / ((performance.now() - from) / 1000)
  await alive.hasNo('PENDING')
  await alive.server.stop()
  const notified = measure(siteFile(disk)).bytes

  const beside = { alive: await site(disk), dead: await site(deadDisk) }
  const milliseconds: number[] = []
  for (let i = 0; i < payments; i++) {
    const paymentUid = await beside.alive.pay()
    const reported = performance.now()
    await receiver.until(pending + i + 1)
    milliseconds.push((receiver.received.get(paymentUid) ?? Number.NaN) - reported)
  }

  await beside.dead.setCallbackUrl(await deadUrl())
  await beside.dead.makeKey()
  const faults: string[] = []
  const load = creating(faults, { isSmallest })
  const creates = { alive: [] as number[], dead: [] as number[] }
  for (const { server } of Object.values(beside)) await load.warmUp(server.port)
  // More rounds, and shorter ones: the floor is closer to 1 than a machine's speed is to itself.
  for (let round = 0; round < 2 * rounds; round++) {
    for (const name of round % 2 === 0 ? (['alive', 'dead'] as const) : (['dead', 'alive'] as const)) {
      const { server } = beside[name]
      creates[name].push((await load.measure(server.port, seconds / 2)).perSecond)
    }
  }
  await beside.dead.hasNo('DELIVERED')
  await beside.dead.hasNo('FAILED')
  for (const { server } of Object.values(beside)) await server.stop()
  receiver.close()

  const besideDead = ratio(creates.dead, creates.alive)
  const bytesEach = (notified - atFirst) / pending
  return {
    tables: [
      table(
        `From the answer to the report of a payment to its notification (${payments} payments; ms)`,
        ['median', 'p99'],
        [[figure(median(milliseconds)), figure(percentile(milliseconds, 0.99))]],
      ),
      table(
        `Delivering ${pending} notifications of one site to an endpoint that takes ${DELAY_MS} ms`,
        ['', ''],
        [
          ['notifications a second', figure(perSecond)],
          [`a site with ${pending} paid and notified QR codes`, mebibytes(notified)],
          ['bytes each', figure(bytesEach)],
        ],
      ),
      table(
        `Creating with ${CONNECTIONS} connections (medians of ${2 * rounds} rounds)`,
        ['pending notifications', 'req/s', 'of none'],
        [
          ['0', figure(median(creates.alive)), ''],
          [`${pending}, to a dead endpoint`, figure(median(creates.dead)), times(besideDead)],
        ],
      ),
    ],
    figures: {
      notify_ms: median(milliseconds),
      deliveries_per_second: perSecond,
      create_beside_dead_endpoint: besideDead,
      bytes_per_paid_qr_code: bytesEach,
    },
    faults,
  }
}

/** What the bench asks of site demo. @throws Error where an answer is none of success */
function operationsAt(port: number) {
  const SITE = '/payin/v1/sites/demo'
  return {
    setCallbackUrl: (callbackUrl: string) =>
      answerOf({ port, token: admin }, `${SITE}/settings`, 'PUT', { callbackUrl }),
    makeKey: () => answerOf({ port, token: admin }, `${SITE}/settings/notificationKeys`, 'POST'),
    /** Creates a QR code and reports its payment. @returns the paymentUid */
    async pay(): Promise<string> {
      const created = await create(port, randomUUID())
      const { qrCode } = QrCodeAnswer.parse(await created.json())
      const linkId = new URL(qrCode.payload).pathname.split('/').at(-1)
      const paymentUid = randomUUID()
      await answerOf(
        { port, token: network },
        `/network/v1/sites/demo/qrCodes/${linkId}/payments/${paymentUid}`,
        'PUT',
        {
          status: 'COMPLETED',
          amount: { value: 1234.56 },
        },
      )
      return paymentUid
    },
    /** Resolves when no notification has the status. */
    async hasNo(status: NotificationStatus): Promise<void> {
      const deadline = performance.now() + 30_000
      for (;;) {
        const path = `${SITE}/notifications?status=${status}&limit=1`
        if (
          NotificationsAnswer.parse(await answerOf({ port, token: admin }, path)).notifications.length === 0
        )
          return
        if (performance.now() > deadline) throw new Error(`there are ${status} notifications`)
        await pause(20)
      }
    },
  }
}
