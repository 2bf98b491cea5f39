// A settlement file that is sent to the real build: connections that break leave nothing, and a refusal reaches the client.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { encode } from '../support/settlement/files.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'

const service = bareWorkerd({})
afterAll(() => service.dispose())

const PATH = '/payin/v1/sites/tea/settlements'
const QUERY = '?bank=tbank&format=registry'
const FILE = encode(
  tbankText(
    [1, 2, 3].map((number) =>
      tbankLine({
        ...{ number: `${number}`, paymentId: `${700_000_000 + number}` },
        operationId: `A${String(number).padStart(31, '0')}`,
      }),
    ),
  ),
  'windows-1251',
)
/** Two of its lines: a file that is cut off there looks whole. */
const BEGINNING = FILE.subarray(0, (FILE.length / 3) * 2)

let port = 0
let token = ''
beforeAll(async () => {
  port = await service.start()
  token = await mintToken(service.secret, { siteId: 'tea', scope: 'merchant:accounting', days: 1 })
})

const ask = (below: string, more: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${PATH}${below}`, {
    ...more,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'text/csv' },
  })
const put = (uid: string, body: Uint8Array<ArrayBuffer>) => ask(`/${uid}${QUERY}`, { method: 'PUT', body })

/** Sends a part of a request, and breaks the connection. */
const broken = (head: string, ...parts: (string | Uint8Array)[]) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `PUT ${PATH}/broken${QUERY} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: text/csv\r\n${head}\r\n\r\n`,
      )
      for (const part of parts) socket.write(part)
      setTimeout(() => socket.destroy(), 300)
    })
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })

describe('a connection that breaks between two lines', () => {
  it.each<[string, () => Promise<void>]>([
    ['of a stated length', () => broken(`Content-Length: ${FILE.length}`, BEGINNING)],
    [
      'of a chunked body',
      () => broken('Transfer-Encoding: chunked', `${BEGINNING.length.toString(16)}\r\n`, BEGINNING, '\r\n'),
    ],
  ])('(%s) leaves nothing, and the next import begins at once', async (name, send) => {
    await send()
    await expect
      .poll(async () => (await put(name, FILE.slice())).status, { timeout: 20_000, interval: 200 })
      .toBe(201)
    const listed = await (await ask('')).json()
    expect(listed).toMatchObject({ settlements: [{ settlementUid: name, entries: 3, repeated: 0 }] })
    expect((await ask(`/${encodeURIComponent(name)}`, { method: 'DELETE' })).status).toBe(204)
  })
})

describe('a refusal reaches a client that sends megabytes', () => {
  const page = new Uint8Array(20 * 1024 * 1024).fill(0x20)
  page.set(encode('<!DOCTYPE html>\n', 'utf-8'))

  it.each<[string, () => Uint8Array<ArrayBuffer>, number, string]>([
    ['of another file', () => page, 400, 'settlement.unreadable'],
    ['of 33 MiB', () => new Uint8Array(33 * 1024 * 1024), 413, 'http.message.too.large'],
  ])('(%s)', async (_, body, status, errorCode) => {
    const response = await put('refused', body())
    expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ errorCode })])
  })
})
