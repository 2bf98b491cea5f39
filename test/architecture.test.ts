/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest'

/** What each room of the house may import; `type` marks rooms known by type only. Anything else is refused. */
const RULES: Record<string, { from: string[]; types?: string[]; packages: RegExp }> = {
  index: { from: ['api', 'site', 'config'], packages: /^cloudflare:workers$/ },
  api: {
    from: ['api', 'contract', 'fps', 'picture', 'errors', 'config'],
    types: ['site'],
    packages: /^(hono(\/.+)?|zod|node:crypto)$/,
  },
  site: { from: ['site', 'contract', 'fps', 'errors'], packages: /^cloudflare:workers$/ },
  contract: { from: ['contract'], packages: /^zod$/ },
  fps: { from: ['fps', 'contract'], packages: /^node:crypto$/ },
  picture: { from: ['picture'], packages: /^node:zlib$/ },
  config: { from: ['contract'], packages: /^zod$/ },
  errors: { from: [], packages: /^$/ },
}

const sources = import.meta.glob<string>('../src/**/*.ts', { query: '?raw', import: 'default', eager: true })
const roomOf = (path: string) => /^\/src\/([^/.]+)/.exec(path)?.[1] ?? ''

/** Whatever a source imports or hands on, for its effects and in passing too; a computed name stands as it is written. */
const importsOf = (source: string) =>
  Array.from(
    source.matchAll(
      /^(?:import|export)( type)? (?:[^'"=(]*?from )?['"]([^'"]+)['"]|\bimport\s*\(\s*['"]?([^'")]*)/gm,
    ),
    ([, type, name, computed = '']) => ({ type: type !== undefined, name: name ?? computed }),
  )

it.each(Object.entries(sources))('%s imports only what its room may', (file, source) => {
  const path = file.replace('..', '')
  const rule = RULES[roomOf(path)]
  if (path.endsWith('.d.ts')) return expect(importsOf(source)).toEqual([])
  for (const { type, name } of importsOf(source)) {
    const allowed = name.startsWith('.')
      ? [...(rule?.from ?? []), ...(type ? (rule?.types ?? []) : [])].includes(
          roomOf(new URL(name, `file://${path}`).pathname),
        )
      : rule?.packages.test(name)
    expect(allowed, `${path} imports ${name}`).toBe(true)
  }
})

it.each([
  ["import 'zod'", 'zod', false],
  ["import * as z from 'zod'", 'zod', false],
  ["import {\n  a,\n  b,\n} from './a.ts'", './a.ts', false],
  ["import type { A } from './a.ts'", './a.ts', true],
  ["export * from './a.ts'", './a.ts', false],
  ["export type { A } from './a.ts'", './a.ts', true],
  ["const a = await import('./a.ts')", './a.ts', false],
  ["type A = import('./a.ts').A", './a.ts', false],
  ['const a = await import(name)', 'name', false],
  ["export type A = B\nexport * from './a.ts'", './a.ts', false],
])('%j imports', (source, name, type) => expect(importsOf(source)).toEqual([{ type, name }]))

it('reads the whole of src', () => expect(Object.keys(sources).length).toBeGreaterThan(20))
