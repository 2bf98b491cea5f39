// A later version of the service, to upgrade to.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { onTestFinished } from 'vitest'
import { checkout, commitOfTree, linkDocs } from './checkout.ts'

/**
 * Makes a checkout with the build of a later version, whose tables have more.
 * @param onEnd takes what removes it, by default at the end of the test
 * @returns the checkout, on the disk of this one
 */
export function laterVersion(onEnd: (end: () => void | Promise<void>) => void = onTestFinished): string {
  mkdirSync('dist', { recursive: true })
  const work = mkdtempSync(resolve('dist/later-test-'))
  onEnd(() => rmSync(work, { recursive: true, force: true }))
  const later = checkout(commitOfTree(join(work, 'index')), join(work, 'later'))
  linkDocs(later)
  const more = 'CREATE TABLE later (number INTEGER PRIMARY KEY) STRICT'
  const added: [string, RegExp, string][] = [
    [
      'src/site/database/schema.ts',
      /(?<=versions: \[unindented\(TABLES[^\]]*)\]/,
      `, 'ALTER TABLE qr_codes ADD COLUMN later TEXT; ${more}']`,
    ],
    [
      'src/registry/schema.ts',
      /(?<=\n {4}SINCE_0_4_0,)/,
      `'ALTER TABLE sites ADD COLUMN later TEXT; ${more}',`,
    ],
    [
      'src/audit/rows.ts',
      /(?<=not deleted'\); END;`,)/,
      `'ALTER TABLE acts ADD COLUMN later TEXT; ${more}',`,
    ],
  ]
  for (const [name, place, text] of added) {
    const file = join(later, name)
    const source = readFileSync(file, 'utf8')
    if (!place.test(source)) throw new Error(`${name} has no ${place}`)
    writeFileSync(file, source.replace(place, text))
  }
  execFileSync('npm', ['run', '-s', 'build'], { cwd: later, stdio: 'inherit' })
  return later
}
