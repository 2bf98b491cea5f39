// Encodes segments as data codewords: the bit stream, its terminator and its padding.

import {
  alphanumeric,
  alphanumericValue,
  INDICATOR_BITS,
  numeric,
  type Segment,
  type VersionGroup,
} from './segments.ts'

/** The data codewords of a symbol that holds `length` of them; the segments must fit (7.4). */
export function dataCodewords(
  text: Uint8Array,
  segments: readonly Segment[],
  group: VersionGroup,
  length: number,
): Uint8Array {
  const codewords = new Uint8Array(length)
  let filled = 0
  let pending = 0
  let pendingBits = 0
  const append = (value: number, bits: number) => {
    pending = (pending << bits) | value
    pendingBits += bits
    while (pendingBits >= 8) {
      pendingBits -= 8
      codewords[filled++] = pending >>> pendingBits
    }
  }

  for (const { mode, start, end } of segments) {
    append(mode.indicator, INDICATOR_BITS)
    append(end - start, mode.countBits[group])
    if (mode === numeric) {
      for (let i = start; i < end; i += 3) {
        const digits = Math.min(3, end - i)
        let value = 0
        for (let j = i; j < i + digits; j++) value = value * 10 + valueAt(text, j)
        append(value, 1 + 3 * digits)
      }
    } else if (mode === alphanumeric) {
      let i = start
      for (; i + 1 < end; i += 2) append(valueAt(text, i) * 45 + valueAt(text, i + 1), 11)
      if (i < end) append(valueAt(text, i), 6)
    } else {
      for (let i = start; i < end; i++) append(text[i] ?? 0, 8)
    }
  }

  // The terminator is cut short where the codewords end (7.4.9); a last codeword is filled with 0 bits, and
  // the rest are these two in turn (7.4.10).
  append(0, Math.min(4, 8 * (length - filled) - pendingBits))
  append(0, -pendingBits & 7)
  for (let pad = 0b11101100; filled < length; pad ^= 0b11101100 ^ 0b00010001) codewords[filled++] = pad
  return codewords
}

const valueAt = (text: Uint8Array, index: number) => alphanumericValue[text[index] ?? 0] ?? 0
