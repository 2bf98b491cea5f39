// A matrix of bits, 32 columns in a word: symbols are drawn and masks compared in this form.

import { QUIET_ZONE } from './symbol.ts'

/**
 * A symbol and, right of it, its transpose, so that whatever is counted in the columns is counted in the rows
 * too: 2 × `size` columns, cut into strips of 32. A strip is a word for every row, whose lowest bit is the
 * leftmost module, set if dark, with the light words of the quiet zone above and below.
 *
 * No index into a matrix is ever out of range: `?? 0` after a read is for the type checker only.
 */
export type BitMatrix = Uint32Array

/** Words in a strip. */
export const stripHeight = (size: number): number => size + 2 * QUIET_ZONE

/** A matrix without a dark module, for symbols of `size` modules per side. */
export const blankMatrix = (size: number): BitMatrix =>
  new Uint32Array(Math.ceil((2 * size) / 32) * stripHeight(size))

/** Where a matrix keeps a module: 32 × its word + its bit. */
export const bitIndex = (size: number, column: number, row: number): number =>
  (((column >> 5) * stripHeight(size) + QUIET_ZONE + row) << 5) | (column & 31)

/** Where a matrix keeps the first row of the strip that begins with this column, a multiple of 32. */
export const stripStart = (size: number, column: number): number =>
  (column >> 5) * stripHeight(size) + QUIET_ZONE

/** A word whose lowest `count` bits are set: none below 1, all from 32 on. */
export const lowestBits = (count: number): number => (count >= 32 ? -1 : ~(-1 << Math.max(count, 0)))
