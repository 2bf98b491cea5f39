// What comes from outside besides requests of callers: webhooks and answers of banks, instructions, answers of merchants' servers.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { BankDeployment } from '../support/bank-deployment.ts'
import type { BankReply, Fault } from '../support/banks/fake-bank.ts'
import { FakeTochkaPay } from '../support/banks/tochka-pay.ts'
import { portOf } from '../support/ports.ts'
import { type Random, randomOf } from '../support/random.ts'
import { EXTERNAL } from '../support/serve.ts'
import { bytesOf, type Request } from './request.ts'
import { anyOf, type Json, jsonOf, literalOf, textOf, wrongText } from './values.ts'

export type Hostile = Awaited<ReturnType<typeof hostileServer>>

/** A server that answers by bytes: those that are set, each once, otherwise some of its own. */
export async function hostileServer(seed: number) {
  const random = randomOf(seed)
  const next: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    let received = ''
    socket.on('data', (data) => {
      received += data.toString('latin1')
      if (!received.includes('\r\n\r\n')) return
      received = ''
      const isAsked = /\/hook HTTP/.test(data.toString('latin1'))
      socket.end((isAsked ? next.shift() : undefined) ?? answerOf(random))
    })
  })
  const port = await portOf(server)
  return {
    url: `http://127.0.0.1:${port}/`,
    hook: `http://127.0.0.1:${port}/hook`,
    next,
    close: () => server.close(),
  }
}

/** The bytes of an answer that a client gets. */
export function answerOf(random: Random, right = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'): Buffer {
  const body = random.chance(0.5) ? literalOf(random) : textOf(random)
  const status = anyOf(
    random,
    [200, 201, 202, 204, 302, 304, 400, 401, 404, 410, 418, 422, 429, 500, 503, 599, 600, 999, 99, 0],
  )
  const header = anyOf(random, [
    ...[
      'Retry-After: 1',
      'Retry-After: -1',
      'Retry-After: 1e9',
      'Retry-After: Wed, 21 Oct 2099 07:28:00 GMT',
      'Retry-After: a',
    ],
    ...[
      'Location: http://127.0.0.1:1/',
      'Location: ',
      'Content-Type: text/html',
      'Content-Encoding: gzip',
      'Set-Cookie: a=b',
      `X: ${'a'.repeat(anyOf(random, [10, 9_000, 70_000]))}`,
    ],
    ...[
      'X',
      ': a',
      'X:\u0000',
      'Content-Type: application/json; charset=utf-16',
      'Connection: close',
      'Upgrade: websocket',
    ],
  ])
  const whole = `HTTP/1.1 ${status} A\r\n${header}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  switch (
    random.weighted({ whole: 8, length: 2, chunks: 2, line: 3, cut: 2, noise: 1, big: 0.2, right: 1 })
  ) {
    case 'whole':
      return Buffer.from(whole)
    case 'length':
      return Buffer.from(
        whole.replace(/Length: \d+/, `Length: ${anyOf(random, ['-1', '5', '99999999', 'a', '', '1, 2'])}`),
      )
    case 'chunks':
      return Buffer.from(
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${anyOf(random, ['zz\r\n', '5\r\nab', '0\r\n\r\n', 'fffffffff\r\n', '2\r\n{}\r\n0\r\n\r\n', '2\r\n{}\r\n'])}`,
      )
    case 'line':
      return Buffer.from(
        whole.replace(
          /^.*\r\n/,
          () =>
            `${anyOf(random, ['HTTP/1.1 200', 'HTTP/1.1', 'HTTP/3 200 OK', '200 OK', '', 'HTTP/1.1 abc OK', 'HTTP/1.1 20000 OK', 'ICY 200 OK'])}\r\n`,
        ),
      )
    case 'cut':
      return Buffer.from(whole.slice(0, random.below(whole.length)))
    case 'noise':
      return Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256)))
    case 'big':
      return Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.alloc(6_000_000, 'a')])
    case 'right':
      return Buffer.from(right)
  }
}

/** What a bank answers instead of its own reply, and sometimes nothing. Silence comes seldom: a create waits nine seconds for it. */
export function faultOf(random: Random): Fault {
  switch (random.weighted({ bytes: 90, broken: 7, silent: 3 })) {
    case 'broken':
      return { broken: random.chance(0.5) ? 'before' : 'after' }
    case 'silent':
      return { silent: true }
  }
  // Drawn before the bank is asked: the same seed gives the same answers.
  const bytes = answerOf(random)
  const seed = random.below(2 ** 31)
  if (random.chance(0.4)) return { bytes: () => bytes }
  return { bytes: (reply) => changedReply(randomOf(seed), reply) }
}

function changedReply(random: Random, { status, body }: BankReply): Buffer {
  const text = jsonOf(random, JSON.parse(JSON.stringify(body ?? {})))
  const head = `HTTP/1.1 ${random.chance(0.8) ? status : anyOf(random, [200, 400, 404, 500])} A\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), text])
}

const post = (host: string, target: string, headers: Request['headers'], body: Buffer): Buffer =>
  bytesOf({ method: 'POST', target, headers: [['Host', host], ...headers], body })

export interface ToConnector {
  bytes: Buffer
  /** What it may answer. */
  statuses: readonly number[]
}

/** Some of the fields, each with another text. */
const changedIn = (random: Random, fields: object): Record<string, string> =>
  Object.fromEntries(
    Object.keys(fields)
      .filter(() => random.chance(0.15))
      .map((name) => [name, textOf(random).toWellFormed()]),
  )

const headerOf = (random: Random): object | undefined =>
  random.chance(0.2) ? { alg: anyOf(random, ['none', 'HS256', 'RS512', '']), typ: 'JWT' } : undefined

/** The JWT, or what is sent in its place. */
function jwtOf(random: Random, jwt: string, isSigned: boolean): Buffer {
  if (isSigned) return Buffer.from(jwt)
  const unsigned = jwt.slice(0, jwt.lastIndexOf('.') + 1)
  return Buffer.from(anyOf(random, [wrongText(random, jwt), unsigned, textOf(random), literalOf(random)]))
}

/** A webhook that its bank has not sent. Some are signed by the bank's key all the same. */
export function webhookOf(random: Random, { banks }: BankDeployment, host: string): ToConnector {
  const { tochka, tbank, raiffeisen } = banks
  const bank = anyOf(random, ['tochka-main', 'tbank-cafe', 'raif-farm', 'pay-club', 'nobody', '..', '%', ''])
  const target = `/webhooks/${bank}`
  const isSigned = random.chance(0.05)
  const uid = `unknown-${random.below(50)}`
  const statuses = [200, 400, 401, 404, 413]
  switch (bank) {
    case 'tochka-main': {
      const claims = {
        ...{
          operationId: uid,
          qrcId: uid,
          amount: '5.00',
          payerMobileNumber: '+79991234567',
          payerName: 'И',
          brandName: 'Чай',
        },
        ...{
          merchantId: tochka.merchantId,
          purpose: 'Чай',
          webhookType: 'incomingSbpPayment',
          customerCode: tochka.customerCode,
          refTransactionId: uid,
        },
      }
      const jwt = tochka.sign({ ...claims, ...changedIn(random, claims) }, headerOf(random))
      const body = jwtOf(random, jwt, isSigned)
      return { bytes: post(host, target, [['Content-Type', 'text/plain']], body), statuses }
    }
    case 'pay-club': {
      const pay = banks.all.map(({ fake }) => fake).find((fake) => fake instanceof FakeTochkaPay)
      const status = { value: 'COMPLETED', changedDateTime: '2026-11-24T10:00:00+03:00' }
      const amount = { amount: '5.00', currency: 'RUB' }
      const payload = {
        ...{ paymentUid: uid, refundUid: uid, qrcId: uid, status: anyOf(random, [status, 'ACCEPTED', {}]) },
        ...{ createdDateTime: status.changedDateTime, amount, refundedAmount: amount, isTest: false },
        ...{ paymentMethod: { type: anyOf(random, ['SBP', 'SBP_TOKEN', '']), qrcId: uid }, token: uid },
      }
      const events = ['payment-updated', 'refund-updated', 'sbp-token-issued', 'sbp-token-declined', 'other']
      const claims = {
        ...{ version: '1.0', siteUid: pay?.siteUid ?? '', event: anyOf(random, events), paymentUid: uid },
        payload: { ...payload, ...changedIn(random, payload) },
      }
      const jwt = pay?.keys.jwt({ ...claims, ...changedIn(random, claims) }, headerOf(random)) ?? ''
      const body = jwtOf(random, jwt, isSigned)
      return { bytes: post(host, target, [['Content-Type', 'text/plain']], body), statuses }
    }
    case 'tbank-cafe': {
      const fields: Record<string, Json> = {
        ...{
          TerminalKey: tbank.terminalKey,
          OrderId: uid,
          Success: true,
          Status: 'CONFIRMED',
          PaymentId: uid,
          ErrorCode: '0',
          Amount: 500,
        },
        ...(random.chance(0.2) && { NotificationType: 'LINKACCOUNT', RequestKey: uid, Status: 'ACTIVE' }),
      }
      const text = jsonOf(random, { ...fields, Token: random.chance(0.5) ? 'a'.repeat(64) : '' })
      const body = isSigned ? Buffer.from(JSON.stringify({ ...fields, Token: tbank.tokenOf(fields) })) : text
      return { bytes: post(host, target, [['Content-Type', 'application/json']], body), statuses }
    }
    case 'raif-farm': {
      const fields = {
        amount: '5.00',
        sbpMerchantId: raiffeisen.sbpMerchantId,
        order: uid,
        paymentStatus: 'SUCCESS',
        transactionDate: '2026-11-24T10:00:00+03:00',
      }
      const signature = createHmac('sha256', raiffeisen.secretKey)
        .update(Object.values(fields).join('|'))
        .digest('hex')
      const body = isSigned
        ? Buffer.from(JSON.stringify(fields))
        : jsonOf(random, random.chance(0.3) ? { event: 'subscription', subscription: { id: uid } } : fields)
      const shown = isSigned ? signature : wrongText(random, signature).replaceAll(/[^ -~]/g, '?')
      return {
        bytes: post(
          host,
          target,
          [
            ['Content-Type', 'application/json'],
            ['x-api-signature-sha256', shown],
          ],
          body,
        ),
        statuses,
      }
    }
    default:
      return { bytes: post(host, target, [], jsonOf(random, {})), statuses }
  }
}

const TYPES = [
  'qrCode.register',
  'qrCode.cancel',
  'sale.activate',
  'sale.deactivate',
  'refund.create',
  'payment.charge',
  'token.delete',
  'other',
] as const

/** An instruction that the service has not sent; what is signed is refused by its fields. @param now milliseconds */
export function instructionOf(random: Random, host: string, now: number): ToConnector {
  const data = {
    ...{
      siteId: anyOf(random, ['nobody', 'other', '']),
      key: 'A'.repeat(32),
      type: 'DYNAMIC',
      qrcId: 'none',
      paymentUid: 'none',
      refundUid: 'none',
      bindingUid: 'none',
    },
    ...{
      saleUid: 'none',
      amount: { value: '5.00', currency: 'RUB' },
      expiresOn: '2020-01-01T00:00:00Z',
      reference: 'none:none',
    },
  }
  const body = jsonOf(random, { type: anyOf(random, TYPES), timestamp: new Date(now).toISOString(), data })
  const at = new Date(random.chance(0.9) ? now : now - anyOf(random, [301_000, -301_000, 1e10]))
  const id = `fuzz-${random.below(1e6)}`
  const signature = new Webhook(EXTERNAL.NETWORK_SECRET).sign(id, at, body.toString())
  const shown = random.chance(0.3) ? signature : wrongText(random, signature).replaceAll(/[^ -~]/g, '?')
  const headers: Request['headers'] = [
    ['webhook-id', id],
    ['webhook-timestamp', String(Math.floor(at.getTime() / 1000))],
    ['webhook-signature', shown],
    ['Content-Type', 'application/json'],
  ]
  // With something behind it a signature is still there.
  const isSigned = shown.includes(signature)
  const statuses = isSigned ? [200, 202, 204, 400, 401, 404, 413, 422, 501, 503] : [400, 401, 404, 413]
  return { bytes: post(host, '/instructions', headers, body), statuses }
}
