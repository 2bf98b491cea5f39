// How the Worker takes a settlement file: what it calls of the site, and what it says of a file that it does not take.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ImportStep, Settlement } from '../../src/contract/settlement.ts'
import type { Platform } from '../../src/gateway/context.ts'
import type { Entry, Summary } from '../../src/settlement/formats/entry.ts'
import { MAX_LINE } from '../../src/settlement/formats/lines.ts'
import type { Call } from '../support/client.ts'
import { call, errorOf, serviceWith, siteWith, tokenOf } from '../support/service.ts'
import { encode } from '../support/settlement/files.ts'
import { account, credit, statementText } from '../support/settlement/statement.ts'
import { type Cells, tbankLine, tbankText } from '../support/settlement/tbank.ts'
import { payLine, payText, registryText } from '../support/settlement/tochka.ts'
import { zipOf } from '../support/settlement/zip.ts'

const TBANK = 'bank=tbank&format=registry'
const MIB = 1024 * 1024
const ONE = encode(tbankText([tbankLine({})]), 'windows-1251')
const SETTLEMENT: Settlement = {
  ...{
    settlementUid: 'a',
    bank: 'tbank',
    format: 'registry',
    sha256: '0'.repeat(64),
    importedAt: 1_795_000_000,
  },
  ...{ lines: 1, entries: 1, skipped: 0, repeated: 0, matched: 1, mismatched: 0, unknown: 0 },
}

/** A site that takes every import, in three steps, and what it is told. */
function takingSite(parts: Partial<Platform> = {}, payoutAccounts: string[] = []) {
  const calls: string[] = []
  const batches: Entry[][] = []
  let completed: { sha256: string; summary: Summary } | undefined
  const said = <T>(name: string, value: T) => {
    calls.push(name)
    return Promise.resolve({ ok: true as const, value })
  }
  const lines: string[] = []
  let isReplayed = false
  const service = serviceWith({
    log: (line) => lines.push(line),
    site: () =>
      siteWith({
        beginImport: (_, spec) => said(`begin ${Object.values(spec)}`, { token: 't', payoutAccounts }),
        appendEntries: (_, token, entries) => {
          batches.push(entries)
          return said(`append ${token}`, undefined)
        },
        completeImport: (_, token, file) => {
          completed = file
          return said<ImportStep>(`complete ${token}`, { isDone: false })
        },
        continueImport: (_, token) => {
          const isDone = calls.some((name) => name.startsWith('continue'))
          const step: ImportStep = isDone
            ? { isDone: true, settlement: SETTLEMENT, isReplayed }
            : { isDone: false }
          return said(`continue ${token}`, step)
        },
        abandonImport: (_, token) => said(`abandon ${token}`, undefined),
      }),
    ...parts,
  })
  return {
    calls,
    batches,
    log: () => lines.join('\n'),
    completed: () => completed,
    replays: () => {
      isReplayed = true
    },
    put: async (body: unknown, query = TBANK, more: Call = {}) =>
      call(
        `/payin/v1/sites/demo/settlements/a?${query}`,
        {
          method: 'PUT',
          body,
          token: await tokenOf({ scope: 'merchant:accounting' }),
          ...more,
          headers: { 'Content-Type': 'text/csv', ...more.headers },
        },
        service,
      ),
  }
}

/** A stream of pieces; what `end` does is the rest. */
const piecesOf = (
  pieces: Iterable<Uint8Array>,
  end?: (controller: ReadableStreamDefaultController) => void,
) => {
  const rest = pieces[Symbol.iterator]()
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const { done, value } = rest.next()
      if (!done) controller.enqueue(value)
      else if (end) end(controller)
      else controller.close()
    },
  })
}

const lineOf = (number: number, cells: Cells = {}): string =>
  tbankText([
    tbankLine({
      number: `${number}`,
      paymentId: `${700_000_000 + number}`,
      operationId: `A${String(number).padStart(31, '0')}`,
      ...cells,
    }),
  ])

describe('a file that is taken', () => {
  it('is begun, handed over, completed, and continued until it is done: 201', async () => {
    const site = takingSite()
    const response = await site.put(ONE)
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([201, null])
    const { importedAt: _, ...shown } = SETTLEMENT
    expect(await response.json()).toEqual({ ...shown, importedOn: '2026-11-18T14:06:40+03:00' })
    expect(site.calls).toEqual([
      'begin a,tbank,registry,false',
      ...['append t', 'complete t', 'continue t', 'continue t'],
    ])
    expect(site.batches).toMatchObject([[{ kind: 'payment', gross: 10_000, line: 1 }]])
    expect(site.completed()).toEqual({
      sha256: createHash('sha256').update(ONE).digest('hex'),
      summary: { lines: 1, entries: 1, skipped: 0, skippedNet: {}, from: '2026-11-20', to: '2026-11-20' },
    })
  })

  it('of one that is split over several sites is begun as a part', async () => {
    const site = takingSite()
    await site.put(ONE, `${TBANK}&part=true`)
    expect(site.calls[0]).toBe('begin a,tbank,registry,true')
  })

  it('again: 200, and the header says so', async () => {
    const site = takingSite()
    site.replays()
    const response = await site.put(ONE)
    expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
  })

  const zip = zipOf([{ content: encode(payText([payLine()]), 'utf-8') }])
  it.each<[string, string, Uint8Array, string, number]>([
    ['an empty file', 'text/csv', new Uint8Array(), TBANK, 0],
    ['text', 'Text/Plain; charset=windows-1251', ONE, TBANK, 1],
    ['JSON', 'application/json', encode(registryText(), 'utf-8'), 'bank=tochka&format=registry', 0],
    ['a zip', 'application/zip', zip, 'bank=tochka-pay&format=registry', 1],
  ])('is %s, whose hash is that of the bytes as they were sent', async (_, type, bytes, query, lines) => {
    const site = takingSite()
    const response = await site.put(bytes, query, { headers: { 'Content-Type': type } })
    expect(response.status).toBe(201)
    expect(site.completed()).toMatchObject({
      sha256: createHash('sha256').update(bytes).digest('hex'),
      summary: { lines },
    })
  })

  it('is handed over in batches of at most 64 KiB of JSON, each entry once and in order', async () => {
    const site = takingSite()
    function* lines() {
      for (let number = 1; number <= 8000; number += 100)
        yield encode(Array.from({ length: 100 }, (_, i) => lineOf(number + i)).join(''), 'windows-1251')
    }
    expect((await site.put(piecesOf(lines()))).status).toBe(201)
    const sizes = site.batches.map((batch) => new TextEncoder().encode(JSON.stringify(batch)).length)
    expect(sizes.length).toBeGreaterThan(2)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024)
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(62 * 1024)
    expect(site.batches.flat().map(({ line }) => line)).toEqual(Array.from({ length: 8000 }, (_, i) => i + 1))
  })

  it('that arrives slowly keeps its import alive, with what there is', async () => {
    let now = 1_795_000_000_000
    const site = takingSite({ now: () => now })
    function* slow() {
      for (let number = 1; number <= 6; number++) {
        now += 15_000
        yield encode(lineOf(number), 'windows-1251')
      }
    }
    // The token is of the same clock.
    const token = await tokenOf({ scope: 'merchant:accounting', iat: 1_794_000_000, exp: 1_796_000_000 })
    expect((await site.put(piecesOf(slow()), TBANK, { token })).status).toBe(201)
    expect(site.batches.length).toBeGreaterThanOrEqual(3)
    expect(site.batches.flat().map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('knows payouts by the accounts of the site', async () => {
    const payoutAccount = '30233810600000000001'
    const statement = encode(
      statementText(
        [credit({ НазначениеПлатежа: 'Перевод по реестру' }, { Счет: payoutAccount, ИНН: '7710140679' })],
        {
          accounts: [account({ ВсегоПоступило: '100', КонечныйОстаток: '2100' })],
        },
      ),
      'windows-1251',
    )
    const kinds = async (accounts: string[]) => {
      const site = takingSite({}, accounts)
      const response = await site.put(statement, 'bank=tbank&format=statement')
      expect([response.status, await response.text()]).toEqual([201, expect.any(String)])
      return site.batches.flat().map(({ kind }) => kind)
    }
    expect(await kinds([payoutAccount])).toEqual(['payout'])
    expect(await kinds([])).toEqual([])
  })
})

const text = (line: string) => encode(line, 'windows-1251')
const bytesOf16 = Uint8Array.from(Array.from('1;2;3;4').flatMap((each) => [each.charCodeAt(0), 0]))

/** A body of a length that no file has, made piece by piece. */
function* filled(size: number) {
  const piece = new Uint8Array(64 * 1024).fill(0x41)
  for (let at = 0; at < size; at += piece.length) yield piece.subarray(0, Math.min(piece.length, size - at))
}
function* manyLines(count: number) {
  for (let number = 1; number <= count; number += 1000)
    yield text(
      Array.from({ length: Math.min(1000, count - number + 1) }, (_, i) => lineOf(number + i)).join(''),
    )
}
/** Lines of 60,000 characters, each with a payment of its own. */
function* longLines(size: number) {
  for (let number = 1; number * 60_000 < size; number++)
    yield text(lineOf(number, { description: '-'.repeat(60_000) }))
}
/** A zip of some kilobytes. */
const bomb = (size: number) =>
  zipOf([
    {
      content: encode(
        payText(
          Array.from({ length: size / 60_000 }, (_, number) =>
            payLine({ TRANSACTION_ID: `pay-${number}`, USER_INFO: '-'.repeat(60_000) }),
          ),
        ),
        'utf-8',
      ),
    },
  ])

describe('a file that is refused leaves nothing: the import is abandoned', () => {
  const unreadable = [400, 'settlement.unreadable'] as const
  const tooLarge = [413, 'http.message.too.large'] as const
  it.each<[string, readonly [number, string], () => unknown, RegExp, { query?: string; type?: string }?]>([
    [
      'of another amount than two digits',
      unreadable,
      () => text(tbankText([tbankLine({ amount: '1.234' })])),
      /^lines\[1\]\.amount is 1\.234, must have two digits behind a point$/,
    ],
    ['of a bank’s other format', unreadable, () => text(statementText([])), /^file is a statement/],
    ['of another bank', unreadable, () => encode(payText([payLine()]), 'utf-8'), /^file is Tochka Pay/],
    ['HTML', unreadable, () => text('<!DOCTYPE html><html>'), /^file is HTML, must be T-Bank's registry$/],
    ['UTF-16', unreadable, () => bytesOf16, /^file is UTF-16, must be windows-1251$/],
    [
      'with a NUL',
      unreadable,
      () => text(tbankText([tbankLine({ data: '\ue000' })])),
      /^lines\[1\]\.data has the character U\+0000, must have none that controls$/,
    ],
    ['that is cut off within a line', unreadable, () => ONE.subarray(0, 60), /^lines\[1\]/],
    [
      'a zip that is declared as text',
      unreadable,
      () => zipOf([{ content: ONE }]),
      /^file is a zip, must be/,
    ],
    [
      'text that is declared as a zip',
      unreadable,
      () => ONE,
      /^file is no zip|^file is not a zip/,
      { type: 'application/zip' },
    ],
    [
      'a zip with two files',
      unreadable,
      () => zipOf([{ content: ONE }, { content: ONE, name: 'b.csv' }]),
      /^file .*(two|2) files/,
      { type: 'application/zip' },
    ],
    [
      'a zip that is cut off',
      unreadable,
      () => zipOf([{ content: ONE }]).subarray(0, 100),
      /^file /,
      { type: 'application/zip' },
    ],
    [
      'with a line of 8 MiB',
      unreadable,
      () => piecesOf(filled(8 * MIB)),
      new RegExp(`^lines\\[1\\] is longer than ${MAX_LINE} characters`),
    ],
    ['of 100,001 lines', tooLarge, () => piecesOf(manyLines(100_001)), /100000|100,000/],
    [
      'of 33 MiB',
      tooLarge,
      () => piecesOf(longLines(33 * MIB)),
      /^the (body|file) is too large, must be at most 33554432 bytes$/,
    ],
    [
      'a zip bomb',
      tooLarge,
      () => bomb(33 * MIB),
      /33554432/,
      { type: 'application/zip', query: 'bank=tochka-pay&format=registry' },
    ],
  ])('(%s)', async (_, [status, code], body, description, { query, type } = {}) => {
    const site = takingSite()
    const response = await site.put(body(), query, { headers: { 'Content-Type': type ?? 'text/csv' } })
    const error = await errorOf(response)
    expect([response.status, error.errorCode]).toEqual([status, code])
    expect(error.description).toMatch(description)
    if (status === 400) expect(Object.keys(error.cause ?? {}).length).toBeGreaterThan(0)
    expect(site.calls.at(0)).toMatch(/^begin/)
    expect(site.calls.at(-1)).toBe('abandon t')
    expect(site.calls).not.toContain('complete t')
  })

  it('and no card or telephone of a payer is in the answer or in the log', async () => {
    const site = takingSite()
    const response = await site.put(text(tbankText([tbankLine({ amount: '+79031234567' })])))
    const answer = await response.text()
    expect([response.status, answer]).toEqual([400, expect.stringContaining('lines[1].amount is ***')])
    expect(answer + site.log()).not.toMatch(/9031234567/)
  })
})

describe('a body that does not arrive', () => {
  const stored = () =>
    zipOf([{ content: text([...Array(2000).keys()].map((i) => lineOf(i + 1)).join('')), isStored: true }])
  const beginning = () => [text(lineOf(1)), text(lineOf(2)).subarray(0, 30)]

  it.each([
    ['text/csv', () => beginning()],
    // Behind its first bytes: a zip that is cut off there looks damaged.
    ['application/zip', () => [stored().subarray(0, 200_000)]],
  ])('to its end, as %s: 400, the import is abandoned', async (type, pieces) => {
    const site = takingSite()
    const broken = piecesOf(pieces(), (controller) => controller.error(new Error('Network connection lost.')))
    const response = await site.put(broken, TBANK, { headers: { 'Content-Type': type } })
    expect(await errorOf(response)).toMatchObject({
      errorCode: 'http.message.conversion.failed',
      description: 'the body ended before it was complete',
    })
    expect(site.calls.at(-1)).toBe('abandon t')
    expect(site.log()).toContain('"disconnected":true')
  })

  it('to its stated length, cut off between two lines: 400, the import is abandoned', async () => {
    const site = takingSite()
    const headers = { 'Content-Length': `${2 * ONE.length}` }
    const response = await site.put(piecesOf([ONE]), TBANK, { headers })
    expect((await errorOf(response)).description).toBe('the body ended before it was complete')
    expect(site.calls.at(-1)).toBe('abandon t')
  })

  it('within five minutes: 400, the import is abandoned', async () => {
    const asked: number[] = []
    const passed = Promise.withResolvers<void>()
    const site = takingSite({
      sleep: (milliseconds) => {
        asked.push(milliseconds)
        return passed.promise
      },
    })
    const stalled = piecesOf(beginning(), () => {
      passed.resolve()
      return new Promise(() => {})
    })
    const response = await site.put(stalled)
    expect(asked).toEqual([300_000])
    expect((await errorOf(response)).description).toBe('the body did not arrive within 300 seconds')
    expect(site.calls.at(-1)).toBe('abandon t')
  })
})

describe('a request that is refused before the site is called', () => {
  it.each<[string, number, string, string, Record<string, string>]>([
    ['another type', 415, 'http.media.type.not.supported', TBANK, { 'Content-Type': 'text/html' }],
    ['no type', 415, 'http.media.type.not.supported', TBANK, { 'Content-Type': '' }],
    ['a content coding', 415, 'http.media.type.not.supported', TBANK, { 'Content-Encoding': 'gzip' }],
    ['no query', 400, 'validation.error', '', {}],
    ['another bank', 400, 'validation.error', 'bank=sber&format=registry', {}],
    ['a part that is not true', 400, 'validation.error', `${TBANK}&part=false`, {}],
    ['a format that the bank has not', 400, 'validation.error', 'bank=tbank&format=report', {}],
    [
      'a stated length above 32 MiB',
      413,
      'http.message.too.large',
      TBANK,
      { 'Content-Length': `${33 * MIB}` },
    ],
    ['a stated length of 1 GiB', 413, 'http.message.too.large', TBANK, { 'Content-Length': `${1024 * MIB}` }],
  ])('for %s: %i %s', async (_, status, code, query, headers) => {
    const site = takingSite()
    const response = await site.put(ONE, query, { headers })
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([status, code])
    expect(site.calls).toEqual([])
  })

  it('for its settlementUid: entries is the list of them', async () => {
    const token = await tokenOf({ scope: 'merchant:accounting' })
    const path = `/payin/v1/sites/demo/settlements/entries?${TBANK}`
    const response = await call(path, {
      method: 'PUT',
      body: ONE,
      token,
      headers: { 'Content-Type': 'text/csv' },
    })
    expect([response.status, (await errorOf(response)).errorCode]).toEqual([400, 'validation.error'])
  })
})

it('what is left of a body is read after a refusal, so that the client gets it', async () => {
  const site = takingSite()
  let sent = 0
  function* counted() {
    yield text('<!DOCTYPE html>\n')
    for (const piece of filled(4 * MIB)) {
      sent += piece.length
      yield piece
    }
  }
  expect((await site.put(piecesOf(counted()))).status).toBe(400)
  expect(sent).toBe(4 * MIB)
})
