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
/** The name of the folder of a bank, or of a cash register: a bank's own one has the name of the bank. */
const bankOf = (file: string) => /^(?:banks|cash-registers)\/([^/]+)\//.exec(file)?.[1]
const LISTS = ['banks/banks.ts', 'cash-registers/registers.ts']

describe.each(FILES)('%s', (file) => {
  it('imports nothing of the service, and no other bank or cash register', () => {
    const imports = importsOf(file)
    expect(imports.filter((name) => name.startsWith('..'))).toEqual([])
    const banks = imports.map(bankOf).filter((bank) => bank !== undefined)
    expect(LISTS.includes(file) ? [] : banks.filter((bank) => bank !== bankOf(file))).toEqual([])
  })

  it('names a bank or a cash register only in its folder', () => {
    if (bankOf(file) === undefined && !LISTS.includes(file)) {
      expect(sourceOf(file)).not.toMatch(/tochka|\bt-?bank|tinkoff|raiff?|\batol/i)
    }
  })

  it('has at most 250 lines', () => expect(sourceOf(file).split('\n').length).toBeLessThanOrEqual(251))
})

it('reads all of the connector', () => expect(FILES.length).toBeGreaterThan(40))
