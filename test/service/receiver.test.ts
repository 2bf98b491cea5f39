// The examples of receivers, each in a process of its own, sent notifications as the service makes them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ComposedNotification,
  qrCodeNotification,
  refundNotification,
  settlementNotification,
  tokenNotification,
} from '../../src/contract/notifications/compose.ts'
import { requires } from '../support/requires.ts'
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

const refunded = (refundUid: string, status: 'COMPLETED' | 'DECLINED'): ComposedNotification =>
  refundNotification(
    {
      ...{ refundUid, paymentUid: 'payment-6', createdAt: now(), changedAt: now() },
      ...{ amount: { minorUnits: 620, currency: 'RUB' }, status, applied: true },
    },
    ORIGIN,
  )

const SETTLEMENT = {
  type: 'SETTLEMENT',
  settlementUid: 'tbank-1',
  sha256: '0'.repeat(64),
  ...{ entries: 2, mismatched: 0, unknown: 1 },
  status: 'IMPORTED',
  changedAt: now(),
} as const

const TOKEN = '65d5dec6-3e52-4770-8ab1-30254aec75c4'
const token = (account: string, status: 'CREATED' | 'REJECTED'): ComposedNotification =>
  tokenNotification(
    { account, status, changedAt: now(), ...(status === 'CREATED' && { value: TOKEN }) },
    ORIGIN,
  )

const RECEIVERS: Record<string, string[]> = {
  node: [process.execPath, 'examples/receiver/receiver.mjs'],
  python3: ['python3', 'examples/receiver/receiver.py'],
}

for (const [name, [command = '', ...args]] of Object.entries(RECEIVERS)) {
  const isInstalled = spawnSync(command, ['--version']).status === 0
  describe.runIf(requires(name, isInstalled))(`the receiver for ${name}`, () => {
    let receiver: ChildProcess
    let lines: Interface
    let address: string
    const written: string[] = []
    const faults: string[] = []
    let hasEnded = false
    let ended: Promise<void>

    beforeAll(async () => {
      const env = { ...process.env, PORT: '0', NOTIFICATION_KEYS: `${KEY},${NEXT_KEY}` }
      const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
      receiver = child
      createInterface(child.stderr).on('line', (line) => faults.push(line))
      lines = createInterface(child.stdout)
      const [first]: string[] = await once(lines, 'line')
      address = first?.replace('listening on ', '') ?? ''
      lines.on('line', (line) => written.push(line))
      ended = once(lines, 'close').then(() => {
        hasEnded = true
      })
    })
    afterAll(() => {
      receiver.kill('SIGKILL')
    })

    let count = 0
    /** Sends a notification, and returns the status of the answer. */
    async function send(notification: ComposedNotification, sending: Sending = {}): Promise<number> {
      const sent = delivery(notification, { id: `id-${++count}`, ...sending })
      return (await fetch(address, { method: 'POST', ...sent })).status
    }

    /** What it did until now: it acts in the order of its answers. */
    async function acted(): Promise<string[]> {
      const last = `last-${++count}`
      expect(await send(paid(last))).toBe(204)
      while (!written.includes(`deliver ${last}`)) {
        if (hasEnded) throw new Error(`the receiver ended after ${JSON.stringify(written)}`)
        await Promise.race([once(lines, 'line'), ended])
      }
      return written.splice(0).slice(0, -1)
    }

    it('acts on each type, and never delivers for a payment that is a test, declined or not applied', async () => {
      const qrCode = { qrCodeUid: 'order-5', status: 'EXPIRED', changedAt: now() } as const
      const notifications = [
        paid('order-1'),
        paid('order-2', { status: 'DECLINED', reason: 'no funds' }),
        paid('order-3', { applied: false, notAppliedReason: 'ALREADY_PAYED' }),
        paid('order-4', { isTest: true }),
        paid('order-9', {}, now(), { ...ORIGIN, isTest: true }),
        qrCodeNotification(qrCode, ORIGIN),
        settlementNotification(SETTLEMENT, ORIGIN),
        refunded('half', 'COMPLETED'),
        refunded('more', 'DECLINED'),
        token('customer-7', 'CREATED'),
        token('', 'REJECTED'),
        paid('заказ-😀', { amount: { minorUnits: 99_999_999_999, currency: 'RUB' } }),
      ]
      for (const notification of notifications) expect(await send(notification)).toBe(204)
      expect(await acted()).toEqual([
        'deliver order-1',
        'order-2 was declined',
        'refund payment-of-order-3: ALREADY_PAYED',
        'a test',
        'a test',
        'order-5 is EXPIRED',
        'settlement tbank-1 is IMPORTED',
        'refund half of payment-6: 6.20',
        'refund more of payment-6 was declined',
        'token for customer-7 is CREATED',
        'token for a customer is REJECTED',
        'deliver заказ-😀',
      ])
    })

    it('answers a repeated notification and acts once, also if it comes at the same time', async () => {
      const repeated = paid('order-1')
      const statuses = await Promise.all(
        Array.from({ length: 10 }, () => send(repeated, { id: 'repeated', timestamp: now() })),
      )
      expect(await send(repeated, { id: 'repeated', timestamp: now() + 60 })).toBe(204)
      expect(new Set(statuses)).toEqual(new Set([204]))
      expect(await acted()).toEqual(['deliver order-1'])
    })

    it('accepts the key that comes next, and a delivery with a signature for each key', async () => {
      expect(await send(paid('order-1'), { key: NEXT_KEY })).toBe(204)
      expect(await send(paid('order-2'), { keys: [FOREIGN_KEY, KEY] })).toBe(204)
      expect(await acted()).toEqual(['deliver order-1', 'deliver order-2'])
    })

    it.each(forgeries(now()))('refuses %s, and does not act', async (_, sending) => {
      expect(await send(paid('order-1'), sending)).toBeOneOf([401, 413])
      expect(await acted()).toEqual([])
    })

    it.each<[string, Sending, RegExp]>([
      ['an old time', { timestamp: now() - 400 }, /timestamp/],
      ['a foreign key', { key: FOREIGN_KEY }, /signature/],
      [
        'a foreign key for Signature alone',
        { key: FOREIGN_KEY, keys: [KEY] },
        /^401: Signature is of another key: only the active key makes it$/,
      ],
    ])('says why it refuses %s, without a key', async (_, sending, reason) => {
      faults.length = 0
      await send(paid('order-1'), sending)
      while (faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      expect(faults).toEqual([expect.stringMatching(/^401: /)])
      expect(faults[0]).toMatch(reason)
      expect(faults[0]).not.toMatch(PART_OF_KEY)
    })

    it.each([
      ['no key', ''],
      ['the answer of an error', '{"errorCode":"auth.forbidden","description":"the token lacks the scope"}'],
      ['a key without its prefix', KEY.replace('whsec_', '')],
      ['a second key without its prefix', `${KEY},`],
    ])('does not start with %s', (_, keys) => {
      const env = { ...process.env, PORT: '0', NOTIFICATION_KEYS: keys }
      const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8', timeout: 100_000 })
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toBe(
        'NOTIFICATION_KEYS must be one key that begins with whsec_, or two, separated by a comma\n',
      )
    })

    it('does not start on a port that is used, and says so in one line', () => {
      const { port } = new URL(address)
      const env = { ...process.env, PORT: port, NOTIFICATION_KEYS: KEY }
      const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8', timeout: 100_000 })
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(RegExp(`^cannot listen on port ${port}: .*address already in use.*\n$`, 'i'))
    })
  })
}
