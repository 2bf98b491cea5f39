// Pictures: in the answer to a creation, and at an address of their own (contract, sections 5 and 7).
import { describe, expect, it } from 'vitest'
import { decodePng } from '../qr/png-reader.ts'
import { type Pixels, read } from '../qr/reading.ts'
import { renderSvg } from '../qr/svg-renderer.ts'
import { qrCodeBody } from '../support/client.ts'
import { COLLECTION, call, create, errorOf } from '../support/service.ts'

const says = (pixels: Pixels) => ({ width: pixels.width, height: pixels.height, text: read(pixels).qr })
const readPng = (bytes: Uint8Array) => says(decodePng(bytes))
const readSvg = (bytes: Uint8Array) => says(renderSvg(new TextDecoder().decode(bytes)))

async function make(image?: Record<string, unknown>) {
  const answer = await create(qrCodeBody({ amount: { value: 1 } }, image && { image }))
  return { ...answer, path: `${COLLECTION}/${answer.qrCodeUid}/image` }
}
const get = (path: string, headers: Record<string, string> = {}) => call(path, { headers })

describe('the picture in the answer', () => {
  it.each([
    [{}, 'image/png', 300, 300],
    [{ width: 100 }, 'image/png', 100, 100],
    [{ height: 2000 }, 'image/png', 2000, 2000],
    [{ width: 333, height: 777 }, 'image/png', 333, 777],
    [{ mediaType: 'image/svg+xml' }, 'image/svg+xml', 300, 300],
    [{ mediaType: 'image/svg+xml', width: 777, height: 333 }, 'image/svg+xml', 777, 333],
  ])('asked for as %j is a %s of %i × %i that says the link', async (asked, mediaType, width, height) => {
    const { qrCode } = await make(asked)
    expect(qrCode.image).toEqual({ mediaType, width, height, content: expect.any(String) })
    const bytes = Uint8Array.fromBase64(qrCode.image?.content ?? '')
    const read = (mediaType === 'image/png' ? readPng : readSvg)(bytes)
    expect(read).toEqual({ width, height, text: qrCode.payload })
  })

  it('is absent where none was asked for', async () =>
    expect((await make()).qrCode).not.toHaveProperty('image'))
})

describe('the picture’s own address', () => {
  it('gives what was asked for at creation, the same picture', async () => {
    for (const mediaType of ['image/png', 'image/svg+xml']) {
      const { qrCode, path } = await make({ mediaType, width: 200 })
      const response = await get(path)
      expect(response.headers.get('Content-Type')).toBe(mediaType)
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect(bytes.toBase64()).toBe(qrCode.image?.content)
    }
  })

  it('gives a PNG of 300 × 300 where none was asked for', async () => {
    const { path, qrCode } = await make()
    const response = await get(path)
    expect(readPng(new Uint8Array(await response.arrayBuffer()))).toEqual({
      width: 300,
      height: 300,
      text: qrCode.payload,
    })
  })

  it.each([
    ['image/svg+xml', 'image/svg+xml'],
    ['image/*', 'image/png'],
    ['text/html, image/svg+xml;q=0.1', 'image/svg+xml'],
    ['image/png;q=0.5, image/svg+xml', 'image/svg+xml'],
    ['image/svg+xml;q=0.5, image/*', 'image/png'],
  ])('goes by Accept: %s gives %s', async (Accept, mediaType) => {
    const { path } = await make()
    const response = await get(path, { Accept })
    expect([response.headers.get('Content-Type'), response.headers.get('Vary')]).toEqual([
      mediaType,
      'Accept',
    ])
  })

  it.each([
    ['?width=100', 100, 100],
    ['?height=150', 150, 150],
    ['?width=400&height=200', 400, 200],
  ])('goes by its query: %s', async (query, width, height) => {
    const { path } = await make({ width: 500 })
    const response = await get(path + query)
    expect(readPng(new Uint8Array(await response.arrayBuffer()))).toMatchObject({ width, height })
  })

  it.each([
    ['?width=99', 'width'],
    ['?height=2001', 'height'],
    ['?width=abc', 'width'],
    ['?width=1e3', 'width'],
    ['?width=', 'width'],
  ])('refuses %s by name', async (query, field) => {
    const response = await get((await make()).path + query)
    expect([response.status, Object.keys((await errorOf(response)).cause ?? {})]).toEqual([400, [field]])
  })

  it('may be kept by the merchant alone, and is 304 for who has it', async () => {
    const { path } = await make()
    const first = await get(path)
    const etag = first.headers.get('ETag') ?? ''
    expect(first.headers.get('Cache-Control')).toMatch(/^private, max-age=\d+$/)
    expect((await get(path, { 'If-None-Match': etag })).status).toBe(304)
    expect((await get(`${path}?width=301`, { 'If-None-Match': etag })).status).toBe(200)
    expect((await get(path, { 'If-None-Match': etag, Accept: 'image/svg+xml' })).status).toBe(200)
  })
})
