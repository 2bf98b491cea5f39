// Bodies that arrive late, incomplete, empty or too large.
import { describe, expect, it } from 'vitest'
import { qrCodeBody } from '../support/client.ts'
import { COLLECTION, call, create, errorOf, FORM, ORIGIN, serviceWith, tokenOf } from '../support/service.ts'

const WHOLE = JSON.stringify(qrCodeBody())
const bytes = (text: string) => new TextEncoder().encode(text)

/** A service, and the line that it logged. */
function logged(sleep?: (milliseconds: number) => Promise<void>) {
  const lines: string[] = []
  const service = serviceWith({
    settings: { PAYMENT_NETWORK: 'sandbox' },
    log: (line) => lines.push(line),
    ...(sleep && { sleep }),
  })
  return { service, entry: () => JSON.parse(lines[0] ?? '{}') as Record<string, unknown> }
}

/** A body that sends its beginning, and then does `then`. */
const partly = (
  then: (controller: ReadableStreamDefaultController<Uint8Array>) => void,
  onCancel = () => {},
) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes(WHOLE.slice(0, 20))),
    pull: then,
    cancel: onCancel,
  })
const broken = () => partly((controller) => controller.error(new Error('Network connection lost.')))

/** A body with a known length is read otherwise than a stream. */
const LENGTHS: [string, Record<string, string>][] = [
  ['with Content-Length', { 'Content-Length': `${WHOLE.length}` }],
  ['chunked', {}],
]

describe.each(LENGTHS)('a body %s', (_, headers) => {
  it('that ends early: 400, and the log has no fault but that the client was disconnected', async () => {
    const { service, entry } = logged()
    const response = await call(COLLECTION, { method: 'POST', body: broken(), headers }, service)
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({
      errorCode: 'http.message.conversion.failed',
      description: 'the body ended before it was complete',
    })
    expect(entry()).toMatchObject({ status: 400, disconnected: true })
    expect(entry()).not.toHaveProperty('fault')
  })

  it('that does not arrive within 10 seconds: 400', async () => {
    const asked: number[] = []
    const { service, entry } = logged(async (milliseconds) => void asked.push(milliseconds))
    const stalled = partly(() => new Promise(() => {}))
    const response = await call(COLLECTION, { method: 'POST', body: stalled, headers }, service)
    expect(asked).toEqual([10_000])
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toMatchObject({
      errorCode: 'http.message.conversion.failed',
      description: 'the body did not arrive within 10 seconds',
    })
    expect(entry()).not.toHaveProperty('disconnected')
    expect(entry()).not.toHaveProperty('fault')
  })
})

it.each<[string, unknown, Record<string, string>]>([
  ['no body', undefined, {}],
  ['a body of length 0', '', { 'Content-Length': '0' }],
  ['an empty chunked body', new Blob([]).stream(), {}],
])('%s: 400 says that it is empty', async (_, body, headers) => {
  const response = await call(COLLECTION, {
    method: 'POST',
    body,
    headers: { ...headers, 'Content-Type': 'application/json' },
  })
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({
    errorCode: 'http.message.conversion.failed',
    description: 'the body is empty, must be a JSON object',
  })
})

it('a chunked body that is late or too large is cancelled', async () => {
  let cancelled = 0
  const cancel = () => void cancelled++
  const late = partly(() => new Promise(() => {}), cancel)
  const { service } = logged(async () => {})
  expect((await call(COLLECTION, { method: 'POST', body: late }, service)).status).toBe(400)
  const endless = partly((controller) => controller.enqueue(new Uint8Array(10_000)), cancel)
  expect((await call(COLLECTION, { method: 'POST', body: endless }, logged().service)).status).toBe(413)
  expect(cancelled).toBe(2)
})

it('a chunked body of 64 KiB is read whole, and of one byte more is too large', async () => {
  const stream = (size: number) => new Blob([WHOLE.padEnd(size)]).stream().pipeThrough(new TransformStream())
  expect((await call(COLLECTION, { method: 'POST', body: stream(65_536) })).status).toBe(200)
  expect((await call(COLLECTION, { method: 'POST', body: stream(65_537) })).status).toBe(413)
})

it('a form that ends early: 400, on the home page and on the payer’s', async () => {
  const { service } = logged()
  const { qrCode } = await create(qrCodeBody({ amount: { value: 1 } }))
  for (const path of ['/', qrCode.payload.slice(ORIGIN.length)]) {
    const response = await call(path, { token: null, method: 'POST', headers: FORM, body: broken() }, service)
    expect(response.status).toBe(400)
  }
})

describe('a form with Content-Encoding', () => {
  const settings = { PAYMENT_NETWORK: 'sandbox' }
  const pageOf = async () => {
    const { pageUrl } = await create(qrCodeBody({ amount: { value: 5 } }), {}, serviceWith({ settings }))
    return pageUrl.slice(ORIGIN.length)
  }

  it.each([
    ['of the payer’s page', pageOf, async () => 'action=pay'],
    ['of the console', async () => '/console/sign-in', async () => `token=${await tokenOf()}`],
    ['of the start page', async () => '/', async () => 'amount=5'],
  ])('%s is a page, 415, that names what is taken; identity is fine', async (_, at, bodyOf) => {
    const send = async (coding: string) =>
      call(
        await at(),
        {
          token: null,
          method: 'POST',
          body: await bodyOf(),
          headers: { ...FORM, Accept: 'text/html', 'Content-Encoding': coding },
        },
        serviceWith({ settings }),
      )
    const refused = await send('gzip')
    expect([refused.status, refused.headers.get('Accept-Encoding')]).toEqual([415, 'identity'])
    expect(refused.headers.get('Content-Type')).toContain('text/html')
    expect((await send('identity')).status).toBe(303)
  })
})

it('a large logo with Content-Encoding is read before it is refused: a proxy gets the answer', async () => {
  let taken = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (taken === 200) return controller.close()
      taken++
      controller.enqueue(new Uint8Array(1024))
    },
  })
  const headers = {
    'Content-Type': 'image/png',
    'Content-Length': `${200 * 1024}`,
    'Content-Encoding': 'gzip',
  }
  const token = await tokenOf({ scope: 'merchant:admin' })
  const sent = { method: 'PUT', body: stream, headers, token }
  const response = await call('/payin/v1/sites/demo/settings/logo', sent, serviceWith({}))
  expect([response.status, taken]).toEqual([415, 200])
})
