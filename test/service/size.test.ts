// The size of the Worker's modules: what every new instance loads, the console and passkeys, which are loaded when they are needed.
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

// Of it, QR codes that are paid many times, with their sales, have 8 KB, bindings through a bank 4 KB, test sites 1 KB, the audit
// 2 KB, deletions that can be undone 1 KB, the search 2 KB, changes of single settings and uploaded logos 2 KB, limits of the
// operator 1 KB, the receipt of a counter's sale, the seller and a token for the documentation 2 KB, the causes of what is not
// delivered 2 KB, sites that fail, grow or lack a key 1 KB, weeks and months beside the period before, and the sheet to print 1 KB.
// The one spelling of tokens and cursors, failures of the object, content codings and the tables of reports have 2 KB.
// Several addresses for notifications have 3 KB, a saved account on the payer's page, decisions about payments, addresses in an app and the
// receipt of a printed code 5 KB.
// People of a site and of the deployment have 12 KB: their operations with documentation and examples 7 KB, the rest is of the objects.
// The pages for people are not in it: they are loaded with the first one.
it('what an instance loads is at most 171 KB', () => expect(sizeOf(loaded)).toBeLessThanOrEqual(171_000))

// Of it, periods and their chart have 2 KB, the logo, the preview and the rules of the settings 2 KB, what became of a refund and
// the sums and times of the audit 1 KB, decisions about payments that no code took 1 KB, addresses for notifications 3 KB, saved
// accounts 2 KB, people, invitations, devices and the operator's people 11 KB, confirmations 3 KB, several sites 2 KB.
it('the console is a module of its own, of at most 77 KB', () => {
  const console = later().filter((name) => name.startsWith('console-'))
  expect(sizeOf(console)).toBeLessThanOrEqual(77_000)
})

it('the pages for people are a module of their own', () => {
  expect(later().filter((name) => !name.startsWith('chunk-'))).toEqual([
    expect.stringMatching(/^console-/),
    expect.stringMatching(/^pages-/),
    expect.stringMatching(/^passkeys-/),
  ])
})

it('passkeys are a module of their own, of at most 4 KB', () => {
  const passkeys = later().filter((name) => name.startsWith('passkeys-'))
  expect(sizeOf(passkeys)).toBeLessThanOrEqual(4000)
})
