// The seven examples, as a merchant runs them in any language, against the real service, with the customer's part played.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import { EventsAnswer } from '../../src/contract/event.ts'
import { PaymentAnswer } from '../../src/contract/payment.ts'
import { bareWorkerd } from './bare-workerd.ts'
import { type FaultProxy, faultProxy, type Proxied } from './fault-proxy.ts'
import { freePort } from './ports.ts'
import { qrCodeOf, siteAt } from './site-at.ts'

type Name = 'create' | 'wait' | 'refund' | 'charge' | 'receive' | 'events' | 'counter'

interface Language {
  /** The command that runs an example; the receiver listens on 127.0.0.1 and the port. */
  command(name: Name, port: number): string[]
  /** What the receiver writes when it listens. */
  listening: RegExp
}

/** An example in a process of its own. */
interface Running {
  /** Every line of both outputs, so far. */
  lines: string[]
  /** Resolves when a line fits. @throws Error with the lines if the process ends before */
  writes(line: RegExp): Promise<void>
  /** Resolves when it sent a request that fits. @throws Error as `writes` does */
  asks(fits: (request: Proxied) => boolean): Promise<void>
  /** Resolves when it ended; its status. */
  ended: Promise<number | null>
  process: ChildProcess
}

/** Declares the tests. They build on each other, as the examples do. */
export function sevenExamples(language: string, { command, listening }: Language): void {
  describe(`the seven examples in ${language}`, () => {
    const service = bareWorkerd({ PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any' }, 'any')
    const directory = mkdtempSync(join(tmpdir(), 'fps-qr-examples-'))
    const processes: ChildProcess[] = []
    let address: string
    let proxy: FaultProxy
    let token: string
    const site = siteAt(() => address, service.secret, 'demo')

    beforeAll(async () => {
      address = `http://127.0.0.1:${await service.start()}`
      proxy = await faultProxy(() => address)
      token = await mintToken(service.secret, { siteId: 'demo', scope: 'merchant', days: 1 })
    })
    afterAll(async () => {
      for (const each of processes) each.kill('SIGKILL')
      proxy.close()
      await service.dispose()
      rmSync(directory, { recursive: true, force: true })
    })

    /** Runs an example behind the proxy, which forgets what it saw before. */
    function run(name: Name, env: Record<string, string> = {}, port = 0): Running {
      proxy.requests.length = 0
      const [program = '', ...args] = command(name, port)
      const child = spawn(program, args, {
        cwd: directory,
        env: { ...process.env, FPS_URL: proxy.url, TOKEN: token, PORT: `${port}`, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      processes.push(child)
      const lines: string[] = []
      let news = Promise.withResolvers<void>()
      const tell = () => {
        news.resolve()
        news = Promise.withResolvers()
      }
      for (const stream of [child.stdout, child.stderr])
        createInterface(stream).on('line', (line) => {
          lines.push(line)
          tell()
        })
      let isOver = false
      const ended = once(child, 'close').then(([code]: (number | null)[]) => {
        isOver = true
        tell()
        return code ?? null
      })
      const tooEarly = () => new Error(`${name} ended after ${JSON.stringify(lines)}`)
      return {
        lines,
        process: child,
        ended,
        async writes(wanted) {
          while (!lines.some((line) => wanted.test(line))) {
            if (isOver) throw tooEarly()
            await news.promise
          }
        },
        async asks(fits) {
          const end = ended.then(() => {
            throw tooEarly()
          })
          await Promise.race([proxy.until(fits), end])
        },
      }
    }

    const bank = (path: string) => site.value(`/sandbox/v1/sites/demo/qrCodes/${path}`, { body: {} })
    const eventsOf = async (uid: string): Promise<string[]> =>
      EventsAnswer.parse(await site.value(`/sbp/qrCodes/${uid}/events`)).events.map(({ type }) => type)
    /** No line of an example has the access token. */
    const expectNoToken = ({ lines }: Running) => expect(lines.join('\n')).not.toContain(token.slice(0, 60))

    /** The first order of create, which is the first event. */
    let oldest = ''
    /** The order that create stored. */
    const order = () => readFileSync(join(directory, 'order.txt'), 'utf8')
    /** The QR code that an example made last. */
    const newest = async () =>
      z
        .object({ qrCodes: z.array(z.object({ qrCodeUid: z.string() })) })
        .parse(await site.value('/sbp/qrCodes?limit=1')).qrCodes[0]?.qrCodeUid ?? ''
    const ORDER = /order-[0-9a-f-]{8,36}/

    it('create: a QR code, its picture, its page; also if the first answer is lost', async () => {
      proxy.faults = ['lost-answer']
      const example = run('create')
      expect([await example.ended, example.lines.at(-1)]).toEqual([
        0,
        expect.stringMatching(/^order-[0-9a-f-]{8,36} is CREATED: http:.*\/pay\/demo\/AD1000/),
      ])
      expect(readFileSync(join(directory, `${order()}.svg`), 'utf8')).toMatch(/^<svg .*<\/svg>$/s)
      oldest = order()
      expect(await eventsOf(oldest)).toEqual(['qrCode.created'])
      expectNoToken(example)
    })

    it('wait: by a long poll, which ends with the payment, after a break', async () => {
      proxy.faults = ['503', 'none', 'reset']
      const example = run('wait')
      await example.asks(({ prefer, fault }) => prefer === 'wait=30' && fault === 'none')
      expect(example.lines.filter((line) => line.startsWith('order-'))).toEqual([])
      await bank(`${order()}/payments`)
      expect([await example.ended, example.lines.at(-1)]).toEqual([0, `${order()} is PAYED`])
      expectNoToken(example)
    })

    it('refund: half, once, though the answers of the request are lost', async () => {
      proxy.faults = ['none', 'lost-answer', '503-after', 'half-answer']
      const example = run('refund')
      expect([await example.ended, example.lines.at(-1)]).toEqual([0, 'refund-1 of 5.25 is COMPLETED'])
      expect(proxy.requests.filter(({ method }) => method === 'PUT')).toHaveLength(4)
      expect(await eventsOf(order())).toEqual([
        ...['qrCode.created', 'payment.completed', 'refund.waiting', 'refund.completed'],
      ])
      const { payment } = qrCodeOf(await site.ask(`/sbp/qrCodes/${order()}`))
      const { refundedAmount } = PaymentAnswer.parse(await site.value(`/payments/${payment?.paymentUid}`))
      expect(refundedAmount.value).toBe('5.25')
      expectNoToken(example)
    })

    it('charge: an account, with which the customer agreed', async () => {
      proxy.faults = ['none', 'none', 'none', 'none', 'lost-answer']
      const example = run('charge')
      await example.writes(/^the customer agrees on http:.*\/pay\/demo\/AB1S00/)
      await example.asks(({ prefer }) => prefer === 'wait=30')
      await bank(`${await newest()}/bindings`)
      expect([await example.ended, example.lines.at(-1)]).toEqual([
        0,
        expect.stringMatching(/^order-[0-9a-f-]{8,36} is PAYED$/),
      ])
      expect(await eventsOf(ORDER.exec(example.lines.at(-1) ?? '')?.[0] ?? '')).toEqual([
        'qrCode.created',
        'payment.waiting',
        'payment.completed',
      ])
      expectNoToken(example)
    })

    it('counter: a sale, which is paid while it is waited for; also if the answer to the arming is lost', async () => {
      proxy.faults = ['none', 'lost-answer']
      const example = run('counter')
      await example.writes(/^print the code of http:.*\/pay\/demo\/AS1R00/)
      await example.asks(({ prefer }) => prefer === 'wait=30')
      const till = await newest()
      await bank(`${till}/payments`)
      expect([await example.ended, example.lines.at(-1)]).toEqual([0, 'receipt-1 is PAYED'])
      expect(await eventsOf(till)).toEqual(['qrCode.created', 'sale.created', 'payment.completed'])
      expectNoToken(example)
    })

    it('make their identifiers themselves: once more, in another order, nothing is in the way of what was made before', async () => {
      const before = order()
      const counter = run('counter')
      await counter.asks(({ prefer }) => prefer === 'wait=30')
      await bank(`${await newest()}/payments`)
      expect([await counter.ended, counter.lines.at(-1)]).toEqual([0, 'receipt-1 is PAYED'])
      const charge = run('charge')
      await charge.asks(({ prefer }) => prefer === 'wait=30')
      await bank(`${await newest()}/bindings`)
      expect([await charge.ended, charge.lines.at(-1)]).toEqual([0, expect.stringMatching(/ is PAYED$/)])
      expect(await run('create').ended).toBe(0)
      expect(order()).not.toBe(before)
      await bank(`${order()}/payments`)
      for (const [name, last] of [
        ['wait', `${order()} is PAYED`],
        ['refund', 'refund-1 of 5.25 is COMPLETED'],
      ] as const) {
        const example = run(name)
        expect([await example.ended, example.lines.at(-1)]).toEqual([0, last])
      }
    })

    it('receive: a payment is delivered once; what is forged gets 401', async () => {
      const port = await freePort()
      const url = `http://127.0.0.1:${port}/`
      await site.value('/settings', { method: 'PUT', body: { callbackUrl: url } })
      const made = await site.value('/settings/notificationKeys', { method: 'POST' })
      const { key } = z.object({ key: z.string() }).parse(made)
      const notifications = join(directory, 'notifications')
      const example = run('receive', { NOTIFICATION_KEYS: key, NOTIFICATIONS: notifications }, port)
      await example.writes(listening)
      await site.create('invoice-3')
      await bank('invoice-3/payments')
      await example.writes(/^deliver invoice-3$/)

      const { notifications: sent } = z
        .object({ notifications: z.array(z.object({ id: z.string() })) })
        .parse(await site.value('/notifications?limit=1'))
      const again = await site.value(`/notifications/${sent[0]?.id}/redeliver`, { method: 'POST' })
      expect(again).toMatchObject({ httpStatus: 204 })
      const forged = await fetch(url, { method: 'POST', body: '{"type":"PAYMENT"}' })
      expect(forged.status).toBe(401)
      const test = await site.value('/notifications/test', { method: 'POST' })
      expect(test).toMatchObject({ httpStatus: 204 })
      await example.writes(/^a test$/)
      expect(example.lines.filter((line) => line.startsWith('deliver'))).toEqual(['deliver invoice-3'])
      expect(example.lines.join('\n')).not.toContain(key.slice('whsec_'.length))
    })

    it('events: each once, over a kill of the reader and a break of the connection', async () => {
      const shown = ({ lines }: Running) => lines.filter((line) => /^\d+ /.test(line))
      const cancelled = async (uid: string) => {
        await site.create(uid)
        await site.value(`/sbp/qrCodes/${uid}`, { method: 'DELETE' })
      }
      const first = run('events')
      await first.asks(({ path }) => path.includes('after='))
      first.process.kill('SIGKILL')
      await first.ended
      const before = shown(first)
      expect(before[0]).toBe(`1 qrCode.created ${oldest}`)

      await cancelled('invoice-4')
      proxy.faults = ['lost-answer', '503']
      const second = run('events')
      await second.writes(/qrCode\.cancelled invoice-4/)
      await second.asks(({ prefer, fault }) => prefer === 'wait=30' && fault === 'none')
      await cancelled('invoice-5')
      await second.writes(/qrCode\.cancelled invoice-5/)
      const numbers = [...before, ...shown(second)].map((line) => Number.parseInt(line, 10))
      expect(numbers).toEqual(Array.from(numbers, (_, index) => index + 1))
      expectNoToken(second)
    })
  })
}
