// Which parts of the sources may know which others, and that the pages name only paths that exist.
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

/** What the folders and files of src may import; `types` are known by type only. Anything else is refused. */
const RULES: Record<string, { from: string[]; types?: string[]; packages: RegExp }> = {
  index: { from: ['entry', 'audit', 'registry'], packages: /^$/ },
  entry: {
    from: [
      ...['entry', 'api', 'gateway', 'contract', 'config', 'http/validate', 'lazily'],
      ...['site/site', 'site/database/write-counts', 'site/listeners/process', 'package.json'],
    ],
    types: ['site', 'registry', 'audit'],
    packages: /^cloudflare:workers$/,
  },
  api: {
    from: [
      ...['api', 'console', 'web', 'http', 'gateway', 'contract', 'fps', 'errors', 'config', 'lazily'],
      'xlsx',
    ],
    packages: /^(hono(\/.+)?|zod\/mini)$/,
  },
  console: {
    from: [
      ...['console', 'web', 'http', 'gateway', 'contract', 'errors', 'config', 'lazily'],
      ...['passkeys/passkeys', 'passkeys/relying-party', 'xlsx'],
    ],
    types: ['api/operations', 'passkeys'],
    packages: /^(hono(\/.+)?|node:crypto)$/,
  },
  passkeys: { from: ['passkeys', 'contract'], types: ['config'], packages: /^zod\/mini$/ },
  web: {
    from: ['web', 'http', 'gateway', 'contract', 'fps', 'errors', 'config', 'lazily'],
    types: ['site'],
    packages: /^hono(\/.+)?$/,
  },
  openapi: { from: ['openapi', 'http', 'contract', 'errors'], packages: /^zod\/mini$/ },
  http: {
    from: ['http', 'gateway', 'contract', 'errors', 'config', 'lazily'],
    types: ['site'],
    packages: /^(hono(\/.+)?|zod\/mini|node:(crypto|zlib))$/,
  },
  gateway: {
    from: ['gateway', 'contract', 'settlement', 'fps', 'qr', 'errors', 'config', 'lazily'],
    types: ['site', 'registry', 'audit'],
    packages: /^node:(crypto|net)$/,
  },
  registry: {
    from: [
      ...['registry', 'contract', 'lazily', 'site/database/schema', 'site/access/sessions'],
      ...['site/outcomes', 'site/rows/columns', 'site/people/admission', 'site/people/confirmation'],
      'site/people/invitations',
      ...['site/people/passkeys', 'site/people/people', 'site/people/person', 'site/people/sessions'],
    ],
    types: ['site/rows/sql', 'site/people/rows', 'errors'],
    packages: /^cloudflare:workers$/,
  },
  audit: {
    from: ['audit', 'contract', 'lazily', 'site/database/schema', 'site/rows/columns', 'site/rows/sql'],
    packages: /^cloudflare:workers$/,
  },
  settlement: { from: ['settlement'], packages: /^node:(crypto|zlib)$/ },
  site: {
    from: ['site', 'contract', 'fps', 'settlement', 'errors', 'lazily'],
    packages: /^(cloudflare:workers|zod\/mini)$/,
  },
  contract: { from: ['contract'], types: ['errors', 'settlement'], packages: /^zod\/mini$/ },
  fps: { from: ['fps', 'contract'], packages: /^(node:crypto|zod\/mini)$/ },
  xlsx: { from: ['xlsx'], types: ['contract/cell'], packages: /^node:zlib$/ },
  qr: { from: ['qr'], packages: /^node:zlib$/ },
  config: { from: ['contract'], packages: /^zod\/mini$/ },
  errors: { from: [], packages: /^$/ },
  lazily: { from: [], packages: /^$/ },
}

const root = join(import.meta.dirname, '..')
const filesOf = (...patterns: string[]) =>
  globSync(patterns, { cwd: root, exclude: (name) => name === 'node_modules' }).toSorted()
/** The texts of files, by their paths relative to this folder. */
const textsOf = (...patterns: string[]): Record<string, string> =>
  Object.fromEntries(
    filesOf(...patterns).map((file) => [`../${file}`, readFileSync(join(root, file), 'utf8')]),
  )
const sources = textsOf('src/**/*.ts')
const programs = textsOf('{bin,connector,bench}/**/*.ts', 'client/src/**/*.ts')
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
  ['../src/api/a.ts', "import { platform } from '../entry/deployment.ts'"],
  ['../src/gateway/a.ts', "import { env } from 'cloudflare:workers'"],
  ['../src/unknown/a.ts', "import { a } from '../contract/a.ts'"],
  ['../src/contract/a.ts', "import { Hono } from 'hono'"],
  ['../src/contract/a.ts', "import * as z from 'zod'"],
  ['../src/settlement/formats/a.ts', "import { a } from '../../site/a.ts'"],
  ['../src/settlement/formats/a.ts', "import { a } from '../../gateway/a.ts'"],
  ['../src/settlement/formats/a.ts', "import type { A } from '../../http/a.ts'"],
  ['../src/passkeys/a.ts', "import { originOf } from '../http/path.ts'"],
  ['../src/api/a.ts', "import('../passkeys/passkeys.ts')"],
])('%s may not have: %s', (file, source) => expect(violations(file, source)).toHaveLength(1))

it('only the entry has a default export, and re-exports nothing but its classes', () => {
  const defaults = Object.entries(sources).filter(([, source]) => /^export default/m.test(source))
  expect(defaults.map(([file]) => file)).toEqual(['../src/index.ts'])
  const reexports = Object.values(sources).flatMap((source) => source.match(/^export .* from .*/gm) ?? [])
  expect(reexports).toEqual([
    "export { Audit } from './audit/audit.ts'",
    "export { Admin } from './entry/admin.ts'",
    "export { Courier } from './entry/courier.ts'",
    "export { Site } from './entry/site.ts'",
    "export { Registry } from './registry/registry.ts'",
  ])
})

it('only the deployment imports env', () => {
  const readers = Object.entries(sources).filter(([, source]) =>
    /^import \{.*\benv\b.*\} from 'cloudflare:workers'/m.test(source),
  )
  expect(readers.map(([file]) => file)).toEqual(['../src/entry/deployment.ts'])
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

/** The sources of the folder that have the text, or what matches. */
const filesWith = (folder: string, text: RegExp) =>
  Object.entries(sources)
    .filter(([file, source]) => file.startsWith(`../src/${folder}`) && text.test(source))
    .map(([file]) => file.slice('../src/'.length))

describe('in the object', () => {
  it('rows know rows and the time alone', () => {
    const ROWS = /^\.\.\/src\/site\/(rows\/|[\w-]+\/(rows|insert)\.ts)/
    const rows = Object.entries(sources).filter(([file]) => ROWS.test(file))
    const others = rows.flatMap(([, source]) =>
      importsOf(source).flatMap(({ name }) =>
        /(\/rows|\/rows\/[\w-]+|^\.\/[\w-]+|\/time)\.ts$|^(\.\.\/)+(contract|fps)\/|^zod/.test(name)
          ? []
          : [name],
      ),
    )
    expect([rows.length > 10, others]).toEqual([true, []])
  })

  /** The rooms of a site: each knows those before it. Of a later one it knows the rows alone. */
  const ROOMS = [
    ...[
      'rows',
      'outbox',
      'events',
      'settings',
      'people',
      'receipts',
      'access',
      'operator',
      'sales',
      'qr-codes',
      'tokens',
      'payments',
      'refunds',
      'settlements',
      'search',
    ],
    ...['listeners', 'database'],
  ]
  const roomOf = (path: string) => /^\/src\/site\/([^/]+)\/(?!rows\.ts$)/.exec(path)?.[1]

  it('rooms know the rooms before them', () => {
    const known = Object.entries(sources).flatMap(([file, source]) => {
      const path = file.replace('..', '')
      const rooms = importsOf(source).map(({ name }) => roomOf(new URL(name, `file://${path}`).pathname))
      const room = roomOf(path)
      return room === undefined ? [] : rooms.flatMap((each) => (each === undefined ? [] : [[room, each]]))
    })
    expect(new Set(known.map(([room]) => room))).toEqual(new Set(ROOMS))
    const rank = (room = '') => ROOMS.indexOf(room)
    expect(known.filter(([room, other]) => rank(other) > rank(room))).toEqual([])
  })

  it.each<[string, RegExp, string[]]>([
    ['reads the clock', /Date\.now/, ['site/site.ts']],
    ['makes a transaction', /transactionSync\(/, ['site/database/schema.ts', 'site/database/tables.ts']],
    [
      'knows that tables can be missing',
      /\bhasTables\b/,
      ['site/database/schema.ts', 'site/database/tables.ts'],
    ],
    ['converts seconds and milliseconds', /[*/] 1000\b/, ['site/time.ts']],
    ['gives a row its type', /\.exec</, []],
    [
      'compares a time with an end',
      /\bnow (>=?|<=?) [\w.]*(end_at|due_at|expiresAt)\b|\b(end_at|due_at|expiresAt) (>=?|<=?) [\w.]*now\b|\bends?_at (>|<=) \?|(PAYABLE|ENDING|UNENDED)_ROWS\} AND end_at [<>]/,
      // Retention compares with a time of days ago.
      ['site/clock.ts', 'site/qr-codes/retention.ts'],
    ],
  ])('nothing else %s', (_, text, files) => expect(filesWith('site/', text)).toEqual(files))
})

it('passkeys are loaded by import() in one place', () =>
  expect(filesWith('', /\/passkeys\/passkeys\.ts'/).filter((file) => !file.startsWith('passkeys/'))).toEqual([
    'console/passkeys.ts',
  ]))

it('the console reaches objects for who is signed in alone: all else is by operations of the API', () =>
  expect(filesWith('console/', /site-client|\.site\(|\.registry\(/)).toEqual([
    ...['console/join.ts', 'console/own-access.ts', 'console/passkey-sign-in.ts', 'console/sessions.ts'],
  ]))

it('has no file of more than 250 lines, but for lists that only grow', () => {
  const long = Object.entries(sources).filter(([, source]) => source.trimEnd().split('\n').length > 250)
  const LISTS = ['../src/web/payer/texts.ts', '../src/site/database/schema.ts', '../src/site/site.ts']
  expect(long.map(([file]) => file).filter((file) => !LISTS.includes(file))).toEqual([])
})

it('has no import that leads back to its file, types included', () => {
  const graph = new Map(
    Object.entries({ ...sources, ...programs }).map(([file, source]) => {
      const path = file.replace('..', '')
      const names = importsOf(source).filter(({ name }) => name.startsWith('.'))
      return [path, names.map(({ name }) => new URL(name, `file://${path}`).pathname)]
    }),
  )
  const reachedFrom = (path: string, seen = new Set<string>()): Set<string> => {
    for (const next of graph.get(path) ?? []) if (!seen.has(next)) reachedFrom(next, seen.add(next))
    return seen
  }
  expect([...graph.keys()].filter((path) => reachedFrom(path).has(path))).toEqual([])
})

it('nothing switches the verification of certificates off', () => {
  const all = filesOf('{src,bin,connector,client/src,bench,deploy,examples,public}/**', 'package.json')
  const texts = all
    .filter((file) => !NOT_IN_THE_REPOSITORY.some((built) => file.startsWith(built)))
    .filter((file) => statSync(join(root, file)).isFile())
  const off = /rejectUnauthorized|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity/
  // The one that refuses to start with it.
  expect(texts.filter((file) => off.test(readFileSync(join(root, file), 'utf8')))).toEqual([
    'connector/config/fields.ts',
  ])
  expect(texts.length).toBeGreaterThan(500)
})

it('reads the whole of src', () => expect(Object.keys(sources).length).toBeGreaterThan(20))

const pages = textsOf('README.md', 'CONTRIBUTING.md', 'docs/**/*.md')
const files = filesOf('{src,bin,test,deploy,examples,public,client,connector}/**')

/** The build makes the first two, an operator the third. */
const NOT_IN_THE_REPOSITORY = ['public/api.json', 'public/docs', 'public/banks.json']

/** The paths in a page's inline code that are in neither the repository nor that list; `{resource}` stands for a name. */
const deadPaths = (text: string) =>
  Array.from(text.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code.split(/\s+/))
    .flat()
    .flatMap(
      (word) =>
        /^(?:src|bin|test|deploy|examples|public|client|connector)\/[\w./-]*(?![^:#,;]*\{)/.exec(word) ?? [],
    )
    .filter((path) => !NOT_IN_THE_REPOSITORY.includes(path))
    .filter((path) => !files.some((file) => file === path || file.startsWith(path.replace(/\/?$/, '/'))))

it.each(Object.entries(pages))('%s names only files and folders that exist', (_, text) =>
  expect(deadPaths(text)).toEqual([]),
)

it.each([
  ['`src/site/database/store.ts`, `bin/data`, `deploy/`, `deploy/run` and `public/_headers`', []],
  ['`src/site/stor.ts` and `src/site/store`', ['src/site/stor.ts', 'src/site/store']],
  ['`node bin/rebuild.ts --data DIR`', ['bin/rebuild.ts']],
  ['`src/api/{resource}.ts`', []],
])('in %j the dead paths are %j', (text, dead) => expect(deadPaths(text)).toEqual(dead))

it('reads all pages', () => expect(Object.keys(pages).length).toBeGreaterThan(20))
