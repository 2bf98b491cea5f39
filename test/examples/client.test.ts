// The examples of client/README.md, extracted from it, with the packed client, on this machine's own Node, or on RUNTIME.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { machineNode } from '../support/machine-node.ts'
import { sevenExamples } from '../support/seven-examples.ts'

const root = join(import.meta.dirname, '../..')
const { directory } = inject('clientPackage')
/** Such as `deno run --allow-all` or `bun run`. */
const runtime = process.env.RUNTIME?.split(' ') ?? [machineNode()]
const readme = readFileSync(join(root, 'client/README.md'), 'utf8')
const files = new Map(
  Array.from(readme.matchAll(/^```js\n\/\/ (\S+\.mjs)\n(.*?)^```$/gms), ([, name = '', code = '']) => [
    name,
    code,
  ]),
)
for (const [name, code] of files) writeFileSync(join(directory, name), code)

it('the README has seven examples, and the file that they share', () => {
  expect([...files.keys()]).toEqual(
    ['fps', 'create', 'wait', 'refund', 'charge', 'receive', 'events', 'counter'].map(
      (name) => `${name}.mjs`,
    ),
  )
})

it('this machine’s own Node is 20 or newer', () => {
  const version = execFileSync(machineNode(), ['--version'], { encoding: 'utf8' })
  console.log(`the examples run on Node ${version}`)
  expect(Number.parseInt(version.slice(1), 10)).toBeGreaterThanOrEqual(20)
})

it('they are correct by the types of the package, with and without bundler', () => {
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
    ...{ allowJs: true, checkJs: true, target: 'ES2022', lib: ['ES2022'], skipLibCheck: false },
    ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
  }
  for (const [module, moduleResolution] of [
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ]) {
    const config = { compilerOptions: { ...compilerOptions, module, moduleResolution }, include: ['*.mjs'] }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config))
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', directory], { encoding: 'utf8' })
  }
})

sevenExamples('JavaScript', {
  command: (name) => [...runtime, join(directory, `${name}.mjs`)],
  listening: /^listening/,
})
