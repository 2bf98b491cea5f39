// The receiver in PHP, sent notifications as the service makes them, and others.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type ComposedNotification,
  qrCodeNotification,
  refundNotification,
  settlementNotification,
  tokenNotification,
} from '../../src/contract/notifications/compose.ts'
import { freePort } from '../support/ports.ts'
import {
  delivery,
  FOREIGN_KEY,
  forgeries,
  KEY,
  NEXT_KEY,
  now,
  ORIGIN,
  PART_OF_KEY,
  paid,
  type Sending,
} from '../support/signed-notifications.ts'

const directory = mkdtempSync(join(tmpdir(), 'fps-qr-php-'))
const processes: ChildProcess[] = []

interface Receiver {
  url: string
  lines: string[]
}

async function receiver(env: Record<string, string>): Promise<Receiver> {
  const port = await freePort()
  const child = spawn('php', ['-S', `127.0.0.1:${port}`, 'examples/receiver/receiver.php'], {
    // As a web server does: requests at the same time.
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: '4', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  processes.push(child)
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  const log = createInterface(child.stderr)
  await once(log, 'line')
  log.on('line', (line) => lines.push(line))
  return { url: `http://127.0.0.1:${port}/`, lines }
}

let php: Receiver
beforeAll(async () => {
  php = await receiver({ NOTIFICATION_KEYS: `${KEY},${NEXT_KEY}`, NOTIFICATIONS: join(directory, 'stored') })
})
afterAll(() => {
  for (const each of processes) each.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

let count = 0
async function send(notification: ComposedNotification, sending: Sending = {}, { url } = php) {
  const sent = delivery(notification, { id: `id-${++count}`, ...sending })
  return (await fetch(url, { method: 'POST', ...sent })).status
}

/** What it did until now, in any order: its workers write independently. */
async function acted(): Promise<string[]> {
  const last = `last-${++count}`
  expect(await send(paid(last))).toBe(204)
  while (!php.lines.includes(`deliver ${last}`)) await new Promise((resolve) => setTimeout(resolve, 10))
  const done = php.lines
    .splice(0)
    .filter((line) => /^(deliver|refund|token|settlement|a test|order-)/.test(line))
  return done.filter((line) => line !== `deliver ${last}`).toSorted()
}

it('acts on each type, and never delivers for a payment that is a test, declined or not applied', async () => {
  const refunded = { refundUid: 'half', paymentUid: 'payment-6', createdAt: now(), changedAt: now() }
  const amount = { minorUnits: 620, currency: 'RUB' }
  const settlement = {
    type: 'SETTLEMENT',
    settlementUid: 'tbank-1',
    sha256: '0'.repeat(64),
    ...{ entries: 2, mismatched: 0, unknown: 1 },
    status: 'IMPORTED',
    changedAt: now(),
  } as const
  const all = [
    paid('order-1'),
    paid('order-2', { status: 'DECLINED', reason: 'no funds' }),
    paid('order-3', { applied: false, notAppliedReason: 'ALREADY_PAYED' }),
    paid('order-4', { isTest: true }),
    paid('order-9', {}, now(), { ...ORIGIN, isTest: true }),
    qrCodeNotification({ qrCodeUid: 'order-5', status: 'EXPIRED', changedAt: now() }, ORIGIN),
    settlementNotification(settlement, ORIGIN),
    refundNotification({ ...refunded, amount, status: 'COMPLETED', applied: true }, ORIGIN),
    tokenNotification({ account: 'customer-7', status: 'REJECTED', changedAt: now() }, ORIGIN),
    paid('заказ-😀', { amount: { minorUnits: 99_999_999_999, currency: 'RUB' } }),
  ]
  for (const notification of all) expect(await send(notification)).toBe(204)
  expect(await acted()).toEqual(
    [
      ...['deliver order-1', 'order-2 was declined', 'refund payment-of-order-3: ALREADY_PAYED'],
      ...['a test', 'a test'],
      ...['order-5 is EXPIRED', 'refund half of payment-6: 6.20', 'token for customer-7 is REJECTED'],
      ...['settlement tbank-1 is IMPORTED', 'deliver заказ-😀'],
    ].toSorted(),
  )
})

it('answers a repeated notification and acts once, also if it comes at the same time', async () => {
  const repeated = paid('order-1')
  const statuses = await Promise.all(Array.from({ length: 10 }, () => send(repeated, { id: 'repeated' })))
  expect(new Set(statuses)).toEqual(new Set([204]))
  expect(await acted()).toEqual(['deliver order-1'])
})

it('accepts the key that comes next, and a delivery with a signature for each key', async () => {
  expect(await send(paid('order-1'), { key: NEXT_KEY })).toBe(204)
  expect(await send(paid('order-2'), { keys: [FOREIGN_KEY, KEY] })).toBe(204)
  expect(await acted()).toEqual(['deliver order-1', 'deliver order-2'])
})

it.each(forgeries(now()))('refuses %s, and does not act', async (_, sending) => {
  expect(await send(paid('order-1'), sending)).toBe(401)
  while (!php.lines.some((line) => line.includes('401: ')))
    await new Promise((resolve) => setTimeout(resolve, 10))
  expect(php.lines.join('\n')).not.toMatch(PART_OF_KEY)
  expect(await acted()).toEqual([])
})

it('what it cannot store is answered 500, so that it comes again', async () => {
  const file = join(directory, 'a file')
  writeFileSync(file, '')
  const broken = await receiver({ NOTIFICATION_KEYS: KEY, NOTIFICATIONS: join(file, 'below') })
  expect(await send(paid('order-1'), {}, broken)).toBe(500)
  expect(broken.lines.filter((line) => line.startsWith('deliver'))).toEqual([])
})

it.each(['', 'key', `${KEY},`])('with the keys %j every request is 500', async (keys) => {
  expect(await send(paid('order-1'), {}, await receiver({ NOTIFICATION_KEYS: keys }))).toBe(500)
})
