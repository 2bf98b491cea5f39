// A small PNG reader that allows nothing but what a picture of ours must be.

import { crc32, inflateSync } from 'node:zlib'
import { expect } from 'vitest'
import { type Pixels, paint } from './reading.ts'

/** Reads what the PNG standard demands of a file of ours, and throws at whatever it does not allow. */
export function decodePng(file: Uint8Array): Pixels {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  expect([...file.subarray(0, 8)]).toEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks: [string, Uint8Array][] = []
  for (let at = 8; at < file.length; ) {
    const length = view.getUint32(at)
    const typed = file.subarray(at + 4, at + 8 + length)
    expect(view.getUint32(at + 8 + length)).toBe(crc32(typed))
    chunks.push([String.fromCharCode(...typed.subarray(0, 4)), typed.subarray(4)])
    at += 12 + length
  }
  expect(chunks.map(([type]) => type)).toEqual(['IHDR', 'IDAT', 'IEND'])
  const [header, data, end] = chunks.map(([, content]) => content)
  if (!header || !data || !end) throw new Error('a chunk is missing')
  expect(end).toHaveLength(0)

  const width = view.getUint32(16)
  const height = view.getUint32(20)
  // One bit of greyscale, deflate, the five basic filters, not interlaced.
  expect([...header.subarray(8)]).toEqual([1, 0, 0, 0, 0])
  const stride = 1 + Math.ceil(width / 8)
  const lines = new Uint8Array(inflateSync(data))
  expect(lines).toHaveLength(height * stride)
  for (let y = 0; y < height; y++) {
    const filter = lines[y * stride]
    if (filter === 0) continue
    if (filter !== 2 || y === 0)
      throw new Error(`the filter of line ${y} is ${filter}, must be 0, or 2 from line 1 on`)
    for (let at = y * stride + 1; at < (y + 1) * stride; at++) {
      lines[at] = (lines[at] ?? 0) + (lines[at - stride] ?? 0)
    }
  }
  return paint(width, height, (x, y) => (((lines[y * stride + 1 + (x >> 3)] ?? 0) << (x & 7)) & 0x80) === 0)
}
