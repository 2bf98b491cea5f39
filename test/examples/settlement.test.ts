// The way to try settlement, as a reader pastes it: what its README says of each line of its registry is so.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { blocksOf } from '../support/documents.ts'
import { openShell, SHELLS } from '../support/shell.ts'

const root = join(import.meta.dirname, '../..')

const service = bareWorkerd({ PAYMENT_NETWORK: 'external' })
const directory = mkdtempSync(join(tmpdir(), 'fps-qr-settlement-'))
let address: string

beforeAll(async () => {
  for (const part of ['package.json', 'node_modules', 'bin', 'examples'])
    symlinkSync(join(root, part), join(directory, part))
  address = `http://127.0.0.1:${await service.start()}`
})
afterAll(async () => {
  await service.dispose()
  rmSync(directory, { recursive: true, force: true })
})

it.each(SHELLS)(
  'in %s one payment matches, one differs, one is only at the bank, one is missing',
  async (name) => {
    const [start = '', commands = ''] = blocksOf('examples/settlement/README.md')
    expect(start).toContain('--var PAYMENT_NETWORK:external')
    const shell = openShell(name, directory, { TOKEN_SECRET: service.secret })
    try {
      const said = await shell.run(
        commands.replaceAll('http://127.0.0.1:8787', address).replaceAll('demo', `demo-${name}`),
      )
      expect(said).toMatch(/"matched":1,"mismatched":1,"unknown":1,"skipped":1/)
      const states = Array.from(
        said.matchAll(/"state":"(\w+)".*?"order":"([\w-]+)"/g),
        ([, state, order]) => `${order} ${state}`,
      )
      expect(states).toEqual(['tea-1 MATCHED', 'tea-2 MISMATCHED', 'tea-3 EXPECTED', 'by-hand UNKNOWN'])
    } finally {
      await shell.close()
    }
  },
)
