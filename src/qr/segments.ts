// Splits a text into the numeric, alphanumeric and byte segments that take the fewest bits.

/** A data encoding mode: its indicator (Table 2) and the cost of its characters (7.4.3 to 7.4.5). */
interface Mode {
  readonly indicator: number
  /** Bits of the character count indicator in versions 1 to 9, 10 to 26 and 27 to 40 (Table 3). */
  readonly countBits: readonly [number, number, number]
  /** Sixths of a bit per byte of text: 10 bits hold three digits, 11 bits hold two alphanumerics. */
  readonly sixths: number
}

export const numeric: Mode = { indicator: 0b0001, countBits: [10, 12, 14], sixths: 20 }
export const alphanumeric: Mode = { indicator: 0b0010, countBits: [9, 11, 13], sixths: 33 }
export const byte: Mode = { indicator: 0b0100, countBits: [8, 16, 16], sixths: 48 }

/** Bits of a mode indicator (7.4.1). */
export const INDICATOR_BITS = 4

/** Versions 1 to 9, 10 to 26 or 27 to 40, by their place in Table 3. */
export type VersionGroup = 0 | 1 | 2

/** The bytes from `start` up to `end` of a text, in one mode. */
export interface Segment {
  readonly mode: Mode
  readonly start: number
  readonly end: number
}

const ALPHANUMERIC_CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'

/** The value of every byte in alphanumeric mode (Table 5), or 255; a digit's is below 10 in both modes. */
export const alphanumericValue = new Uint8Array(256).fill(255)
for (let i = 0; i < ALPHANUMERIC_CHARACTERS.length; i++)
  alphanumericValue[ALPHANUMERIC_CHARACTERS.charCodeAt(i)] = i

// More than any text costs, and still far from the end of the integers that engines are quick at.
const never = 1 << 29

/**
 * The segmentation of a UTF-8 text that takes the fewest bits in a version of the group, and those bits.
 * Only byte mode can hold bytes above 127, so no segment ends within a character.
 */
export function split(text: Uint8Array, group: VersionGroup): { segments: Segment[]; bits: number } {
  const header = (mode: Mode) => 6 * (INDICATOR_BITS + mode.countBits[group])
  const numericHeader = header(numeric)
  const alphanumericHeader = header(alphanumeric)
  const byteHeader = header(byte)

  // The fewest sixths of a bit for the text so far if its last segment, still open, is in this mode. A mode
  // is left only for a whole bit, and only the cheapest one is worth leaving.
  let inNumeric = never
  let inAlphanumeric = never
  let inByte = never
  let cheapest = 2
  let closed = 0
  // For every byte, the cheapest mode before it (× 8) and which modes a segment opened in there.
  const trail = new Uint8Array(text.length)

  for (let i = 0; i < text.length; i++) {
    const value = alphanumericValue[text[i] ?? 0] ?? 0
    let opened = cheapest << 3
    if (value >= 10) inNumeric = never
    else {
      if (closed + numericHeader < inNumeric) {
        inNumeric = closed + numericHeader
        opened |= 1
      }
      inNumeric += numeric.sixths
    }
    if (value === 255) inAlphanumeric = never
    else {
      if (closed + alphanumericHeader < inAlphanumeric) {
        inAlphanumeric = closed + alphanumericHeader
        opened |= 2
      }
      inAlphanumeric += alphanumeric.sixths
    }
    if (closed + byteHeader < inByte) {
      inByte = closed + byteHeader
      opened |= 4
    }
    inByte += byte.sixths
    trail[i] = opened

    let least = inByte
    cheapest = 2
    if (inAlphanumeric < least) {
      least = inAlphanumeric
      cheapest = 1
    }
    if (inNumeric < least) {
      least = inNumeric
      cheapest = 0
    }
    closed = Math.ceil(least / 6) * 6
  }
  return { segments: walkBack(trail, cheapest), bits: closed / 6 }
}

function walkBack(trail: Uint8Array, last: number): Segment[] {
  const segments: Segment[] = []
  let mode = last
  let end = trail.length
  for (let start = end - 1; start >= 0; start--) {
    const opened = trail[start] ?? 0
    if (((opened >> mode) & 1) === 0) continue
    segments.push({ mode: mode === 0 ? numeric : mode === 1 ? alphanumeric : byte, start, end })
    end = start
    mode = opened >> 3
  }
  return segments.reverse()
}
