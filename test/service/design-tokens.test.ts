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
  const payer = of(sheet('payer'))
  const [console, start] = [of(sheet('console')), of(sheet('style'))]
  const colours = [...payer].filter(([, value]) => value.startsWith('#'))
  expect(colours.length).toBeGreaterThan(12)
  expect(colours.map(([name]) => [name, console.get(name)])).toEqual(colours)
  const shared = colours.filter(([name]) => start.has(name))
  expect(shared.length).toBeGreaterThan(9)
  expect(shared.map(([name]) => [name, start.get(name)])).toEqual(shared)
})
