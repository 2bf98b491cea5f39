// How the tests read symbols and pictures back: by two decoders that know nothing of each other or of us.

import jsQR from 'jsqr'
import { decodeQR } from 'qr/decode.js'
import type { QrSymbol } from '../../src/qr/symbol.ts'

/** What the decoder of `qr` says then. */
const MISJUDGED = 'Error: dimension'

/** Pixels, row by row, 4 bytes each: red, green, blue, alpha. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

/** A symbol's rows of modules, true being dark. */
export function modulesOf({ size, rows }: QrSymbol): boolean[][] {
  const words = rows.length / size
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => (((rows[y * words + (x >> 5)] ?? 0) >>> (x & 31)) & 1) === 1),
  )
}

/** Two characters for a module, so that a symbol looks square in a text. */
export const artOf = (modules: boolean[][]): string =>
  modules
    .map((row) =>
      row
        .map((dark) => (dark ? '##' : '  '))
        .join('')
        .trimEnd(),
    )
    .join('\n')

/** Pixels that are black where `isDark` says so. */
export function paint(width: number, height: number, isDark: (x: number, y: number) => boolean): Pixels {
  const data = new Uint8ClampedArray(4 * width * height).fill(255)
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      if (isDark(x, y)) data[at] = data[at + 1] = data[at + 2] = 0
    }
  }
  return { width, height, data }
}

/** A symbol with its quiet zone, drawn without the help of the code under test. */
export function paintModules(modules: boolean[][], scale: number): Pixels {
  const side = (modules.length + 8) * scale
  return paint(side, side, (x, y) => modules[Math.floor(y / scale) - 4]?.[Math.floor(x / scale) - 4] ?? false)
}

/** Every pixel drawn as a square of `times` × `times`. */
export function enlarge({ width, height, data }: Pixels, times: number): Pixels {
  return paint(
    width * times,
    height * times,
    (x, y) => (data[4 * (Math.floor(y / times) * width + Math.floor(x / times))] ?? 255) < 128,
  )
}

/** The first byte in which two pictures differ, or -1: a picture of millions of bytes is no use in a report. */
export const firstDifference = (one: Pixels, other: Pixels): number =>
  one.data.length === other.data.length ? one.data.findIndex((value, i) => value !== other.data[i]) : 0

/** What the two decoders read; a decoder that finds nothing says why. */
export function read(pixels: Pixels): { jsqr: string; qr: string } {
  const found = jsQR(pixels.data, pixels.width, pixels.height, { inversionAttempts: 'dontInvert' })
  let qr: string
  try {
    qr = decodeQR(pixels)
  } catch (error) {
    qr = String(error)
  }
  return { jsqr: found?.data ?? 'nothing found', qr }
}

/** What the decoders read of a symbol. That of `qr` misjudges the size of a few symbols at some scales: then another scale counts. */
export function readModules(modules: boolean[][]): ReturnType<typeof read> {
  let found = read(paintModules(modules, 4))
  for (const scale of [5, 7]) if (found.qr === MISJUDGED) found = read(paintModules(modules, scale))
  return found
}

/** A payment link like the network's, different for every number. */
export function link(number: number): string {
  const id = (0x1234567n * 2654435761n * BigInt(number + 1)).toString(32).toUpperCase().padStart(24, '0')
  return (
    `https://qr.nspk.ru/AD${String(number).padStart(6, '0')}${id.slice(0, 24)}` +
    `?type=0${1 + (number % 2)}&bank=100000000007&sum=${1 + number * 997}&cur=RUB&crc=${(0xa000 + 37 * number).toString(16).toUpperCase()}`
  )
}
