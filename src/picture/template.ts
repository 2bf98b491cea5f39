// What symbols of a version and level have in common, computed once and kept; the rest is their codewords.

import { eachFormatModule, type Layout, layoutOf, withCheckBits } from './layout.ts'
import { maskConditions } from './mask.ts'
import { blankSheet, type Sheet, sheetBit } from './sheet.ts'
import type { Level } from './symbol.ts'

interface Template {
  readonly layout: Layout
  /** For each bit of the codewords in turn: where a sheet keeps its module, and its transposed one. */
  readonly places: Uint32Array
  readonly transposed: Uint32Array
  /** For each mask all of a symbol but its codewords: function patterns, format information, the mask. */
  readonly layers: Partial<Record<Level, readonly Sheet[]>>
}

const templates: Template[] = []

function templateOf(version: number): Template {
  templates[version] ??= makeTemplate(version)
  return templates[version]
}

function makeTemplate(version: number): Template {
  const layout = layoutOf(version)
  const { size, path } = layout
  const places = new Uint32Array(path.length)
  const transposed = new Uint32Array(path.length)
  for (const [i, module] of path.entries()) {
    const x = module % size
    const y = (module - x) / size
    places[i] = sheetBit(size, x, y)
    transposed[i] = sheetBit(size, size + y, x)
  }
  return { layout, places, transposed, layers: {} }
}

/** A sheet with the codewords' dark modules alone (7.7.3). */
export function placeCodewords(version: number, codewords: Uint8Array): Sheet {
  const { layout, places, transposed } = templateOf(version)
  const sheet = blankSheet(layout.size)
  let placed = 0
  for (const codeword of codewords) {
    for (let rest = codeword << 24; rest !== 0; ) {
      const bit = Math.clz32(rest)
      rest ^= 0x80000000 >>> bit
      // A shift by a place is one by its lowest five bits.
      const place = places[placed + bit] ?? 0
      const transposedPlace = transposed[placed + bit] ?? 0
      sheet[place >>> 5] = (sheet[place >>> 5] ?? 0) | (1 << place)
      sheet[transposedPlace >>> 5] = (sheet[transposedPlace >>> 5] ?? 0) | (1 << transposedPlace)
    }
    placed += 8
  }
  return sheet
}

/** For each of the eight masks, what makes a symbol of a sheet with its codewords when added by xor. */
export function maskLayers(version: number, level: Level): readonly Sheet[] {
  const { layout, layers } = templateOf(version)
  layers[level] ??= maskConditions.map((inverts, mask) => maskLayer(layout, level, mask, inverts))
  return layers[level]
}

// Table 12.
const levelIndicators: Record<Level, number> = { M: 0b00, Q: 0b11, H: 0b10 }

// Annex C: the generator polynomial of the BCH code, and what keeps the format information from being all light.
const formatGenerator = 0b101_0011_0111
const formatMask = 0b101_0100_0001_0010

function maskLayer(
  { size, modules, path }: Layout,
  level: Level,
  mask: number,
  inverts: (i: number, j: number) => boolean,
): Sheet {
  const layer = blankSheet(size)
  const setDark = (x: number, y: number) => {
    for (const bit of [sheetBit(size, x, y), sheetBit(size, size + y, x)]) {
      layer[bit >>> 5] = (layer[bit >>> 5] ?? 0) | (1 << bit)
    }
  }
  for (const [i, module] of modules.entries()) if (module === 1) setDark(i % size, Math.floor(i / size))
  for (const module of path) {
    const x = module % size
    const y = (module - x) / size
    if (inverts(y, x)) setDark(x, y)
  }
  const format = withCheckBits((levelIndicators[level] << 3) | mask, formatGenerator) ^ formatMask
  eachFormatModule(size, (x, y, bit) => {
    if ((format >>> bit) & 1) setDark(x, y)
  })
  return layer
}
