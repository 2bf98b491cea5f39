// Requests over connections that trust a `ca`: they are those of the global fetch, and fail as it does.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { Unavailable } from '../../connector/banks/bank-errors.ts'
import { type BankRequest, send } from '../../connector/banks/http.ts'
import { authoritiesOf, contextWith } from '../../connector/tls/authorities.ts'
import { fetchTrusting } from '../../connector/tls/fetch.ts'
import { portOf } from '../support/ports.ts'
import { tlsFront } from '../support/tls-front.ts'
import { HOSTS, makeChains } from './behind-tls.ts'
import { afterwards } from './harness.ts'

const { make, root, sub, leaf } = makeChains()

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A bank with a certificate of the private authority. @returns its address, and how many connections it has had and has */
async function bank(handler: Handler) {
  const cert = leaf.certificate + sub.certificate
  const server = createServer({ key: leaf.key, cert, keepAliveTimeout: 0 }, handler)
  let [connections, open] = [0, 0]
  server.on('secureConnection', (socket) => {
    connections++
    open++
    socket.once('close', () => {
      open--
    })
  })
  const url = `https://localhost:${await portOf(server)}`
  afterwards(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  return { url, connections: () => connections, open: () => open }
}

/** Calls with the authority in `ca`. */
function caller(times: { connect?: number; idle?: number } = {}) {
  const authorities = authoritiesOf(root.certificate, Date.now())
  const fetch = fetchTrusting(authorities, { connect: 10_000, idle: 60_000, ...times })
  return (request: Partial<BankRequest> & { url: string }) =>
    send({ operation: 'a', method: 'GET', ...request }, { fetch, whyUnverified: async () => 'a reason' })
}

async function failureOf(answered: Promise<unknown>): Promise<{ message: string; isInDoubt: boolean }> {
  const error = await answered.catch((caught: unknown) => caught)
  if (!(error instanceof Unavailable)) throw new Error(`it has ${JSON.stringify(error)}`)
  return error
}

describe('a request', () => {
  it.each<[BankRequest['method'], object | undefined, string | undefined]>([
    ['GET', undefined, undefined],
    ['POST', { text: 'Чай' }, '17'],
    ['POST', undefined, '0'],
    ['PUT', { a: 1 }, '7'],
    ['DELETE', undefined, undefined],
    ['DELETE', { a: 1 }, '7'],
  ])('%s with the body %j is whole', async (method, body, length) => {
    const { url } = await bank(async (request, response) => {
      const { method: by, url: path, headers } = request
      response.end(JSON.stringify({ by, path, headers, body: await text(request) }))
    })
    const path = '/v1/a%2Fb?c=1&d=%20'
    const answer = await caller()({ method, url: url + path, headers: { Token: 'x' }, ...(body && { body }) })
    expect(answer.body).toMatchObject({ by: method, path, body: body ? JSON.stringify(body) : '' })
    const { headers } = Object(answer.body)
    expect(headers).toMatchObject({ 'user-agent': 'node', accept: 'application/json', token: 'x' })
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual([length, undefined])
  })

  it.each<[string, Handler, object]>([
    ['of 200', (_, response) => response.end('{"a":1}'), { status: 200, body: { a: 1 } }],
    ['of 204, without a body', (_, response) => response.writeHead(204).end(), { status: 204, body: '' }],
    [
      'of 302, which is not followed',
      (_, response) => response.writeHead(302, { Location: '/other' }).end('moved'),
      { status: 302, body: 'moved' },
    ],
    [
      'of 429, with its time',
      (_, response) => response.writeHead(429, { 'Retry-After': '7' }).end(),
      { status: 429, retryAfter: 7 },
    ],
    ['in HTML', (_, response) => response.writeHead(502).end('<p>Чай'), { status: 502, body: '<p>Чай' }],
  ])('has the answer %s', async (_, handler, expected) => {
    const { url } = await bank(handler)
    expect(await caller()({ url })).toMatchObject(expected)
  })

  it('uses the connection of the one before', async () => {
    const { url, connections } = await bank((_, response) => response.end('{}'))
    const call = caller()
    for (let i = 0; i < 5; i++) await call({ url })
    expect(connections()).toBe(1)
  })

  it('closes a connection that is idle, and none on which it waits for an answer', async () => {
    const { url, connections, open } = await bank((_, response) => {
      setTimeout(() => response.end('{}'), 50)
    })
    const call = caller({ idle: 1 })
    expect(await call({ url })).toMatchObject({ status: 200 })
    await expect.poll(open).toBe(0)
    expect(await call({ url })).toMatchObject({ status: 200 })
    expect(connections()).toBe(2)
  })

  it('does not wait for one that has no answer yet', async () => {
    const open: ServerResponse[] = []
    const { url } = await bank((_, response) => {
      open.push(response)
      if (open.length === 3) for (const [i, each] of open.entries()) each.end(String(i))
    })
    const call = caller()
    const bodies = await Promise.all([1, 2, 3].map(async () => (await call({ url })).body))
    expect(bodies.toSorted()).toEqual([0, 1, 2])
  })
})

it('credentials with the same certificates share what is made of them, and others do not', () => {
  const of = ({ certificate }: { certificate: string }) => contextWith(authoritiesOf(certificate, Date.now()))
  expect(of(root)).toBe(of(root))
  expect(of(sub)).not.toBe(of(root))
  expect(contextWith([])).not.toBe(of(root))
})

describe('may have been sent', () => {
  it.each<[string, Handler]>([
    ['a connection that breaks before the answer', ({ socket }) => socket.destroy()],
    [
      'a connection that breaks within the answer',
      ({ socket }, response) => response.write('{"a":', () => socket.destroy()),
    ],
    [
      'an answer that never ends',
      (_, response) => {
        const more = () => response.write(Buffer.alloc(1024 * 1024, 'a'), (error) => error ?? more())
        more()
      },
    ],
    ['bytes that are not HTTP', ({ socket }) => socket.end('SSH-2.0-bank\r\n')],
  ])('%s', async (_, handler) => {
    const { url } = await bank(handler)
    expect((await failureOf(caller()({ url, method: 'POST' }))).isInDoubt).toBe(true)
  })

  it.each(['before the answer', 'within the answer'])('a signal that ends it %s', async (when) => {
    const reached = Promise.withResolvers<void>()
    const { url } = await bank((_, response) => {
      if (when === 'within the answer') response.write('{"a":', () => reached.resolve())
      else reached.resolve()
    })
    const ended = new AbortController()
    const failure = failureOf(caller()({ url, method: 'POST', signal: ended.signal }))
    await reached.promise
    ended.abort(new DOMException('too late', 'TimeoutError'))
    expect((await failure).isInDoubt).toBe(true)
  })
})

/** A server that never says anything. @returns its address, and what resolves with its first connection */
async function silent() {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => sockets.push(socket))
  const connected = once(server, 'connection')
  const url = `https://127.0.0.1:${await portOf(server)}`
  afterwards(async () => {
    for (const socket of sockets) socket.destroy()
    await once(server.close(), 'close')
  })
  return { url, connected }
}

it.each(['before it connects', 'while it connects'])('a signal ends a request %s at once', async (when) => {
  const { url, connected } = await silent()
  const ended = new AbortController()
  const end = () => ended.abort(new DOMException('too late', 'TimeoutError'))
  if (when === 'before it connects') end()
  const failure = failureOf(caller({ connect: 600_000 })({ url, signal: ended.signal }))
  if (when === 'while it connects') await connected.then(end)
  expect((await failure).message).toBe('a: too late')
})

describe('was not sent', () => {
  it('a connection that is refused', async () => {
    const server = createTcpServer()
    const url = `https://127.0.0.1:${await portOf(server)}`
    await once(server.close(), 'close')
    expect((await failureOf(caller()({ url }))).isInDoubt).toBe(false)
  })

  it('a connection that takes too long', async () => {
    const { url } = await silent()
    const { isInDoubt, message } = await failureOf(caller({ connect: 50 })({ url }))
    expect([isInDoubt, message]).toEqual([false, 'a: fetch failed: no connection within 50 ms'])
  })

  it('a request behind one whose certificate was refused', async () => {
    const front = await tlsFront('http://127.0.0.1:1', make({ name: 'other', hosts: HOSTS }))
    afterwards(front.close)
    const call = caller()
    const url = `https://127.0.0.1:${front.port}`
    for (let i = 0; i < 3; i++) {
      const failure = await failureOf(call({ url, method: 'POST', body: { a: 'x'.repeat(100_000) } }))
      expect(failure).toMatchObject({ isInDoubt: false, message: 'a: a reason' })
    }
    expect(front.received()).toBe(0)
  })
})
