// The part that all symbols of a version and level have in common, computed once and cached.

import { type BitMatrix, bitIndex, blankMatrix } from './bit-matrix.ts'
import { DARK, eachFormatModule, type Layout, layoutOf, withCheckBits } from './layout.ts'
import { MASK_CONDITIONS } from './mask.ts'
import type { Level } from './symbol.ts'

interface Template {
  readonly layout: Layout
  /** The function patterns of the version. */
  readonly patterns: BitMatrix
  /** For each bit of the codewords in turn: where a matrix keeps its module, and its transposed one. */
  readonly positions: Uint32Array
  readonly transposed: Uint32Array
  /** For each mask all of a symbol but its codewords: function patterns, format information, the mask. */
  readonly layers: Partial<Record<Level, readonly BitMatrix[]>>
}

const templates: Template[] = []

function templateOf(version: number): Template {
  templates[version] ??= makeTemplate(version)
  return templates[version]
}

function makeTemplate(version: number): Template {
  const layout = layoutOf(version)
  const { size, modules, path } = layout
  const patterns = blankMatrix(size)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) if (modules[y * size + x] === DARK) setModule(patterns, size, x, y)
  }
  const positions = new Uint32Array(path.length)
  const transposed = new Uint32Array(path.length)
  for (let i = 0; i < path.length; i++) {
    const module = path[i] ?? 0
    const x = module % size
    const y = (module - x) / size
    positions[i] = bitIndex(size, x, y)
    transposed[i] = bitIndex(size, size + y, x)
  }
  return { layout, patterns, positions, transposed, layers: {} }
}

/** A matrix with the codewords' dark modules alone (7.7.3). */
export function placeCodewords(version: number, codewords: Uint8Array): BitMatrix {
  const { layout, positions, transposed } = templateOf(version)
  const matrix = blankMatrix(layout.size)
  let placed = 0
  for (const codeword of codewords) {
    for (let rest = codeword << 24; rest !== 0; ) {
      const bit = Math.clz32(rest)
      rest ^= 0x80000000 >>> bit
      setBit(matrix, positions[placed + bit] ?? 0)
      setBit(matrix, transposed[placed + bit] ?? 0)
    }
    placed += 8
  }
  return matrix
}

/** For each of the eight masks, what makes a symbol of a matrix with its codewords when added by xor. */
export function maskLayers(version: number, level: Level): readonly BitMatrix[] {
  const template = templateOf(version)
  template.layers[level] ??= MASK_CONDITIONS.map((inverts, mask) => maskLayer(template, level, mask, inverts))
  return template.layers[level]
}

// Table 12.
const LEVEL_INDICATORS: Record<Level, number> = { M: 0b00, Q: 0b11, H: 0b10 }

// Annex C: the generator polynomial of the BCH code, and what keeps the format information from being all light.
const FORMAT_GENERATOR = 0b101_0011_0111
const FORMAT_MASK = 0b101_0100_0001_0010

function maskLayer(
  { layout: { size, path }, patterns, positions, transposed }: Template,
  level: Level,
  mask: number,
  inverts: (i: number, j: number) => boolean,
): BitMatrix {
  const layer = patterns.slice()
  for (let i = 0; i < path.length; i++) {
    const module = path[i] ?? 0
    const x = module % size
    if (!inverts((module - x) / size, x)) continue
    setBit(layer, positions[i] ?? 0)
    setBit(layer, transposed[i] ?? 0)
  }
  const format = withCheckBits((LEVEL_INDICATORS[level] << 3) | mask, FORMAT_GENERATOR) ^ FORMAT_MASK
  eachFormatModule(size, (x, y, bit) => {
    if ((format >>> bit) & 1) setModule(layer, size, x, y)
  })
  return layer
}

function setModule(matrix: BitMatrix, size: number, x: number, y: number): void {
  setBit(matrix, bitIndex(size, x, y))
  setBit(matrix, bitIndex(size, size + y, x))
}

function setBit(matrix: BitMatrix, bit: number): void {
  // The shift takes the lowest five bits alone.
  matrix[bit >>> 5] = (matrix[bit >>> 5] ?? 0) | (1 << bit)
}
