import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MAX_BYTES, piecesOf } from '../../src/settlement/formats/lines.ts'
import { tochkaPayRegistry } from '../../src/settlement/formats/tochka-pay-registry.ts'
import { unzipped } from '../../src/settlement/formats/zip.ts'
import { encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import { payLine, payText } from '../support/settlement/tochka.ts'
import { type Packed, zipOf } from '../support/settlement/zip.ts'

const CSV = encode(payText([payLine()]), 'utf-8')
const outcome = (zip: Uint8Array, sizes?: number[]) =>
  outcomeOf((bytes) => tochkaPayRegistry(unzipped(bytes)), streamOf(zip, sizes))
const refused = async (zip: Uint8Array, text: string) =>
  expect(await outcome(zip)).toEqual({ faults: { file: [text] } })

describe('a zip of one file is read', () => {
  it.each<[string, Partial<Packed>]>([
    ['whose sizes are before it', {}],
    ['whose sizes are behind it', { hasDescriptor: true }],
    ['that is not compressed', { isStored: true }],
    ['that is empty', { content: new Uint8Array() }],
  ])('%s, however it comes', async (_, packed) => {
    const zip = zipOf([{ content: CSV, ...packed }])
    const lines = packed.content ? 0 : 1
    for (const sizes of [[zip.length], [1], [7, 4096], [zip.length - 1, 1]])
      expect(await outcome(zip, sizes)).toMatchObject({ summary: { lines } })
  })

  it('of more than fits into memory at once', async () => {
    const text = payText(Array.from({ length: 20_000 }, (_, i) => payLine({ TRANSACTION_ID: `pay-${i}` })))
    const zip = zipOf([{ content: encode(text, 'utf-8'), hasDescriptor: true }])
    expect(await outcome(zip, [65_536])).toMatchObject({ summary: { entries: 20_000 } })
  })
})

it('the stream is ended where the reader has enough', async () => {
  const zip = zipOf([{ content: encode('x;y\n'.repeat(100_000), 'utf-8') }])
  let isEnded = false
  const stream = async function* () {
    try {
      yield* streamOf(zip, [100])
    } finally {
      isEnded = true
    }
  }
  expect(await outcomeOf((bytes) => tochkaPayRegistry(unzipped(bytes)), stream())).toEqual({
    faults: { 'lines[1]': ['has 2 cells, must have 18 or 16'] },
  })
  expect(isEnded).toBe(true)
})

it('no bytes are a day without operations', async () =>
  expect(await outcome(new Uint8Array())).toMatchObject({ entries: [] }))

describe('what is refused', () => {
  const bomb = deflateRawSync(new Uint8Array(MAX_BYTES + 1).fill(0x3b))

  it.each([true, false])(
    'a bomb: it is counted by its bytes, not by what it says (descriptor: %s)',
    async (hasDescriptor) => {
      const zip = zipOf([{ content: CSV, packed: bomb, hasDescriptor }])
      let unpacked = 0
      const counted = async function* (bytes: AsyncIterable<Uint8Array>) {
        for await (const piece of unzipped(bytes)) {
          unpacked += piece.length
          yield piece
        }
      }
      // One line of separators would be refused for its length first.
      const parse = async function* (bytes: AsyncIterable<Uint8Array>) {
        for await (const _ of piecesOf(counted(bytes)));
        yield []
        return { lines: 0, entries: 0, skipped: 0, skippedNet: {} }
      }
      expect(await outcomeOf(parse, streamOf(zip))).toEqual({
        tooLarge: `the file is too large, must be at most ${MAX_BYTES} bytes`,
      })
      expect(unpacked).toBeLessThan(MAX_BYTES + 4 * 2 ** 20)
    },
  )

  it.each<[string, Partial<Packed>]>([
    ['sizes before them', {}],
    ['sizes behind them', { hasDescriptor: true }],
    ['no compression', { isStored: true }],
  ])('two files, with %s', async (_, packed) => {
    const files = [
      { content: CSV, ...packed },
      { content: CSV, name: 'b.csv', ...packed },
    ]
    await refused(zipOf(files), 'is a zip of 2 files, must have one')
  })

  it('no file', () => refused(zipOf([]), 'is a zip of 0 files, must have one'))
  it('what is no zip', () => refused(CSV, 'is not a zip, must be'))
  it('an encrypted one', () =>
    refused(zipOf([{ content: CSV, flags: 1 }]), 'is a zip that is encrypted, must not be'))
  it('another compression', () =>
    refused(zipOf([{ content: CSV, method: 12 }]), 'is a zip of the method 12, must be 8'))
  it('one that is cut off, wherever', async () => {
    const zip = zipOf([{ content: CSV, hasDescriptor: true }])
    for (let length = 30; length < zip.length; length += 7) {
      const result = await outcome(zip.subarray(0, length))
      expect(result).toEqual({ faults: { file: ['is a zip that is cut off'] } })
    }
  })
  it.each<[string, Partial<Packed>]>([
    ['another checksum', { crc: crc32(CSV) ^ 1 }],
    ['another size', { size: CSV.length + 1 }],
    ['another compressed size', { packedSize: 12 }],
    ['bytes that cannot be unpacked', { packed: new Uint8Array(100).fill(255) }],
    ['bytes behind what is compressed', { packed: new Uint8Array([...deflateRawSync(CSV), 1, 2, 3]) }],
    ['compressed bytes that end early', { packed: deflateRawSync(CSV).subarray(0, -4) }],
  ])('%s', async (_, packed) => {
    await refused(zipOf([{ content: CSV, ...packed }]), 'is a zip that is damaged')
    await refused(zipOf([{ content: CSV, hasDescriptor: true, ...packed }]), 'is a zip that is damaged')
  })
})
