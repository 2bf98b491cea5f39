// The commands of the guides, as a reader pastes them: each block in each shell, against the real build.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { blocksOf, isRun } from '../support/documents.ts'
import { SHELLS } from '../support/shell.ts'

const root = join(import.meta.dirname, '../..')
const EXAMPLE = 'https://qr.acquirer.example'

it('there are shells to try', () => expect(SHELLS.length).toBeGreaterThan(0))

/** The first shell in both languages, each other one in one: the commands of the languages are the same. */
const CASES = SHELLS.flatMap((shell, number) =>
  ['en', 'ru']
    .filter((_, index) => number === 0 || index === number % 2)
    .map((language) => [shell, language] as const),
)

describe.each(CASES)('in %s, the commands in %s', (shell, language) => {
  const service = bareWorkerd({ PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any' })
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-guides-'))
  let address: string
  let token: string

  beforeAll(async () => {
    address = `http://127.0.0.1:${await service.start()}`
    token = await mintToken(service.secret, { siteId: 'demo', scope: 'merchant', days: 1 })
  })
  afterAll(async () => {
    await service.dispose()
    rmSync(directory, { recursive: true, force: true })
  })

  /** What a block prints. A reader's shell is interactive: there zsh takes no comments. */
  async function paste(block: string): Promise<string> {
    const commands = block.replaceAll(EXAMPLE, address)
    const npm = `npm() { command npm --prefix '${root}' "$@"; }`
    const options = shell === 'zsh' ? ['-f', '+o', 'interactive_comments'] : []
    const { stdout } = await promisify(execFile)(shell, [...options, '-c', `${npm}\nset -e\n${commands}`], {
      cwd: directory,
      env: { ...process.env, TOKEN: token, TOKEN_SECRET: service.secret },
    })
    return stdout
  }
  const blocks = (guide: string) => blocksOf(`docs/guides/${language}/${guide}.md`).filter(isRun)
  const sandbox = async (path: string) => {
    const response = await fetch(`${address}/sandbox/v1/sites/demo/qrCodes/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{}',
    })
    expect(response.status).toBe(200)
  }

  it('do what the guides say, in their order', async () => {
    const [access = '', create = '', save = '', wait = '', ...more] = blocks('five-minutes')
    expect(more).toEqual([])
    expect(await paste(`${access}\necho $TOKEN`)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    expect(await paste(create)).toContain('"status":"CREATED"')
    await paste(save)
    expect(readFileSync(join(directory, 'invoice-1.png')).subarray(1, 4).toString()).toBe('PNG')
    const waiting = paste(wait)
    await sandbox('invoice-1/payments')
    expect(await waiting).toContain('"status":"PAYED"')

    for (const block of blocks('refunds')) expect(await paste(block)).toContain('"refund-1"')

    const [consent = '', charge = ''] = blocks('tokens')
    expect(await paste(consent)).toContain('"status":"WAITING"')
    await sandbox('consent-7/bindings')
    expect(await paste(charge)).toContain('INIT_PAYMENT_BY_TOKEN')

    const [printed = '', paid = '', counter = '', arm = '', sale = '', ...others] =
      blocks('counter-and-static')
    expect(others).toEqual([])
    expect(await paste(printed)).toContain('"type":"STATIC"')
    expect(await paste(paid)).toMatch(/"value":"50\.00".*"value":"120\.50"/)
    expect(await paste(counter)).toContain('"type":"COUNTER"')
    expect(await paste(arm)).toContain('"status":"ACTIVE"')
    const sold = paste(sale)
    await sandbox('till-1/payments')
    expect(await sold).toContain('"status":"PAYED"')

    for (const block of blocks('testing')) expect(await paste(block)).toContain('"status":"PAYED"')
    for (const block of blocks('index')) expect(await paste(block)).toContain('"order-1"')

    const [settings = '', test = '', log = ''] = blocks('notifications')
    expect(await paste(settings)).toContain('"key":"whsec_')
    expect(await paste(test)).toContain('"ms":')
    expect(await paste(log)).toContain('"notifications":[')

    for (const block of blocks('self-hosting'))
      expect(await paste(block)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    expect([...blocks('going-live'), ...blocks('errors'), ...blocks('words')]).toEqual([])
  })
})
