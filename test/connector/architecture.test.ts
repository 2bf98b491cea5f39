// What the connector's files may know of each other.
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../connector')
const FILES = globSync('**/*.ts', { cwd: ROOT, exclude: ['node_modules/**'] }).map((path) =>
  path.replaceAll('\\', '/'),
)
const sourceOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const importsOf = (file: string) =>
  Array.from(sourceOf(file).matchAll(/^(?:import|export) [^'"]*?from '([^']+)'/gm), ([, name = '']) =>
    name.startsWith('.') ? posix.join(posix.dirname(file), name) : name,
  )
const bankOf = (file: string) => /^banks\/([^/]+)\//.exec(file)?.[1]

describe.each(FILES)('%s', (file) => {
  it('imports nothing of the service, and no other bank', () => {
    const imports = importsOf(file)
    expect(imports.filter((name) => name.startsWith('..'))).toEqual([])
    const banks = imports.map(bankOf).filter((bank) => bank !== undefined)
    expect(file === 'banks/banks.ts' ? [] : banks.filter((bank) => bank !== bankOf(file))).toEqual([])
  })

  it('names a bank only in that bank’s folder', () => {
    if (bankOf(file) === undefined && file !== 'banks/banks.ts') {
      expect(sourceOf(file)).not.toMatch(/tochka|\bt-?bank|tinkoff|raiff?/i)
    }
  })

  it('has at most 250 lines', () => expect(sourceOf(file).split('\n').length).toBeLessThanOrEqual(251))
})

it('reads all of the connector', () => expect(FILES.length).toBeGreaterThan(40))
