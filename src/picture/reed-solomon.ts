// Data codewords → the codewords of a symbol: Reed–Solomon error correction, and the blocks interleaved.

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

const productTables = new Map<number, Uint8Array>()

/** Every multiple of the generator polynomial: `degree` coefficients for each of the 256 factors. */
function generatorProducts(degree: number): Uint8Array {
  const known = productTables.get(degree)
  if (known) return known
  const products = new Uint8Array(256 * degree)
  const coefficients = generator(degree)
  for (let factor = 1; factor < 256; factor++) {
    for (let i = 0; i < degree; i++) products[factor * degree + i] = multiply(factor, coefficients[i] ?? 0)
  }
  productTables.set(degree, products)
  return products
}

/**
 * The codewords in the order of their placement (7.6): the first data codeword of every block, then the
 * second of every block, …, and after the data the error correction codewords in the same manner. The last
 * blocks are one data codeword longer if the data do not divide evenly.
 */
export function withErrorCorrection(data: Uint8Array, blocks: Blocks): Uint8Array {
  const { count, checkLength, dataLength } = blocks
  const codewords = new Uint8Array(dataLength + count * checkLength)
  const products = generatorProducts(checkLength)
  const shortLength = Math.floor(dataLength / count)
  const shortCount = count - (dataLength % count)
  // The dividend of one block at a time: its data, and behind it room for the remainder.
  const dividend = new Uint8Array(shortLength + 1 + checkLength)

  for (let block = 0, start = 0; block < count; block++) {
    const length = shortLength + (block < shortCount ? 0 : 1)
    dividend.fill(0)
    for (let i = 0; i < length; i++) {
      const codeword = data[start + i] ?? 0
      dividend[i] = codeword
      codewords[i < shortLength ? i * count + block : i * count + block - shortCount] = codeword
    }
    for (let i = 0; i < length; i++) {
      const multiple = (dividend[i] ?? 0) * checkLength
      for (let j = 0; j < checkLength; j++) {
        dividend[i + 1 + j] = (dividend[i + 1 + j] ?? 0) ^ (products[multiple + j] ?? 0)
      }
    }
    for (let i = 0; i < checkLength; i++)
      codewords[dataLength + i * count + block] = dividend[length + i] ?? 0
    start += length
  }
  return codewords
}
