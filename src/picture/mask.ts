// The data mask that a symbol is easiest to read with (ISO/IEC 18004:2015, 7.8).

import { eachFormatModule, type Layout, withCheckBits } from './layout.ts'
import { type Level, quietZone } from './symbol.ts'

/**
 * A symbol and, right of it, its transpose, so that whatever is counted in its columns is counted in its
 * rows too: 2 × `size` columns, cut into strips of 32. A strip is a word for each row, whose lowest bit is the
 * leftmost module, set if dark, with the light words of the quiet zone above and below.
 */
export type Sheet = Uint32Array

const stripHeight = (size: number) => size + 2 * quietZone

/** An empty sheet for a symbol of `size` modules per side. */
export const blankSheet = (size: number): Sheet =>
  new Uint32Array(Math.ceil((2 * size) / 32) * stripHeight(size))

/** Where a sheet keeps a column and row: the word times 32, plus the bit. */
export const sheetBit = (size: number, column: number, row: number): number =>
  (((column >> 5) * stripHeight(size) + quietZone + row) << 5) | (column & 31)

/** Table 10; i is the row and j the column of a module, which is inverted where the condition is true. */
const conditions: readonly ((i: number, j: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2 === 0,
]

/** Table 12. */
const levelIndicators: Record<Level, number> = { M: 0b00, Q: 0b11, H: 0b10 }

/**
 * For each of the eight masks all that a symbol consists of beside its codewords: function patterns, format
 * information and the mask itself. A sheet with codewords alone, xor one of these, is the masked symbol.
 */
export function maskLayers(layout: Layout, level: Level): Sheet[] {
  const { size, modules } = layout
  return conditions.map((condition, mask) => {
    const layer = blankSheet(size)
    const setDark = (x: number, y: number) => {
      for (const bit of [sheetBit(size, x, y), sheetBit(size, size + y, x)]) {
        layer[bit >>> 5] = (layer[bit >>> 5] ?? 0) | (1 << bit)
      }
    }
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        const module = modules[y * size + x]
        if (module === 1 || (module === 2 && condition(y, x))) setDark(x, y)
      }
    }
    const format = withCheckBits((levelIndicators[level] << 3) | mask, 0b101_0011_0111) ^ 0b101_0100_0001_0010
    eachFormatModule(size, (x, y, bit) => {
      if ((format >> bit) & 1) setDark(x, y)
    })
    return layer
  })
}

/** The mask whose symbol has the lowest penalty, the lower number of two alike. */
export function bestMask(sheet: Sheet, layers: readonly Sheet[], size: number): number {
  const masked = new Uint32Array(sheet.length)
  let best = 0
  let lowest = Number.POSITIVE_INFINITY
  for (const [mask, layer] of layers.entries()) {
    for (let i = 0; i < masked.length; i++) masked[i] = (sheet[i] ?? 0) ^ (layer[i] ?? 0)
    const points = penalty(masked, size)
    if (points < lowest) {
      lowest = points
      best = mask
    }
  }
  return best
}

/** The penalty points of a symbol (7.8.3.1, Table 11). */
export const penalty = (sheet: Sheet, size: number): number =>
  runPoints(sheet, size) +
  blockPoints(sheet, size) +
  patternPoints(sheet, size) +
  proportionPoints(sheet, size)

/** 3 points for five modules of one colour in a row or column, and one for every further such module. */
function runPoints(sheet: Sheet, size: number): number {
  const height = stripHeight(size)
  let points = 0
  for (let column = 0; column < 2 * size; column += 32) {
    const first = (column >>> 5) * height + quietZone
    const columns = lowest(2 * size - column)
    // What holds of the module above, or of two above: alike to the one above it; last of three; last of five.
    let above = sheet[first] ?? 0
    let alike1 = 0
    let three1 = 0
    let three2 = 0
    let five1 = 0
    for (let at = first + 1; at < first + size; at++) {
      const word = sheet[at] ?? 0
      const alike = ~(word ^ above) & columns
      const three = alike & alike1
      const five = three & three2
      points += bitCount(five) + 2 * bitCount(five & ~five1)
      above = word
      alike1 = alike
      three2 = three1
      three1 = three
      five1 = five
    }
  }
  return points
}

/** 3 points for every 2 × 2 block of one colour; blocks may overlap. */
function blockPoints(sheet: Sheet, size: number): number {
  const height = stripHeight(size)
  let blocks = 0
  for (let column = 0; column < size; column += 32) {
    const first = (column >>> 5) * height + quietZone
    const columns = lowest(size - 1 - column)
    let above = 0
    let alike1 = 0
    for (let at = first; at < first + size; at++) {
      const word = sheet[at] ?? 0
      const next = sheet[at + height] ?? 0
      const alike = ~(word ^ ((word >>> 1) | (next << 31))) & columns
      blocks += bitCount(alike & alike1 & ~(word ^ above))
      above = word
      alike1 = alike
    }
  }
  return 3 * blocks
}

/**
 * 40 points for every dark-light-dark-dark-dark-light-dark in a row or column with four light modules before
 * it or after it (once if both), the quiet zone being light.
 */
function patternPoints(sheet: Sheet, size: number): number {
  const height = stripHeight(size)
  const light4 = (at: number) =>
    ~((sheet[at] ?? 0) | (sheet[at + 1] ?? 0) | (sheet[at + 2] ?? 0) | (sheet[at + 3] ?? 0))
  let patterns = 0
  for (let column = 0; column < 2 * size; column += 32) {
    const first = (column >>> 5) * height + quietZone
    let d = 0
    let dl = 0
    let dld = 0
    let dldd = 0
    let dlddd = 0
    let dldddl = 0
    for (let at = first; at < first + size; at++) {
      const dark = sheet[at] ?? 0
      const pattern = dldddl & dark
      if (pattern !== 0) patterns += bitCount(pattern & (light4(at - 10) | light4(at + 1)))
      dldddl = dlddd & ~dark
      dlddd = dldd & dark
      dldd = dld & dark
      dld = dl & dark
      dl = d & ~dark
      d = dark
    }
  }
  return 40 * patterns
}

/** 10 points for every 5 % by which the proportion of dark modules is further from 50 % than the first 5 %. */
function proportionPoints(sheet: Sheet, size: number): number {
  const height = stripHeight(size)
  let dark = 0
  for (let column = 0; column < size; column += 32) {
    const first = (column >>> 5) * height + quietZone
    const columns = lowest(size - column)
    for (let at = first; at < first + size; at++) dark += bitCount((sheet[at] ?? 0) & columns)
  }
  return 10 * (Math.ceil(Math.abs(20 * dark - 10 * size ** 2) / size ** 2) - 1)
}

/** A word whose lowest `count` bits are set: all from 32 on. */
function lowest(count: number): number {
  return count >= 32 ? -1 : ~(-1 << Math.max(count, 0))
}

/** Set bits of a word, by sums of pairs, of nibbles and of bytes. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
