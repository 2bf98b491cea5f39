// The commands of the README, in their order, in each shell, beside npm start.
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { blocksOf, isRun, NOT_RUN } from '../support/documents.ts'
import { npmStarts, READY } from '../support/npm-start.ts'
import { freePort } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import { openShell, SHELLS } from '../support/shell.ts'
import { siteAt } from '../support/site-at.ts'

const root = join(import.meta.dirname, '../..')
const DOCUMENTS = [
  ...['README.md', 'docs/connector.md'],
  ...['en', 'ru'].flatMap((language) =>
    ['five-minutes', 'notifications', 'self-hosting'].map((guide) => `docs/guides/${language}/${guide}.md`),
  ),
]

const { start } = npmStarts()
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

/** A shell in a checkout in which npm start runs, and the blocks of a document with the addresses of this service. */
async function reader(document: string, name: string) {
  const service = await start()
  await service.writes(READY)
  const address = `http://127.0.0.1:${service.port}`
  const receiver = `${await freePort()}`
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-documents-'))
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }))
  // What the commands write is not in the real one.
  for (const part of ['package.json', 'node_modules', 'bin', 'examples'])
    symlinkSync(join(root, part), join(directory, part))
  const shell = openShell(name, directory, { TOKEN_SECRET: SECRET })
  cleanups.push(() => shell.close())
  const site = siteAt(() => address, SECRET, 'demo')

  return {
    shell,
    site,
    pay: (uid: string) => site.value(`/sandbox/v1/sites/demo/qrCodes/${uid}/payments`, { body: {} }),
    blocks: blocksOf(document)
      .filter(isRun)
      .map((block) =>
        block
          .replaceAll('http://127.0.0.1:8787', address)
          .replaceAll(/PORT=300\d/g, `PORT=${receiver}`)
          .replaceAll(/127\.0\.0\.1:300\d/g, `127.0.0.1:${receiver}`),
      ),
  }
}

it.each(NOT_RUN)('%j is in a document, and is not run', (begins) => {
  const blocks = DOCUMENTS.flatMap(blocksOf)
  expect(blocks.filter((block) => block.startsWith(begins)).length).toBeGreaterThan(0)
})

describe.each(SHELLS)('in %s', (name) => {
  it('the commands of the README do what it says', async () => {
    const { blocks, shell, site, pay } = await reader('README.md', name)
    const [create = '', save = '', wait = '', refund = '', settings = '', receiver = '', ...more] = blocks
    expect(more).toEqual([])
    const made = await shell.run(create)
    expect(create).toContain('"redirectUrl":')
    expect(made).toMatch(/"qrCodeUid":"readme-[0-9a-f]{8}".*"status":"CREATED".*"value":"1\.00"/)
    // No picture fills the screen.
    expect(made.trim().length).toBeLessThan(1000)
    const order = /readme-[0-9a-f]{8}/.exec(made)?.[0] ?? ''
    await shell.run(save)
    expect(readFileSync(`/tmp/${order}.png`).subarray(1, 4).toString()).toBe('PNG')
    const waiting = shell.run(wait)
    await pay(order)
    expect(await waiting).toContain('"status":"PAYED"')
    expect(await shell.run(refund)).toMatch(/"refundUid":"refund-1".*"WAITING"/)
    expect(await shell.run(settings)).toContain('"name":"Tea shop"')
    shell.start(receiver)
    await shell.prints('listening')
    await site.create('another')
    await pay('another')
    await shell.prints('deliver another')
    shell.interrupt()
    await shell.run('wait')
  })
})
