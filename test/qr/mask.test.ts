// The mask is the one that the standard's four rules choose, told here without a single bit trick.

import { describe, expect, test } from 'vitest'
import { type BitMatrix, bitIndex } from '../../src/qr/bit-matrix.ts'
import { bestMask, penalty } from '../../src/qr/mask.ts'
import type { Level } from '../../src/qr/symbol.ts'
import { maskLayers, placeCodewords } from '../../src/qr/template.ts'
import { sizeOf, totalCodewords } from '../../src/qr/version.ts'

const turned = (modules: boolean[][]): boolean[][] =>
  modules.map((_, x) => modules.map((row) => row[x] ?? false))

/** Rows and columns, `#` being a dark module. */
const linesOf = (modules: boolean[][]): string[] =>
  [...modules, ...turned(modules)].map((line) => line.map((dark) => (dark ? '#' : '.')).join(''))

function runs(lines: string[]): number {
  let points = 0
  for (const line of lines) {
    for (const run of line.match(/#{5,}|\.{5,}/g) ?? []) points += 3 + run.length - 5
  }
  return points
}

function blocks(modules: boolean[][]): number {
  let points = 0
  for (const [y, row] of modules.entries()) {
    const above = modules[y - 1]
    if (!above) continue
    for (let x = 1; x < row.length; x++) {
      if (row[x] === above[x] && row[x] === row[x - 1] && row[x] === above[x - 1]) points += 3
    }
  }
  return points
}

function patterns(lines: string[]): number {
  let points = 0
  for (const line of lines) {
    const withQuietZone = `....${line}....`
    for (let at = withQuietZone.indexOf('#.###.#'); at >= 0; at = withQuietZone.indexOf('#.###.#', at + 1)) {
      const before = withQuietZone.slice(at - 4, at)
      const after = withQuietZone.slice(at + 7, at + 11)
      if (before === '....' || after === '....') points += 40
    }
  }
  return points
}

/** Nothing from 45 % to 55 % dark, 10 points from 40 % to 60 %, and so on. */
function balance(modules: boolean[][]): number {
  const dark = modules.flat().filter(Boolean).length
  let steps = 0
  while (Math.abs(dark / modules.length ** 2 - 0.5) > 0.05 * (steps + 1) + 1e-9) steps++
  return 10 * steps
}

function referencePenalty(modules: boolean[][]): number {
  const lines = linesOf(modules)
  return runs(lines) + blocks(modules) + patterns(lines) + balance(modules)
}

/** Where a matrix keeps the modules of each row: computed once, because an imported function is slow to call in tests. */
const bitsOf = (size: number): number[][] =>
  Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) => bitIndex(size, x, y)))

const modulesOf = (matrix: BitMatrix, bits: number[][]): boolean[][] =>
  bits.map((row) => row.map((bit) => (((matrix[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1))

/** Codewords of all sorts: `variety` 1 repeats one value, 256 is noise. */
function codewords(length: number, seed: number, variety: number): Uint8Array {
  let state = seed
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.imul((state >>> 16) % variety, 0x9d) + seed
  })
}

describe.each<Level>(['M', 'Q', 'H'])('at level %s', (level) => {
  test.each(Array.from({ length: 15 }, (_, i) => i + 1))(
    'the rules choose our mask in version %i',
    (version) => {
      const size = sizeOf(version)
      const bits = bitsOf(size)
      const layers = maskLayers(version, level)
      // 1,815 payloads in all, each with eight masks; fewer of the symbols that take the plain rules longest.
      for (let payload = 0; payload < 60_000 / size ** 2; payload++) {
        const content = codewords(totalCodewords(version), payload, [256, 256, 256, 3, 1][payload % 5] ?? 1)
        const matrix = placeCodewords(version, content)
        const masked = layers.map((layer) => matrix.map((word, i) => word ^ (layer[i] ?? 0)))
        const expected = masked.map((symbol) => referencePenalty(modulesOf(symbol, bits)))
        expect(masked.map((symbol) => penalty(symbol, size))).toEqual(expected)
        expect(bestMask(matrix, layers, size).mask).toBe(expected.indexOf(Math.min(...expected)))
      }
    },
  )
})
