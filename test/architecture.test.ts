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

it.each(Object.entries(sources))('%s imports only what its room may', (file, source) => {
  const path = file.replace('..', '')
  const rule = RULES[roomOf(path)]
  if (path.endsWith('.d.ts')) return expect(source).not.toMatch(/^import/m)
  for (const [, type, name = ''] of source.matchAll(/^(?:import|export)( type)? [^'"]*?from '([^']+)'/gm)) {
    const allowed = name.startsWith('.')
      ? [...(rule?.from ?? []), ...(type ? (rule?.types ?? []) : [])].includes(
          roomOf(new URL(name, `file://${path}`).pathname),
        )
      : rule?.packages.test(name)
    expect(allowed, `${path} imports ${name}`).toBe(true)
  }
})

it('reads the whole of src', () => expect(Object.keys(sources).length).toBeGreaterThan(20))
