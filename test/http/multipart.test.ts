// Forms with a file: however the body is cut into pieces, the fields and the bytes of the file are those that were sent.
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { ApiError } from '../../src/errors.ts'
import { uploadOf } from '../../src/http/multipart.ts'

/** The body of a form, as a browser sends it. */
async function sent(fields: Record<string, string>, file?: File) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file) form.append('file', file)
  const request = new Request('http://a.example/', { method: 'POST', body: form })
  return {
    type: request.headers.get('Content-Type') ?? '',
    body: new Uint8Array(await request.arrayBuffer()),
  }
}

async function* pieces(body: Uint8Array, sizes: readonly number[]) {
  for (let at = 0, i = 0; at < body.length; i++) {
    const size = sizes[i % sizes.length] ?? 1
    yield body.subarray(at, at + size)
    at += size
  }
}

async function read(type: string, body: Uint8Array, sizes: readonly number[] = [body.length]) {
  const { fields, file } = await uploadOf(type, pieces(body, sizes))
  return {
    fields: Object.fromEntries(fields),
    file: file && {
      ...{ name: file.name, mediaType: file.mediaType },
      bytes: new Uint8Array(
        await new Blob(await Array.fromAsync(file.bytes, (part) => new Uint8Array(part))).arrayBuffer(),
      ),
    },
  }
}

it('fields and file are what was sent, in whichever pieces', () =>
  fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'grapheme', maxLength: 50 }),
      // Line breaks and hyphens are what boundaries are made of.
      fc.array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(13, 10, 45)), { maxLength: 300 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      async (text, content, sizes) => {
        const value = text.replaceAll(/[\r\n]/g, '')
        const bytes = Uint8Array.from(content)
        const { type, body } = await sent(
          { bank: 'tbank', text: value },
          new File([bytes], 'реестр.csv', { type: 'text/csv' }),
        )
        expect(await read(type, body, sizes)).toEqual({
          fields: { bank: 'tbank', text: value.toWellFormed() },
          file: { name: 'реестр.csv', mediaType: 'text/csv', bytes },
        })
      },
    ),
  ))

it('a form without a file has its fields', async () => {
  const { type, body } = await sent({ bank: 'tbank' })
  expect(await read(type, body)).toEqual({ fields: { bank: 'tbank' }, file: undefined })
})

it('the bytes of the file are read as they come', async () => {
  const { type, body } = await sent({}, new File(['x'.repeat(1000)], 'a.csv'))
  let count = 0
  async function* counted() {
    for await (const piece of pieces(body, [100])) {
      count++
      yield piece
    }
  }
  const { file } = await uploadOf(type, counted())
  const before = count
  await file?.bytes.next()
  expect(before).toBeLessThan(5)
  expect(count).toBeLessThan(7)
})

const FORM = 'multipart/form-data; boundary=b'
const PART = 'Content-Disposition: form-data; name="a"'

it.each([
  [
    'another media type',
    'application/x-www-form-urlencoded',
    'a=b',
    'is not multipart/form-data with a boundary',
  ],
  ['no boundary', 'multipart/form-data', '', 'is not multipart/form-data with a boundary'],
  ['an empty body', FORM, '', 'ends before its last boundary'],
  ['a field that is cut off', FORM, `--b\r\n${PART}\r\n\r\n1`, 'ends before its last boundary'],
  [
    'a part without a name',
    FORM,
    '--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--',
    'has a part without a name',
  ],
  [
    'a long field',
    FORM,
    `--b\r\n${PART}\r\n\r\n${'1'.repeat(5000)}\r\n--b--`,
    'has a field of more than 4096 bytes',
  ],
  ['many fields', FORM, `--b\r\n${PART}\r\n\r\n1\r\n`.repeat(20), 'has more than 16 fields before its file'],
])('%s is refused', async (_, type, body, what) => {
  const refusal = await read(type, new TextEncoder().encode(body)).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ApiError)
  expect(refusal).toMatchObject({ code: 'http.message.conversion.failed', message: `the form ${what}` })
})

it('a file that is cut off fails as it is read', async () => {
  const { type, body } = await sent({}, new File(['x'.repeat(100)], 'a.csv'))
  const { file } = await uploadOf(type, pieces(body.subarray(0, -60), [50]))
  await expect(Array.fromAsync(file?.bytes ?? [])).rejects.toThrow('the form ends before its last boundary')
})
