/// <reference types="vite/types/importMeta.d.ts" />
import { expect, it } from 'vitest'

/** What the folders and files of src may import; `types` are known by type only. Anything else is refused. */
const RULES: Record<string, { from: string[]; types?: string[]; packages: RegExp }> = {
  index: {
    from: ['api', 'site', 'gateway', 'config'],
    types: ['contract'],
    packages: /^cloudflare:workers$/,
  },
  api: {
    from: ['api', 'web', 'http', 'gateway', 'contract', 'fps', 'errors', 'config'],
    packages: /^(hono(\/.+)?|zod\/mini)$/,
  },
  web: {
    from: ['web', 'http', 'gateway', 'contract', 'fps', 'errors', 'config'],
    types: ['site'],
    packages: /^hono(\/.+)?$/,
  },
  openapi: { from: ['openapi', 'http', 'contract', 'errors', 'package.json'], packages: /^zod\/mini$/ },
  http: {
    from: ['http', 'gateway', 'contract', 'errors', 'config'],
    types: ['site'],
    packages: /^(hono(\/.+)?|zod\/mini|node:crypto)$/,
  },
  gateway: {
    from: ['gateway', 'contract', 'fps', 'qr', 'errors', 'config'],
    types: ['site'],
    packages: /^node:crypto$/,
  },
  site: { from: ['site', 'contract', 'fps', 'errors'], packages: /^(cloudflare:workers|zod\/mini)$/ },
  contract: { from: ['contract'], packages: /^zod\/mini$/ },
  fps: { from: ['fps'], types: ['contract'], packages: /^node:crypto$/ },
  qr: { from: ['qr'], packages: /^node:zlib$/ },
  config: { from: ['contract'], packages: /^zod\/mini$/ },
  errors: { from: [], packages: /^$/ },
}

const sources = import.meta.glob<string>('../src/**/*.ts', { query: '?raw', import: 'default', eager: true })
/** `/src/http/host.ts` is in `http` and is `http/host`; `/package.json` is itself. */
const namesOf = (path: string): string[] => {
  const [, folder, file = ''] = /^\/src\/([^/.]+)(\/[^.]+)?/.exec(path) ?? []
  return folder ? [folder, folder + file] : [path.slice(1)]
}

/** Everything that a source imports or re-exports, for its effects too; a computed name is shown as it is written. */
const importsOf = (source: string) =>
  Array.from(
    source.matchAll(
      /^(?:import|export)( type)? (?:[^'"=(]*?from )?['"]([^'"]+)['"]|\bimport\s*\(\s*['"]?([^'")]*)/gm,
    ),
    ([, type, name, computed = '']) => ({ type: type !== undefined, name: name ?? computed }),
  )

/** What the file imports against the rules. */
function violations(file: string, source: string): string[] {
  const path = file.replace('..', '')
  if (path.endsWith('.d.ts')) return importsOf(source).map(({ name }) => name)
  const { from = [], types = [], packages = /^$/ } = RULES[namesOf(path)[0] ?? ''] ?? {}
  return importsOf(source).flatMap(({ type, name }) => {
    const allowed = type ? [...from, ...types] : from
    const isAllowed = name.startsWith('.')
      ? namesOf(new URL(name, `file://${path}`).pathname).some((each) => allowed.includes(each))
      : packages.test(name)
    return isAllowed ? [] : [name]
  })
}

it.each(Object.entries(sources))('%s imports only what its folder may', (file, source) =>
  expect(violations(file, source)).toEqual([]),
)

it.each([
  ['../src/gateway/a.ts', "import { a } from '../http/a.ts'"],
  ['../src/gateway/a.ts', "import { a } from '../site/a.ts'"],
  ['../src/http/a.ts', "import { a } from '../api/a.ts'"],
  ['../src/http/a.ts', "import { a } from '../openapi/a.ts'"],
  ['../src/http/a.ts', "import { Site } from '../site/site.ts'"],
  ['../src/web/payer/a.ts', "import { Site } from '../../site/site.ts'"],
  ['../src/site/a.ts', "import type { Platform } from '../gateway/context.ts'"],
  ['../src/contract/a.ts', "import { ApiError } from '../errors.ts'"],
  ['../src/qr/a.ts', "import type { Image } from '../contract/image.ts'"],
  ['../src/index.ts', "import { a } from './http/auth.ts'"],
  ['../src/unknown/a.ts', "import { a } from '../contract/a.ts'"],
  ['../src/contract/a.ts', "import { Hono } from 'hono'"],
  ['../src/contract/a.ts', "import * as z from 'zod'"],
])('%s may not have: %s', (file, source) => expect(violations(file, source)).toHaveLength(1))

it('only the entry has a default export, and nothing but the class of its object is re-exported', () => {
  const defaults = Object.entries(sources).filter(([, source]) => /^export default/m.test(source))
  expect(defaults.map(([file]) => file)).toEqual(['../src/index.ts'])
  const reexports = Object.values(sources).flatMap((source) => source.match(/^export .* from .*/gm) ?? [])
  expect(reexports).toEqual(["export { Site } from './site/site.ts'"])
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
