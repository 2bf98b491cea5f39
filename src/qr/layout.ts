// Places the function patterns of a version's symbol, and lists the path that its data takes.

import { alignmentsPerSide, sizeOf } from './version.ts'

/** A module of a function pattern is light (0) or dark (1); every other one is in the encoding region. */
const LIGHT = 0
export const DARK = 1
const ENCODING_REGION = 2

/** What is the same in all symbols of a version. */
export interface Layout {
  readonly size: number
  /**
   * `size` × `size` modules, row by row: 0 light, 1 dark, 2 in the encoding region. The format information
   * is light here, since it differs between symbols of a version.
   */
  readonly modules: Uint8Array
  /** The modules of the encoding region in the order in which codewords fill them, as y × size + x (7.7.3). */
  readonly path: Uint16Array
}

/** The layout of a version (1 to 40). */
export function layoutOf(version: number): Layout {
  const size = sizeOf(version)
  const modules = new Uint8Array(size * size).fill(ENCODING_REGION)
  const set = (x: number, y: number, value: number) => {
    modules[y * size + x] = value
  }

  drawTimingPatterns(size, set)
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const) {
    drawFinderPattern(x, y, size, set)
  }
  drawAlignmentPatterns(version, set)
  eachFormatModule(size, (x, y) => set(x, y, LIGHT))
  set(8, size - 8, DARK)
  if (version >= 7) drawVersionInformation(version, set)
  return { size, modules, path: dataPath(size, modules) }
}

type Draw = (x: number, y: number, value: number) => void

/** Row and column 6 alternate between the finder patterns, dark first (6.3.5). */
function drawTimingPatterns(size: number, set: Draw): void {
  for (let i = 8; i < size - 8; i++) {
    set(i, 6, 1 - (i & 1))
    set(6, i, 1 - (i & 1))
  }
}

/** Rings of dark, light and dark around (x, y) (6.3.3), and the separator around them (6.3.4). */
function drawFinderPattern(x: number, y: number, size: number, set: Draw): void {
  for (let dy = -4; dy <= 4; dy++) {
    for (let dx = -4; dx <= 4; dx++) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy))
      if (x + dx < 0 || x + dx >= size || y + dy < 0 || y + dy >= size) continue
      set(x + dx, y + dy, ring === 2 || ring === 4 ? LIGHT : DARK)
    }
  }
}

/** Alignment patterns on a grid of rows and columns, save where finder patterns stand (6.3.6). */
function drawAlignmentPatterns(version: number, set: Draw): void {
  const centres = alignmentCentres(version)
  const last = centres.length - 1
  for (const [row, y] of centres.entries()) {
    for (const [column, x] of centres.entries()) {
      if ((row === 0 && (column === 0 || column === last)) || (row === last && column === 0)) continue
      for (let dy = -2; dy <= 2; dy++) {
        for (let dx = -2; dx <= 2; dx++) {
          set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) === 1 ? LIGHT : DARK)
        }
      }
    }
  }
}

/**
 * The row and column coordinates of the alignment patterns' centres (Annex E): the first is 6, the last is the
 * seventh from the edge, and the others come before the last at one even distance.
 */
function alignmentCentres(version: number): number[] {
  const count = alignmentsPerSide(version)
  const last = sizeOf(version) - 7
  // Table E.1 rounds the distance up to an even number, save in version 32.
  const distance = version === 32 ? 26 : 2 * Math.ceil((last - 6) / (2 * (count - 1)))
  return Array.from({ length: count }, (_, i) => (i === 0 ? 6 : last - distance * (count - 1 - i)))
}

/**
 * Calls `visit` for every module of the two copies of the format information with the number of its bit, 0
 * being the least significant (7.9.1).
 */
export function eachFormatModule(size: number, visit: (x: number, y: number, bit: number) => void): void {
  for (let bit = 0; bit < 15; bit++) {
    // Around the upper left finder pattern, past the timing patterns in row and column 6.
    if (bit < 8) visit(8, bit < 6 ? bit : bit + 1, bit)
    else visit(bit === 8 ? 7 : 14 - bit, 8, bit)
    // Below the upper right one, and right of the lower left one.
    if (bit < 8) visit(size - 1 - bit, 8, bit)
    else visit(8, size - 15 + bit, bit)
  }
}

/** Two blocks of 3 × 6 modules beside the upper right and the lower left finder pattern (7.10). */
function drawVersionInformation(version: number, set: Draw): void {
  const information = withCheckBits(version, 0b1_1111_0010_0101)
  for (let bit = 0; bit < 18; bit++) {
    const far = sizeOf(version) - 11 + (bit % 3)
    const near = Math.floor(bit / 3)
    set(far, near, (information >> bit) & 1)
    set(near, far, (information >> bit) & 1)
  }
}

/** Appends to `data` the remainder of its division by a BCH code's generator polynomial (Annexes C and D). */
export function withCheckBits(data: number, generator: number): number {
  const degree = 31 - Math.clz32(generator)
  let remainder = data << degree
  while (remainder >>> degree !== 0) {
    remainder ^= generator << (Math.clz32(generator) - Math.clz32(remainder))
  }
  return (data << degree) | remainder
}

/** Up and down in columns two modules wide from the right edge to the left, the right module first. */
function dataPath(size: number, modules: Uint8Array): Uint16Array {
  const path: number[] = []
  let upwards = true
  for (let right = size - 1; right > 0; right -= 2) {
    // The vertical timing pattern takes up column 6, and the columns left of it pair up without it.
    if (right === 6) right = 5
    for (let i = 0; i < size; i++) {
      const y = upwards ? size - 1 - i : i
      for (const x of [right, right - 1]) {
        if (modules[y * size + x] === ENCODING_REGION) path.push(y * size + x)
      }
    }
    upwards = !upwards
  }
  return Uint16Array.from(path)
}
