// What is no file of the format at all: each refusal says what it is.
import { describe, expect, it } from 'vitest'
import { MAX_FILE } from '../../src/contract/settlements/file.ts'
import type { Parse } from '../../src/settlement/formats/entry.ts'
import { parserOf } from '../../src/settlement/formats/formats.ts'
import { MAX_BYTES, MAX_LINE } from '../../src/settlement/formats/lines.ts'
import { MAX_OPERATIONS } from '../../src/settlement/formats/tally.ts'
import { BANKS, FORMATS } from '../../src/settlement/sources.ts'
import { type Encoding, encode, outcomeOf, streamOf } from '../support/settlement/files.ts'
import { raiffeisenText } from '../support/settlement/raiffeisen.ts'
import { statementText } from '../support/settlement/statement.ts'
import { tbankLine, tbankText } from '../support/settlement/tbank.ts'
import {
  groupText,
  linkPayment,
  objectText,
  payLine,
  payText,
  registryText,
} from '../support/settlement/tochka.ts'

const PARSERS = BANKS.flatMap((bank) =>
  FORMATS.map((format) => [`${bank} ${format}`, parserOf(bank, format, { payoutAccounts: [] })] as const),
)

/** A file of each kind, as a refusal names it. */
const FILES: Record<string, { text: string; encoding: Encoding; of: RegExp }> = {
  "T-Bank's registry": { text: tbankText([tbankLine({})]), encoding: 'windows-1251', of: /^tbank registry/ },
  "Raiffeisenbank's registry": {
    text: raiffeisenText([], ['0.00', '0.00']),
    encoding: 'windows-1251',
    of: /^raiffeisen registry/,
  },
  'a statement 1CClientBankExchange': { text: statementText([]), encoding: 'windows-1251', of: /statement$/ },
  "Tochka Pay Gateway's registry": {
    text: payText([payLine()]),
    encoding: 'utf-8',
    of: /^tochka-pay registry/,
  },
  JSON: { text: registryText(), encoding: 'utf-8', of: /^tochka registry/ },
  HTML: { text: '<!DOCTYPE html><html><body>Войдите</body></html>', encoding: 'utf-8', of: /^$/ },
  PDF: { text: '%PDF-1.7\n%\ue0e2\ue0e3', encoding: 'utf-8', of: /^$/ },
  'a zip': { text: 'PK\ue003\ue004\ue014', encoding: 'utf-8', of: /^$/ },
}

describe.each(PARSERS)('%s', (name, parse) => {
  it.each(Object.entries(FILES).filter(([, { of }]) => !of.test(name)))(
    'says that it is given %s',
    async (kind, { text, encoding }) =>
      expect(await outcomeOf(parse, streamOf(encode(text, encoding), [5]))).toEqual({
        faults: { file: [expect.stringMatching(new RegExp(`^is ${kind}, must be `))] },
      }),
  )

  it.each<[string, (text: string) => number[]]>([
    ['little-endian with a mark', (text) => [0xff, 0xfe, ...bytesOf16(text)]],
    ['little-endian', (text) => bytesOf16(text)],
    ['big-endian with a mark', (text) => [0xfe, 0xff, 0, ...bytesOf16(text).slice(0, -1)]],
  ])('says that it is given UTF-16, %s', async (_, bytes) =>
    expect(await outcomeOf(parse, streamOf(Uint8Array.from(bytes('1CClientBankExchange'))))).toEqual({
      faults: { file: [expect.stringMatching(/^is UTF-16, must be /)] },
    }),
  )

  it('refuses other bytes, and no error is another one than a refusal', async () => {
    for (const bytes of [[0], [255], [0, 0, 0, 0], [0xd0], [34], [59, 59]])
      expect(await outcomeOf(parse, streamOf(Uint8Array.from(bytes)))).toHaveProperty('faults')
  })
})

const bytesOf16 = (text: string): number[] => Array.from(text).flatMap((each) => [each.charCodeAt(0), 0])

const options = { payoutAccounts: [] }
const TBANK = parserOf('tbank', 'registry', options)
const RAIFFEISEN = parserOf('raiffeisen', 'registry', options)
const TOCHKA = parserOf('tochka', 'registry', options)
const PAY = parserOf('tochka-pay', 'registry', options)
const STATEMENT = parserOf('tbank', 'statement', options)

const PIECE = 1024 * 1024

async function* repeated(head: string, piece: Uint8Array, times: number): AsyncGenerator<Uint8Array> {
  yield encode(head, 'windows-1251')
  for (let i = 0; i < times; i++) yield piece
}

describe('a line of 8 MiB', () => {
  const long = new Uint8Array(PIECE).fill(0x78)
  it.each<[string, Parse, string, number]>([
    ['T-Bank', TBANK, tbankText([tbankLine({})]), 2],
    ['Raiffeisenbank', RAIFFEISEN, raiffeisenText([], ['0', '0']), 5],
    ['Pay Gateway', PAY, payText([payLine()]), 3],
    ['1C', STATEMENT, statementText([]), 15],
  ])('is refused before all of it is read: %s', async (_, parse, head, line) => {
    let read = 0
    const counted = async function* () {
      for await (const piece of repeated(head, long, 8)) {
        read += piece.length
        yield piece
      }
    }
    expect(await outcomeOf(parse, counted())).toEqual({
      faults: { [`lines[${line}]`]: [`is longer than ${MAX_LINE} characters, must be shorter`] },
    })
    expect(read).toBeLessThan(2 * PIECE)
  })

  it('is refused where JSON has a text of that length', async () =>
    expect(await outcomeOf(TOCHKA, repeated('{"Data": {"Registry": "', long, 8))).toEqual({
      faults: { 'Data.Registry': ['is not JSON, must be'] },
    }))
})

it.each<[string, Parse, string, string]>([
  [
    'T-Bank',
    TBANK,
    '',
    tbankText([tbankLine({ number: '@', paymentId: '@', description: 'x'.repeat(60_000) })]),
  ],
  ['1C', STATEMENT, statementText([]).replace('КонецФайла\r\n', ''), `Ключ=${'x'.repeat(60_000)}\r\n`],
  ['Tochka', TOCHKA, '{"Data": ', ' '.repeat(60_000)],
])('33 MiB are too large: %s', async (_, parse, head, line) => {
  const file = async function* () {
    yield encode(head, 'windows-1251')
    for (let i = 1; i * 60_000 < 33 * PIECE; i++) yield encode(line.replaceAll('@', `${i}`), 'windows-1251')
  }
  expect(await outcomeOf(parse, file())).toEqual({
    tooLarge: `the file is too large, must be at most ${MAX_BYTES} bytes`,
  })
})

it('empty lines without an end are refused before they are read', async () =>
  expect(
    await outcomeOf(TBANK, repeated(tbankText([tbankLine({})]), new Uint8Array(PIECE).fill(0x0a), 32)),
  ).toEqual({
    faults: { 'lines[1002]': ['is empty, as 1000 lines before it'] },
  }))

it('keys without an end are refused before they are kept', async () => {
  const keys = Array.from({ length: 300 }, (_, i) => `Ключ${i}=`).join('\r\n')
  const text = statementText([]).replace('НачальныйОстаток', `${keys}\r\nНачальныйОстаток`)
  expect(await outcomeOf(STATEMENT, streamOf(encode(text, 'windows-1251')))).toEqual({
    faults: { 'lines[209]': ['is another key of its section, must be one of at most 200'] },
  })
})

describe('100,001 operations are too many', () => {
  const OVER = MAX_OPERATIONS + 1
  /** The text so often, `@` being its number. */
  const times = (text: string, count: number, separator = ''): string =>
    Array.from({ length: count }, (_, i) => text.replaceAll('@', `${i}`)).join(separator)
  const tbank = tbankText([tbankLine({ number: '@', paymentId: '@', description: '' })])
  const sums = { amount: '1', commission: '0', enrollmentAmount: '1' }
  const link = objectText(linkPayment({ operationId: '"@"', ...sums, purpose: '""' }))
  const group = groupText({ paymentType: '"sbp"', totalAmount: `${OVER}` }, [{ '@': '@' }])
  it.each<[string, Parse, () => string]>([
    ['lines', TBANK, () => times(tbank, OVER)],
    ['elements of JSON', TOCHKA, () => registryText(group.replace('{"@": @}', times(link, OVER, ',')))],
  ])('%s', async (_, parse, text) =>
    expect(await outcomeOf(parse, streamOf(encode(text(), 'windows-1251'), [65_536]))).toEqual({
      tooLarge: `the file has too many lines, must have at most ${MAX_OPERATIONS}`,
    }),
  )

  it('and 100,000 are not', async () => {
    const bytes = encode(times(tbank, MAX_OPERATIONS), 'windows-1251')
    expect(await outcomeOf(TBANK, streamOf(bytes, [65_536]))).toMatchObject({
      summary: { entries: MAX_OPERATIONS },
    })
  })
})

it('the API takes as much as a parser reads', () => {
  expect(MAX_FILE).toBe(MAX_BYTES)
})
