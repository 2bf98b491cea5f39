// Adds Reed–Solomon error correction to data codewords, and interleaves the blocks.

import type { Blocks } from './version.ts'

// GF(2⁸) with the field polynomial x⁸ + x⁴ + x³ + x² + 1 (7.5.2), whose root 2 generates the field.
const power = new Uint8Array(510)
const logarithm = new Uint8Array(256)
for (let exponent = 0, element = 1; exponent < 255; exponent++) {
  power[exponent] = element
  power[exponent + 255] = element
  logarithm[element] = exponent
  element = (element << 1) ^ (element < 128 ? 0 : 0b1_0001_1101)
}

function multiply(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : (power[(logarithm[a] ?? 0) + (logarithm[b] ?? 0)] ?? 0)
}

/** The generator polynomial with the roots 2⁰ … 2^(degree − 1), highest power first, its leading 1 left out. */
function generator(degree: number): Uint8Array {
  const coefficients = new Uint8Array(degree)
  coefficients[degree - 1] = 1
  for (let root = 0; root < degree; root++) {
    for (let i = 0; i < degree; i++) {
      coefficients[i] = multiply(coefficients[i] ?? 0, power[root] ?? 0) ^ (coefficients[i + 1] ?? 0)
    }
  }
  return coefficients
}

/** Every multiple of a generator polynomial: for each of the 256 factors, four coefficients to a word. */
function generatorMultiples(degree: number): Uint32Array {
  const words = Math.ceil(degree / 4)
  const coefficients = generator(degree)
  const multiples = new Uint32Array(256 * words)
  for (let factor = 1; factor < 256; factor++) {
    const lowest = factor & -factor
    if (factor === lowest) {
      for (let i = 0; i < degree; i++) {
        const at = factor * words + (i >> 2)
        const product = multiply(factor, coefficients[i] ?? 0)
        multiples[at] = (multiples[at] ?? 0) | (product << (24 - 8 * (i & 3)))
      }
    } else {
      // Addition is xor, so a sum of factors multiplies to the xor of their multiples.
      for (let word = 0; word < words; word++) {
        multiples[factor * words + word] =
          (multiples[lowest * words + word] ?? 0) ^ (multiples[(factor - lowest) * words + word] ?? 0)
      }
    }
  }
  return multiples
}

/** By degree, of which there are thirteen; cached, since they cost more than any division with them. */
const multiplesOf: Uint32Array[] = []

/**
 * The codewords in the order of their placement (7.6): the first data codeword of every block, the second of
 * every block and so on, then the error correction codewords in the same manner. The last blocks are one data
 * codeword longer than the others if the data do not divide evenly.
 */
export function withErrorCorrection(data: Uint8Array, blocks: Blocks): Uint8Array {
  const { count, checkLength, dataLength } = blocks
  multiplesOf[checkLength] ??= generatorMultiples(checkLength)
  const multiples = multiplesOf[checkLength]
  const shortLength = Math.floor(dataLength / count)
  const shortCount = count - (dataLength % count)
  const codewords = new Uint8Array(dataLength + count * checkLength)
  // The division's shift register, four codewords to a word, and a 0 to shift in.
  const words = Math.ceil(checkLength / 4)
  const remainder = new Uint32Array(words + 1)

  for (let block = 0, start = 0; block < count; block++) {
    const length = shortLength + (block < shortCount ? 0 : 1)
    remainder.fill(0)
    for (let i = 0; i < length; i++) {
      const codeword = data[start + i] ?? 0
      codewords[i * count + block - (i < shortLength ? 0 : shortCount)] = codeword
      const multiple = (((remainder[0] ?? 0) >>> 24) ^ codeword) * words
      for (let word = 0; word < words; word++) {
        const shifted = ((remainder[word] ?? 0) << 8) | ((remainder[word + 1] ?? 0) >>> 24)
        remainder[word] = shifted ^ (multiples[multiple + word] ?? 0)
      }
    }
    for (let i = 0; i < checkLength; i++) {
      codewords[dataLength + i * count + block] = (remainder[i >> 2] ?? 0) >>> (24 - 8 * (i & 3))
    }
    start += length
  }
  return codewords
}
