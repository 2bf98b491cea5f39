// Chooses the data mask that makes a symbol easiest to read (ISO/IEC 18004:2015, 7.8).

import { type BitMatrix, lowestBits, stripHeight, stripStart } from './bit-matrix.ts'

/**
 * Whether each of the eight data mask patterns inverts the module in row i and column j of the encoding
 * region (Table 10).
 */
export const MASK_CONDITIONS: readonly ((i: number, j: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i + j) % 2) + ((i * j) % 3)) % 2 === 0,
]

/**
 * The mask whose symbol, `codewords` xor that mask's layer, has the fewest penalty points, and that symbol; of
 * masks with equal points, the one with the lowest number.
 */
export function bestMask(
  codewords: BitMatrix,
  layers: readonly BitMatrix[],
  size: number,
): { mask: number; symbol: BitMatrix } {
  let mask = 0
  let fewest = Number.POSITIVE_INFINITY
  let symbol = new Uint32Array(codewords.length)
  let candidate = new Uint32Array(codewords.length)
  for (const [number, layer] of layers.entries()) {
    for (let i = 0; i < candidate.length; i++) candidate[i] = (codewords[i] ?? 0) ^ (layer[i] ?? 0)
    const points = penalty(candidate, size)
    if (points >= fewest) continue
    fewest = points
    mask = number
    ;[symbol, candidate] = [candidate, symbol]
  }
  return { mask, symbol }
}

/** The penalty points of a symbol of `size` modules per side (7.8.3.1, weighted as in Table 11). */
export const penalty = (matrix: BitMatrix, size: number): number =>
  runPoints(matrix, size) +
  blockPoints(matrix, size) +
  patternPoints(matrix, size) +
  balancePoints(matrix, size)

/** 3 points for every run of five modules alike in a row or column, and 1 for each module it is longer. */
function runPoints(matrix: BitMatrix, size: number): number {
  let points = 0
  for (let column = 0; column < 2 * size; column += 32) {
    const first = stripStart(size, column)
    const columns = lowestBits(2 * size - column)
    // Each bit is set where a module ends a run of two, three or five of one colour; the digit is how many rows ago.
    let word1 = matrix[first] ?? 0
    let two1 = 0
    let three1 = 0
    let three2 = 0
    let five1 = 0
    for (let at = first + 1; at < first + size; at++) {
      const word = matrix[at] ?? 0
      const two = ~(word ^ word1) & columns
      const three = two & two1
      const five = three & three2
      // A run of n ≥ 5 ends five alike n − 4 times, of which one is the first: n − 4 + 2 = 3 + (n − 5).
      points += bitCount(five) + 2 * bitCount(five & ~five1)
      word1 = word
      two1 = two
      three2 = three1
      three1 = three
      five1 = five
    }
  }
  return points
}

/** 3 points for every 2 × 2 modules alike, overlapping ones included. */
function blockPoints(matrix: BitMatrix, size: number): number {
  const toNextStrip = stripHeight(size)
  let blocks = 0
  for (let column = 0; column < size; column += 32) {
    const first = stripStart(size, column)
    const columns = lowestBits(size - 1 - column)
    let word1 = 0
    let two1 = 0
    for (let at = first; at < first + size; at++) {
      const word = matrix[at] ?? 0
      const right = (word >>> 1) | ((matrix[at + toNextStrip] ?? 0) << 31)
      const two = ~(word ^ right) & columns
      blocks += bitCount(two & two1 & ~(word ^ word1))
      word1 = word
      two1 = two
    }
  }
  return 3 * blocks
}

/**
 * 40 points for every dark-light-dark-dark-dark-light-dark in a row or column with four light modules before
 * it or behind it (once if both), the quiet zone being light.
 */
function patternPoints(matrix: BitMatrix, size: number): number {
  let patterns = 0
  for (let column = 0; column < 2 * size; column += 32) {
    const first = stripStart(size, column)
    // Each bit is set where the modules up to the row above are a prefix of the pattern.
    let d = 0
    let dl = 0
    let dld = 0
    let dldd = 0
    let dlddd = 0
    let dldddl = 0
    for (let at = first; at < first + size; at++) {
      const dark = matrix[at] ?? 0
      const pattern = dldddl & dark
      if (pattern !== 0)
        patterns += bitCount(pattern & (fourLight(matrix, at - 10) | fourLight(matrix, at + 1)))
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

/** The columns that are light in a row and in the three below it. */
const fourLight = (matrix: BitMatrix, at: number): number =>
  ~((matrix[at] ?? 0) | (matrix[at + 1] ?? 0) | (matrix[at + 2] ?? 0) | (matrix[at + 3] ?? 0))

/** 10 points for every whole 5 % beyond the first by which the share of dark modules misses 50 %. */
function balancePoints(matrix: BitMatrix, size: number): number {
  let dark = 0
  for (let column = 0; column < size; column += 32) {
    const first = stripStart(size, column)
    const columns = lowestBits(size - column)
    for (let at = first; at < first + size; at++) dark += bitCount((matrix[at] ?? 0) & columns)
  }
  // 40 % and 60 % still belong to the step before them, hence not simply the rounded down deviation.
  return 10 * (Math.ceil(Math.abs(20 * dark - 10 * size ** 2) / size ** 2) - 1)
}

/** The set bits of a word, summed in pairs, nibbles and bytes side by side. */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
