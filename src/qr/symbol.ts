// A QR Code symbol as a bitmap, and the walk over its dark modules that every picture of it takes.

/** Error correction level: recovers from about 15 %, 25 % or 30 % of damaged codewords (7.5.1). */
export type Level = 'M' | 'Q' | 'H'

/** A finished symbol, without its quiet zone. */
export interface QrSymbol {
  /** 1 to 40. */
  readonly version: number
  readonly level: Level
  /** Data mask pattern reference, 0 to 7. */
  readonly mask: number
  /** Modules per side: 21 to 177. */
  readonly size: number
  /**
   * `size` rows of ⌈size / 32⌉ words each, top row first; a set bit is a dark module, and the lowest bit of
   * a word is its leftmost module. Bits beyond `size` are 0.
   */
  readonly rows: Uint32Array
}

/** Modules of light margin that a symbol needs on every side (ISO/IEC 18004:2015, 6.3.8). */
export const QUIET_ZONE = 4

/**
 * Calls `visit` for every horizontal run of dark modules, row by row and from left to right; `x` and `y` are
 * the run's first module, counted from the symbol's upper left corner without the quiet zone.
 */
export function eachDarkRun(symbol: QrSymbol, visit: (x: number, y: number, length: number) => void): void {
  const words = Math.ceil(symbol.size / 32)
  for (let y = 0; y < symbol.size; y++) {
    let start = -1
    let last = 0
    for (let w = 0; w < words; w++) {
      const word = symbol.rows[y * words + w] ?? 0
      // A size is odd, so the last word has a light bit to spare, and the last run its closing edge.
      let edges = word ^ ((word << 1) | last)
      last = word >>> 31
      for (; edges !== 0; edges &= edges - 1) {
        const x = w * 32 + 31 - Math.clz32(edges & -edges)
        if (start < 0) {
          start = x
        } else {
          visit(start, y, x - start)
          start = -1
        }
      }
    }
  }
}
