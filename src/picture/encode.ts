// Text → QR Code Model 2 symbol (ISO/IEC 18004:2015).

import { dataCodewords } from './codewords.ts'
import { layoutOf } from './layout.ts'
import { bestMask, blankSheet, maskLayers, type Sheet, sheetBit } from './mask.ts'
import { withErrorCorrection } from './reed-solomon.ts'
import { type Segment, split, type VersionGroup } from './segments.ts'
import type { Level, QrSymbol } from './symbol.ts'
import { blocksOf, sizeOf } from './version.ts'

/**
 * The symbol of a text: the smallest version that holds it at level M, the highest level that this version
 * holds it at, and the mask of the lowest penalty. The text is UTF-8 without an ECI header, as readers
 * expect it; a lone surrogate becomes U+FFFD. Throws a RangeError if not even version 40 holds it.
 */
export function encode(text: string): QrSymbol {
  const bytes = new TextEncoder().encode(text)
  const { version, level, group, segments } = fit(bytes)
  const blocks = blocksOf(version, level)
  const codewords = withErrorCorrection(dataCodewords(bytes, segments, group, blocks.dataLength), blocks)
  return symbolOf(version, level, codewords)
}

interface Fit {
  readonly version: number
  readonly level: Level
  readonly group: VersionGroup
  readonly segments: readonly Segment[]
}

const lastVersions = [9, 26, 40] as const

function fit(text: Uint8Array): Fit {
  let version = 1
  let needed = 0
  for (const group of [0, 1, 2] as const) {
    const { segments, bits } = split(text, group)
    needed = bits
    for (; version <= lastVersions[group]; version++) {
      if (!holds(version, 'M', bits)) continue
      const level = holds(version, 'H', bits) ? 'H' : holds(version, 'Q', bits) ? 'Q' : 'M'
      return { version, level, group, segments }
    }
  }
  const capacity = 8 * blocksOf(40, 'M').dataLength
  throw new RangeError(
    `A text of ${text.length} bytes takes ${needed} bits, and a QR Code symbol holds ${capacity} (2331 bytes)`,
  )
}

const holds = (version: number, level: Level, bits: number) => bits <= 8 * blocksOf(version, level).dataLength

/** What all symbols of a version share. */
interface Template {
  /** For each bit of the codewords, where the sheet keeps its module and the transposed one. */
  readonly places: Uint32Array
  readonly layers: Readonly<Record<Level, readonly Sheet[]>>
}

const templates: Template[] = []

function templateOf(version: number): Template {
  const known = templates[version]
  if (known) return known
  const layout = layoutOf(version)
  const { size, path } = layout
  const places = new Uint32Array(2 * path.length)
  for (const [i, module] of path.entries()) {
    const y = Math.floor(module / size)
    const x = module % size
    places[2 * i] = sheetBit(size, x, y)
    places[2 * i + 1] = sheetBit(size, size + y, x)
  }
  const template = {
    places,
    layers: { M: maskLayers(layout, 'M'), Q: maskLayers(layout, 'Q'), H: maskLayers(layout, 'H') },
  }
  templates[version] = template
  return template
}

export function symbolOf(version: number, level: Level, codewords: Uint8Array): QrSymbol {
  const size = sizeOf(version)
  const { places, layers } = templateOf(version)
  const sheet = blankSheet(size)
  let next = 0
  for (const codeword of codewords) {
    for (let bit = 7; bit >= 0; bit--) {
      const dark = (codeword >>> bit) & 1
      const place = places[next++] ?? 0
      const transposed = places[next++] ?? 0
      sheet[place >>> 5] = (sheet[place >>> 5] ?? 0) | (dark << place)
      sheet[transposed >>> 5] = (sheet[transposed >>> 5] ?? 0) | (dark << transposed)
    }
  }
  const mask = bestMask(sheet, layers[level], size)
  const layer = layers[level][mask] ?? sheet
  const words = Math.ceil(size / 32)
  const rows = new Uint32Array(size * words)
  for (let w = 0; w < words; w++) {
    const columns = size - 32 * w
    const keep = columns >= 32 ? -1 : ~(-1 << columns)
    for (let y = 0; y < size; y++) {
      const at = sheetBit(size, 32 * w, y) >>> 5
      rows[y * words + w] = ((sheet[at] ?? 0) ^ (layer[at] ?? 0)) & keep
    }
  }
  return { version, level, mask, size, rows }
}
