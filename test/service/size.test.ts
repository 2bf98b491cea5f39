// The size of the Worker's modules: what every new instance loads, and what is loaded when it is needed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { bundle } from '../../bin/serve/bundle.ts'

const directory = mkdtempSync(join(tmpdir(), 'fps-qr-size-'))
afterAll(() => rmSync(directory, { recursive: true }))
const { loaded, modules } = await bundle(directory)

/** Bytes by gzip -9, in one stream. */
const sizeOf = (names: readonly string[]): number =>
  gzipSync(Buffer.concat(names.map((name) => readFileSync(join(directory, name)))), { level: 9 }).length

/** The modules that are loaded when they are needed. */
const later = () => modules.filter((name) => !loaded.includes(name)).toSorted()

// It is what creating, reading, reports of payments, events and the payer's requests need. A third is of the objects, a fifth is schemas
// with the documentation of these operations, 24 KB are zod and Hono.
it('what an instance loads is at most 150 KB', () => expect(sizeOf(loaded)).toBeLessThanOrEqual(150_000))

// Of it, periods and their chart have 2 KB, the logo, the preview and the rules of the settings 2 KB, what became of a refund and
// the sums and times of the audit 1 KB, decisions about payments that no code took 1 KB, addresses for notifications 3 KB, saved
// accounts 2 KB, people, invitations, devices and the operator's people 11 KB, confirmations 3 KB, several sites 2 KB.
it('the console is a module of its own, of at most 77 KB', () => {
  const console = later().filter((name) => name.startsWith('console-'))
  expect(sizeOf(console)).toBeLessThanOrEqual(77_000)
})

it('what few requests need is in modules of its own', () => {
  expect(later().filter((name) => !name.startsWith('chunk-'))).toEqual([
    expect.stringMatching(/^console-/),
    // A body that is a file.
    expect.stringMatching(/^file-body-/),
    // The rest of the API.
    expect.stringMatching(/^full-app-/),
    expect.stringMatching(/^pages-/),
    expect.stringMatching(/^passkeys-/),
    // The metrics of a self-hosted service.
    expect.stringMatching(/^readings-/),
    expect.stringMatching(/^receipt-page-/),
    expect.stringMatching(/^receipt-pages-/),
    // Links from banks.
    expect.stringMatching(/^register-/),
    expect.stringMatching(/^registry-functions-/),
    // The rows of the audit.
    expect.stringMatching(/^rows-/),
    expect.stringMatching(/^sandbox-bank-/),
    // What the object of a site does seldom, and what it does with settlements.
    expect.stringMatching(/^seldom-/),
    expect.stringMatching(/^settlement-pages-/),
    expect.stringMatching(/^settling-/),
    // The spreadsheet, of the API and the console.
    expect.stringMatching(/^workbook-/),
  ])
})

it('the pages of receipts are modules of their own, of at most 16 KB', () => {
  const receipts = later().filter((name) => name.startsWith('receipt-'))
  expect(sizeOf(receipts)).toBeLessThanOrEqual(16_000)
})

it('the pages of settlement are a module of their own, of at most 17 KB, the spreadsheet one of 4 KB', () => {
  const of = (name: string) => sizeOf(later().filter((each) => each.startsWith(name)))
  expect(of('settlement-pages-')).toBeLessThanOrEqual(17_000)
  expect(of('workbook-')).toBeLessThanOrEqual(4000)
})

it('passkeys are a module of their own, of at most 4 KB', () => {
  const passkeys = later().filter((name) => name.startsWith('passkeys-'))
  expect(sizeOf(passkeys)).toBeLessThanOrEqual(4000)
})

it('the parsers of settlement files are loaded with the rest of the API', () => {
  const textOf = (names: readonly string[]) =>
    names.map((name) => readFileSync(join(directory, name), 'utf8')).join('')
  expect(textOf(later())).toContain('КонецФайла')
  expect(textOf(loaded)).not.toContain('КонецФайла')
})
