// Encodes a text as a QR Code Model 2 symbol (ISO/IEC 18004:2015).

import { type BitMatrix, lowestBits, stripStart } from './bit-matrix.ts'
import { dataCodewords } from './codewords.ts'
import { bestMask } from './mask.ts'
import { withErrorCorrection } from './reed-solomon.ts'
import { byte, INDICATOR_BITS, type Segment, split, type VersionGroup } from './segments.ts'
import type { Level, QrSymbol } from './symbol.ts'
import { maskLayers, placeCodewords } from './template.ts'
import { blocksOf, sizeOf } from './version.ts'

const utf8 = new TextEncoder()

/**
 * The symbol of a text: the smallest version that holds it at level M, the highest level at which that
 * version still holds it, and the mask with the fewest penalty points. The text is encoded as UTF-8 without
 * an ECI header, and a lone surrogate as U+FFFD. Throws a RangeError if not even version 40 holds the text.
 */
export function encode(text: string): QrSymbol {
  const bytes = utf8.encode(text)
  const { version, level, group, segments } = smallestFit(bytes)
  const blocks = blocksOf(version, level)
  const data = dataCodewords(bytes, segments, group, blocks.dataLength)
  const codewords = placeCodewords(version, withErrorCorrection(data, blocks))
  const size = sizeOf(version)
  const { mask, symbol } = bestMask(codewords, maskLayers(version, level), size)
  return { version, level, mask, size, rows: rowsOf(symbol, size) }
}

interface Fit {
  readonly version: number
  readonly level: Level
  readonly group: VersionGroup
  readonly segments: readonly Segment[]
}

const LAST_VERSIONS = [9, 26, 40] as const

function smallestFit(text: Uint8Array): Fit {
  let version = 1
  let needed = 0
  for (const group of [0, 1, 2] as const) {
    const { segments, bits } = split(text, group)
    needed = bits
    for (; version <= LAST_VERSIONS[group]; version++) {
      if (!holds(version, 'M', bits)) continue
      const level = holds(version, 'H', bits) ? 'H' : holds(version, 'Q', bits) ? 'Q' : 'M'
      return { version, level, group, segments }
    }
  }
  const capacity = capacityOf(40, 'M')
  const anyBytes = Math.floor((capacity - INDICATOR_BITS - byte.countBits[2]) / 8)
  throw new RangeError(
    `The text of ${text.length} bytes takes ${needed} bits, and the largest QR Code symbol holds ${capacity}: ` +
      `any text of ${anyBytes} bytes`,
  )
}

/** Bits of data that a version holds at a level. */
const capacityOf = (version: number, level: Level) => 8 * blocksOf(version, level).dataLength

const holds = (version: number, level: Level, bits: number) => bits <= capacityOf(version, level)

/** The rows of a matrix's symbol, without the transpose and the quiet zone. */
function rowsOf(matrix: BitMatrix, size: number): Uint32Array {
  const words = Math.ceil(size / 32)
  const rows = new Uint32Array(size * words)
  for (let word = 0; word < words; word++) {
    const first = stripStart(size, 32 * word)
    const columns = lowestBits(size - 32 * word)
    for (let y = 0; y < size; y++) rows[y * words + word] = (matrix[first + y] ?? 0) & columns
  }
  return rows
}
