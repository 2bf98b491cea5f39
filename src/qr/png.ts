// Writes a symbol as PNG (ISO/IEC 15948).

import { crc32, deflateSync } from 'node:zlib'
import { eachDarkRun, type QrSymbol, QUIET_ZONE } from './symbol.ts'

const utf8 = new TextEncoder()

/**
 * A PNG of exactly `width` × `height` pixels, 1 bit of greyscale each: black on white, the symbol with its
 * quiet zone centred, each module a square of as many whole pixels as fit. Throws a RangeError if the modules
 * are more than the pixels.
 */
export function png(symbol: QrSymbol, width: number, height: number): Uint8Array<ArrayBuffer> {
  const side = symbol.size + 2 * QUIET_ZONE
  const scale = Math.floor(Math.min(width, height) / side)
  if (scale < 1) {
    throw new RangeError(`A symbol of ${side} × ${side} modules does not fit ${width} × ${height} pixels`)
  }
  // The last level before lazy matching, which takes twice the time to save a tenth of the size.
  const pixels = deflateSync(scanLines(symbol, width, height, scale), { level: 3 })
  return pngFile(imageHeader(width, height), pixels)
}

// Filter types of a scan line (9.2): its bytes as they are, or what they differ from the line above by.
const FILTER_NONE = 0
const FILTER_UP = 2

/** A filter type and the pixels of every line, most significant bit leftmost, 1 being white. */
function scanLines(symbol: QrSymbol, width: number, height: number, scale: number): Uint8Array {
  const stride = 1 + Math.ceil(width / 8)
  const lines = new Uint8Array(height * stride)
  for (let at = 0; at < lines.length; at += stride) lines[at] = FILTER_UP

  const left = (width - symbol.size * scale) >> 1
  const top = (height - symbol.size * scale) >> 1
  const startLine = (y: number) => {
    lines[y * stride] = FILTER_NONE
    lines.fill(0xff, y * stride + 1, (y + 1) * stride)
  }
  // A row of modules, or of the quiet zone, is drawn on its first line; the lines below differ from it by 0.
  startLine(0)
  for (let y = 0; y <= symbol.size; y++) startLine(top + y * scale)
  eachDarkRun(symbol, (x, y, length) => {
    const line = (top + y * scale) * stride + 1
    const start = left + x * scale
    const end = start + length * scale
    // Black from `start` to the end of the byte that `end` is in, and white again from `end`.
    const first = line + (start >> 3)
    const last = line + (end >> 3)
    lines[first] = (lines[first] ?? 0) ^ (0xff >> (start & 7))
    for (let at = first + 1; at <= last; at++) lines[at] = 0
    lines[last] = (lines[last] ?? 0) ^ (0xff >> (end & 7))
  })
  return lines
}

/** Size and sample depth (11.2.2); colour type, compression, filter and interlace methods are all 0. */
function imageHeader(width: number, height: number): Uint8Array {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  view.setUint8(8, 1)
  return header
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

/** The signature and the three chunks that a PNG cannot do without (5.2, 5.3). */
function pngFile(header: Uint8Array, pixels: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunks = [
    { type: 'IHDR', data: header },
    { type: 'IDAT', data: pixels },
    { type: 'IEND', data: new Uint8Array(0) },
  ]
  const file = new Uint8Array(
    chunks.reduce((length, { data }) => length + data.length + 12, SIGNATURE.length),
  )
  const view = new DataView(file.buffer)
  file.set(SIGNATURE)
  let at = SIGNATURE.length
  for (const { type, data } of chunks) {
    const end = at + 8 + data.length
    view.setUint32(at, data.length)
    utf8.encodeInto(type, file.subarray(at + 4))
    file.set(data, at + 8)
    view.setUint32(end, crc32(file.subarray(at + 4, end)))
    at = end + 4
  }
  return file
}
