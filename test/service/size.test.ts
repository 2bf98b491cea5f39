// The size of the Worker's modules: what every new instance loads, and the console, which is loaded when it is asked for.
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

// Of it, QR codes that are paid many times, with their sales, have 8 KB, bindings through a bank 4 KB, test sites 1 KB, the audit
// 2 KB, deletions that can be undone 1 KB, the search 2 KB, changes of single settings and uploaded logos 2 KB, limits of the
// operator 1 KB, the receipt of a counter's sale, the seller and a token for the documentation 2 KB, the causes of what is not
// delivered 2 KB, sites that fail, grow or lack a key 1 KB, weeks and months beside the period before, and the sheet to print 1 KB.
// The one spelling of tokens and cursors, failures of the object, content codings and the tables of reports have 2 KB.
// Several addresses for notifications have 3 KB, a saved account on the payer's page, decisions about payments, addresses in an app and the
// receipt of a printed code 5 KB.
it('what an instance loads is at most 179 KB', () => expect(sizeOf(loaded)).toBeLessThanOrEqual(179_000))

// Of it, periods and their chart have 2 KB, the logo, the preview and the rules of the settings 2 KB, what became of a refund and
// the sums and times of the audit 1 KB, decisions about payments that no code took 1 KB, addresses for notifications 3 KB, saved
// accounts 2 KB.
it('the console is a module of its own, of at most 58 KB', () => {
  const later = modules.filter((name) => !loaded.includes(name))
  expect(later).toEqual([expect.stringMatching(/^console-/)])
  expect(sizeOf(later)).toBeLessThanOrEqual(58_000)
})
