// The design tokens: the pages have style sheets of their own, so that a phone loads one, and the same colours.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const sheet = (name: string) => readFileSync(`public/${name}.css`, 'utf8')

/** The custom properties of a block, by their names. */
const tokensOf = (block: string): Map<string, string> =>
  new Map(
    Array.from(block.matchAll(/^\s*(--[\w-]+): ([^;]+);$/gm), ([, name = '', value = '']) => [name, value]),
  )

const light = (css: string) => tokensOf(/:root \{([^}]*)\}/.exec(css)?.[1] ?? '')
const dark = (css: string) =>
  tokensOf(/prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/.exec(css)?.[1] ?? '')

it.each([
  ['light', light],
  ['dark', dark],
])('the console, the start page and the payer’s page have the same colours in the %s', (_, of) => {
  const sheets = ['payer', 'console', 'style'].map((name) => of(sheet(name)))
  const values = new Map<string, Set<string>>()
  for (const [name, value] of sheets.flatMap((tokens) => [...tokens])) {
    if (value.startsWith('#')) values.set(name, (values.get(name) ?? new Set()).add(value))
  }
  expect(values.size).toBeGreaterThan(14)
  expect([...values].filter(([, different]) => different.size > 1)).toEqual([])
  const [payer, console] = sheets.map((tokens) => [...tokens.keys()])
  expect(payer?.filter((name) => values.has(name) && !console?.includes(name))).toEqual([])
})

it('a shop’s colour is made legible on the grounds of the payer’s page', () => {
  const theme = readFileSync('src/web/payer/theme.ts', 'utf8')
  const payer = sheet('payer')
  const grounds = [`LIGHT = '${light(payer).get('--ground')}'`, `DARK = '${dark(payer).get('--card')}'`]
  expect(grounds.filter((each) => !theme.includes(each))).toEqual([])
})
