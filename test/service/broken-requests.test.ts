// Broken and hostile requests, byte by byte: each is refused or cut off, and none is a fault of the service.
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'

const service = bareWorkerd()
const token = await mintToken(service.secret, { siteId: 'demo', scope: 'merchant', days: 1 })
let port: number
beforeAll(async () => {
  port = await service.start()
})
afterAll(() => service.dispose())

const HOST = 'Host: qr.example'
const COLLECTION = '/payin/v1/sites/demo/sbp/qrCodes'
const BODY = '{"qrCodeUid":"order-1","qrCode":{"type":"DYNAMIC"}}'
const CHUNK = `${BODY.length.toString(16)}\r\n${BODY}\r\n`

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
const get = (headers: string[], startLine = 'GET /healthz HTTP/1.1') =>
  lines(startLine, ...headers, 'Connection: close')
/** A create with the right token; its framing headers and its body are given. */
const post = (headers: string[], body = BODY, host = HOST, target = COLLECTION) =>
  lines(
    `POST ${target} HTTP/1.1`,
    host,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Connection: close',
    ...headers,
  ) + body
const createAt = (...hosts: string[]) => post([`Content-Length: ${BODY.length}`], BODY, hosts.join('\r\n'))

/** How the client goes on when it has sent everything: it reads, ends its side first, or resets the connection. */
type Then = 'reads' | 'FIN' | 'RST'
/** Time in which the service reads what was sent before the client resets the connection, and in which it notices. */
const RST_MS = 150

/** Sends the bytes and reads until the connection is closed. */
function send(bytes: string, then: Then = 'reads'): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    socket.setEncoding('latin1')
    socket.write(bytes, 'latin1')
    if (then === 'FIN') socket.end()
    if (then === 'RST') setTimeout(() => socket.resetAndDestroy(), RST_MS)
    socket.on('data', (text) => {
      received += text
    })
    socket.on('end', () => socket.end())
    // A service that closes with bytes unread resets the connection.
    socket.on('error', () => {})
    socket.on('close', () => setTimeout(resolve, then === 'RST' ? RST_MS : 0, received))
  })
}

/** The status of each answer, with the errorCode where the service itself refuses: `400`, `404 http.url.not.found`. */
const outcomes = (received: string): string[] =>
  received.split(/(?=HTTP\/1\.[01] \d{3} )/).flatMap((answer) => {
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1]
    const errorCode = /"errorCode":"([^"]+)"/.exec(answer)?.[1]
    return status ? [errorCode ? `${status} ${errorCode}` : status] : []
  })

const healthLines = () => service.log().split('"/healthz"').length - 1

/** What the service has logged since, once it has answered one request more. */
async function logSince(before: number): Promise<string> {
  const answered = healthLines()
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
  await vi.waitFor(() => expect(healthLines()).toBeGreaterThan(answered), 60_000)
  return service.log().slice(before)
}

const FAULT = /"fault"|"status":5|uncaught/i
const CUT = ['400 http.message.conversion.failed']
const MISDIRECTED = ['421 http.misdirected.request']
const BY_THE_RUNTIME = ['400']

describe.each<[what: string, bytes: string, expected: string[], then?: Then]>([
  ['a body shorter than Content-Length, then FIN', post(['Content-Length: 1000']), CUT, 'FIN'],
  ['a body shorter than Content-Length, then RST', post(['Content-Length: 1000']), [], 'RST'],
  ['no body where Content-Length names one, then FIN', post(['Content-Length: 1000'], ''), CUT, 'FIN'],
  ['a chunk cut short, then FIN', post(['Transfer-Encoding: chunked'], `ff\r\n${BODY}`), CUT, 'FIN'],
  ['a chunk cut short, then RST', post(['Transfer-Encoding: chunked'], `ff\r\n${BODY}`), [], 'RST'],
  ['chunks without the last one, then FIN', post(['Transfer-Encoding: chunked'], CHUNK), CUT, 'FIN'],
  ['a chunk size that is no number', post(['Transfer-Encoding: chunked'], `zz\r\n${BODY}`), CUT],
  ['a negative chunk size', post(['Transfer-Encoding: chunked'], `-5\r\n${BODY}`), CUT],
  ['a chunk size over 64 bits', post(['Transfer-Encoding: chunked'], `${'f'.repeat(17)}\r\n${BODY}`), CUT],
  ['a Content-Length that is no number', post(['Content-Length: abc']), BY_THE_RUNTIME],
  ['a negative Content-Length', post(['Content-Length: -1']), BY_THE_RUNTIME],
  ['two different Content-Lengths', post([`Content-Length: ${BODY.length}`, 'Content-Length: 5']), ['400']],
  ['an unknown Transfer-Encoding', post(['Transfer-Encoding: xchunked']), BY_THE_RUNTIME],
  [
    // RFC 9112, section 6.1: the chunks count, and the connection is closed.
    'Transfer-Encoding and Content-Length, with a request behind the last chunk',
    post(['Content-Length: 5', 'Transfer-Encoding: chunked'], `${CHUNK}0\r\n\r\n${get([HOST])}`),
    ['200'],
  ],

  ['headers that never end', `GET /healthz HTTP/1.1\r\n${HOST}\r\nX-A: `, [], 'RST'],
  ['a header cut short, then FIN', `GET /healthz HTTP/1.1\r\n${HOST}\r\nX-A: `, [], 'FIN'],
  ['a NUL in a header', get([HOST, 'X-A: b\0c']), BY_THE_RUNTIME],
  ['a CR in a header', get([HOST, 'X-A: b\rc']), BY_THE_RUNTIME],
  ['a folded header', get([HOST, 'X-A: b\r\n c']), BY_THE_RUNTIME],
  ['a folded Host', get([`${HOST}\r\n .evil.com`]), BY_THE_RUNTIME],
  ['a blank before the colon', get(['Host : qr.example']), BY_THE_RUNTIME],
  ['a header without a colon', get([HOST, 'nonsense']), BY_THE_RUNTIME],
  ['bytes that are no text in a header', get([HOST, 'Prefer: \xff\xfe']), ['200']],

  ['no Host', get([]), BY_THE_RUNTIME],
  ['an empty Host', get(['Host:']), BY_THE_RUNTIME],
  ['a Host of other than ASCII characters', get(['Host: \xe9.example']), BY_THE_RUNTIME],
  ['a Host with user info', createAt('Host: user@evil.com'), MISDIRECTED],
  ['a Host of 3,000 characters', createAt(`Host: ${'a'.repeat(3000)}`), MISDIRECTED],
  ['two Hosts', createAt('Host: a.example', 'Host: b.example'), MISDIRECTED],
  ['a Host with a blank', createAt('Host: a b'), MISDIRECTED],
  ['a Host with a path', createAt('Host: evil.com/a?b#c'), MISDIRECTED],
  ['a Host with markup', createAt('Host: a"><script>'), MISDIRECTED],
  ['a Host with an open bracket', createAt('Host: ['), MISDIRECTED],
  ['a Host with a port over 65535', createAt('Host: qr.example:99999'), MISDIRECTED],

  ['HTTP/1.0', get([HOST], 'GET /healthz HTTP/1.0'), ['200']],
  ['HTTP/1.0 without Host', get([], 'GET /healthz HTTP/1.0'), BY_THE_RUNTIME],
  ['HTTP/2.0 as text', get([HOST], 'GET /healthz HTTP/2.0'), BY_THE_RUNTIME],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', BY_THE_RUNTIME],
  ['a method in small letters', get([HOST], 'get /healthz HTTP/1.1'), ['501']],
  [
    'CONNECT, of which the connection is closed',
    lines('CONNECT a.example:443 HTTP/1.1', 'Host: a.example'),
    ['200'],
  ],
  ['an unknown method', get([HOST], 'BREW /healthz HTTP/1.1'), ['501']],
  ['the target *', get([HOST], 'OPTIONS * HTTP/1.1'), ['404 http.url.not.found']],
  ['a target of 100,000 characters', get([HOST], `GET /${'a'.repeat(100_000)} HTTP/1.1`), ['414']],
  ['a NUL in the target', get([HOST], 'GET /heal\0thz HTTP/1.1'), BY_THE_RUNTIME],
  ['a target that is not ASCII', get([HOST], 'GET /\xe9 HTTP/1.1'), BY_THE_RUNTIME],
  [
    'a target with a broken percent-encoding',
    post([], '', HOST, `${COLLECTION}/%ff%zz`),
    ['405 http.method.not.supported'],
  ],
  [
    'pipelined requests',
    [lines('GET /healthz HTTP/1.1', HOST), lines('GET /nowhere HTTP/1.1', HOST), get([HOST])].join(''),
    ['200', '404 http.url.not.found', '200'],
  ],
])('%s', (_, bytes, expected, then) => {
  const answer = expected.length === 0 ? 'without an answer' : `with ${expected.join(', ')}`
  it(`ends ${answer} and without a fault, and the service goes on`, async () => {
    const before = service.log().length
    expect(outcomes(await send(bytes, then))).toEqual(expected)
    expect(await logSince(before)).not.toMatch(FAULT)
  })
})

it('a client that sends all of a body that is too large before it reads gets the answer', async () => {
  const [piece, count] = [' '.repeat(64 * 1024), 32]
  const before = service.log().length
  const socket = connect({ host: '127.0.0.1', port })
  // A write that fails rejects as well.
  socket.on('error', () => {})
  const write = promisify((bytes: string, done: (error?: Error | null) => void) => socket.write(bytes, done))
  await write(post([`Content-Length: ${count * piece.length}`], ''))
  for (let i = 0; i < count; i++) {
    // Slowly: otherwise the buffers of the system take all of it, and the client does not notice that the connection is closed.
    await sleep(5)
    await write(piece)
  }
  expect(outcomes(await text(socket))).toEqual(['413 http.message.too.large'])
  expect(await logSince(before)).not.toMatch(FAULT)
})

it('headers over the limit of the runtime end the connection, and the service goes on', async () => {
  const before = service.log().length
  const headers = 'X-A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n'.repeat(20_000)
  // The answer is lost where the reset overtakes it.
  expect([[], ['431']]).toContainEqual(outcomes(await send(`GET /healthz HTTP/1.1\r\n${headers}`)))
  expect(await logSince(before)).not.toMatch(FAULT)
})

it.each(['http://evil.com', 'http://user:password@evil.com', 'ftp://evil.com'])(
  'a target in absolute form at %s makes a link to the Host, not to the target',
  async (origin) => {
    const request = post([`Content-Length: ${BODY.length}`], BODY, HOST, `${origin}${COLLECTION}`)
    const received = await send(request)
    expect(outcomes(received)).toEqual(['200'])
    expect(received).toContain('"payload":"http://qr.example/pay/demo/')
    expect(received).not.toContain('evil')
  },
)

/** Targets that check the Host, with and without a page; `*` is a target of OPTIONS alone (RFC 9112, section 3.2.4). */
const TARGETS = [
  '/',
  '/docs',
  '/openapi.json',
  '/nothing',
  COLLECTION,
  '/pay/demo/x?type=02&crc=0000&lang=en',
  '/pay/demo/x/banks?type=02&crc=0000',
  '/pay/demo/x/state?type=02&crc=0000',
  '/pay',
  '*',
]
const ACCEPTS = ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json']

/** Headers that every response of the service has. */
const OWED = [
  'cache-control',
  'content-security-policy',
  'content-type',
  'cross-origin-resource-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
  'x-trace-id',
]

const headersOf = (received: string) =>
  new Map(
    (received.split('\r\n\r\n', 1)[0] ?? '')
      .split('\r\n')
      .slice(1)
      .map((line): [string, string] => {
        const [name = '', ...value] = line.split(': ')
        return [name.toLowerCase(), value.join(': ')]
      }),
  )

describe.each(['[', ']', '[::1', 'a%', '%', '^', '<script>', 'a b', '|', 'a\\b', 'a:b:c', '[]', '..%2f'])(
  'the malformed Host %s',
  (host) => {
    it('gets 421 for every target, complete and logged, as a page and as an error object', async () => {
      for (const target of TARGETS) {
        for (const accept of ACCEPTS) {
          const before = service.log().length
          const received = await send(get([`Host: ${host}`, `Accept: ${accept}`], `GET ${target} HTTP/1.1`))
          expect([target, accept, received.split('\r\n')[0]]).toEqual([
            target,
            accept,
            'HTTP/1.1 421 Misdirected Request',
          ])
          const headers = headersOf(received)
          expect(OWED.filter((name) => !headers.has(name))).toEqual([])
          const log = await logSince(before)
          expect(log).toMatch(
            new RegExp(`"traceId":"${headers.get('x-trace-id')}".*"status":421.*"http.misdirected.request"`),
          )
          expect(log).not.toMatch(FAULT)
        }
      }
    })
  },
)

it.each(ACCEPTS)('GET * with a good Host gets 404, complete and logged, for Accept: %s', async (accept) => {
  const before = service.log().length
  const received = await send(get([HOST, `Accept: ${accept}`], 'GET * HTTP/1.1'))
  expect(received.split('\r\n')[0]).toBe('HTTP/1.1 404 Not Found')
  const headers = headersOf(received)
  expect(OWED.filter((name) => !headers.has(name))).toEqual([])
  expect(await logSince(before)).toMatch(
    new RegExp(`"traceId":"${headers.get('x-trace-id')}".*"status":404.*"http.url.not.found"`),
  )
})
