// The sizes and capacities of each version and error correction level (ISO/IEC 18004:2015).

import type { Level } from './symbol.ts'

/** Modules per side of a symbol (6.3.2). */
export const sizeOf = (version: number): number => 17 + 4 * version

/** Alignment patterns along one side, counted with those that a finder pattern replaces (Annex E). */
export const alignmentsPerSide = (version: number): number =>
  version === 1 ? 0 : Math.floor(version / 7) + 2

/** Codewords that a symbol's encoding region holds, data and error correction together (Table 1). */
export function totalCodewords(version: number): number {
  const size = sizeOf(version)
  const perSide = alignmentsPerSide(version)
  const finders = 3 * 8 * 8
  const timing = 2 * (size - 16)
  const alignment = version === 1 ? 0 : 25 * (perSide ** 2 - 3) - 2 * 5 * (perSide - 2)
  const format = 2 * 15 + 1
  const versionInformation = version < 7 ? 0 : 2 * 18
  return Math.floor((size ** 2 - finders - timing - alignment - format - versionInformation) / 8)
}

// Table 9, versions 1 to 40: error correction codewords per block, and the number of blocks.
// biome-ignore format: the table's own shape
const CHECK_CODEWORDS: Record<Level, readonly number[]> = {
  M: [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  Q: [13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30,
    28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
  H: [17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28,
    30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30],
}
// biome-ignore format: the table's own shape
const blocks: Record<Level, readonly number[]> = {
  M: [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
    17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49],
  Q: [1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20,
    23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68],
  H: [1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25,
    25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81],
}

/** How a symbol's codewords divide into error correction blocks. */
export interface Blocks {
  readonly count: number
  /** Error correction codewords in each block. */
  readonly checkLength: number
  /** Data codewords of all blocks together. */
  readonly dataLength: number
}

/** The error correction blocks of a version (1 to 40) at a level. */
export function blocksOf(version: number, level: Level): Blocks {
  const count = blocks[level][version - 1] ?? 0
  const checkLength = CHECK_CODEWORDS[level][version - 1] ?? 0
  return { count, checkLength, dataLength: totalCodewords(version) - count * checkLength }
}
