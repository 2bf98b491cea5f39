// The commands of the guides and of the README, as a reader pastes them, and the client's examples: in each shell, all texts one
// after the other on one service, twice, in an order that a seed determines (SEED runs one again).
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'
import { blocksOf, isRun } from '../support/documents.ts'
import { machineNode } from '../support/machine-node.ts'
import { randomOf } from '../support/random.ts'
import { openShell, SHELLS, type Shell } from '../support/shell.ts'

const root = join(import.meta.dirname, '../..')
const EXAMPLE = 'http://127.0.0.1:8787'
const SEED = Number(process.env.SEED ?? 1)
const run = promisify(execFile)

/** The examples of the client's README that a customer's payment ends. */
const EXAMPLES = new Map(
  Array.from(
    readFileSync(join(root, 'client/README.md'), 'utf8').matchAll(/^```js\n\/\/ (\S+)\.mjs\n(.*?)^```$/gms),
    ([, name = '', code = '']) => [name, code],
  ),
)

it('there are shells to try', () => expect(SHELLS.length).toBeGreaterThan(0))

/** The first shell in both languages, each other one in one: the commands of the languages are the same. */
const CASES = SHELLS.flatMap((shell, number) =>
  ['en', 'ru']
    .filter((_, index) => number === 0 || index === number % 2)
    .map((language) => [shell, language] as const),
)

describe.each(CASES)(`in %s, the commands in %s (SEED=${SEED})`, (name, language) => {
  const service = bareWorkerd({ PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any' })
  const directory = mkdtempSync(join(tmpdir(), 'fps-qr-guides-'))
  let address: string
  let token: string

  beforeAll(async () => {
    for (const part of ['package.json', 'node_modules', 'bin'])
      symlinkSync(join(root, part), join(directory, part))
    for (const [example, code] of EXAMPLES)
      writeFileSync(join(inject('clientPackage').directory, `${example}.mjs`), code)
    address = `http://127.0.0.1:${await service.start()}`
    token = await mintToken(service.secret, { siteId: 'demo', scope: 'merchant', days: 1 })
  })
  afterAll(async () => {
    await service.dispose()
    rmSync(directory, { recursive: true, force: true })
  })

  /** The blocks of a guide, or of another document. */
  const blocks = (text: string) =>
    blocksOf(text.endsWith('.md') ? text : `docs/guides/${language}/${text}.md`)
      .filter(isRun)
      .map((block) => block.replaceAll(EXAMPLE, address))
  const sandbox = async (path: string) => {
    const response = await fetch(`${address}/sandbox/v1/sites/demo/qrCodes/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{}',
    })
    expect(response.status).toBe(200)
  }
  /** The identifier that the commands made for the QR code. */
  const uidIn = (answer: string) => /"qrCodeUid":"([\w-]+)"/.exec(answer)?.[1] ?? ''

  /** From a create to its payment, which a long poll waits for. */
  async function payment(shell: Shell, [create = '', save = '', wait = '']: readonly string[]) {
    const made = await shell.run(create)
    expect(create).toContain('"redirectUrl":')
    expect(made).toContain('"status":"CREATED"')
    // No picture fills the screen.
    expect(made).not.toContain('"image"')
    const uid = uidIn(made)
    await shell.run(save)
    expect(existsSync(`/tmp/${uid}.png`)).toBe(true)
    rmSync(`/tmp/${uid}.png`)
    const waiting = shell.run(wait)
    await sandbox(`${uid}/payments`)
    expect(await waiting).toContain('"status":"PAYED"')
  }

  /** What a reader of each text sees. */
  const TEXTS: Record<string, (shell: Shell, blocks: readonly string[]) => Promise<void>> = {
    'five-minutes': async (shell, [access = '', ...rest]) => {
      expect(await shell.run(`${access}\necho $TOKEN`)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/m)
      expect(rest).toHaveLength(3)
      await payment(shell, rest)
    },
    refunds: async (shell, [refund = '', decision = '', ...more]) => {
      expect(more).toEqual([])
      expect(await shell.run(refund)).toContain('"refundUid":"refund-1"')
      expect(await shell.run(decision)).toMatch(
        /"ALREADY_PAYED","decision":\{"value":"DELIVERED".*"receipt 118"/,
      )
    },
    receipts: async (
      shell,
      [settings = '', create = '', documents = '', prepayment = '', refund = '', failed = '', ...more],
    ) => {
      expect(more).toEqual([])
      expect(await shell.run(settings)).toContain('"receipts":{"taxation":"usnIncome","vat":"none"')
      expect(await shell.run(create)).toContain('"status":"CREATED"')
      // A receipt takes a second; the contact is masked.
      expect(await shell.run(documents)).toMatch(/"kind":"sale".*"quantity":"2".*"a…@shop\.example"/)
      expect(await shell.run(prepayment)).toMatch(/"kind":"closing".*"method":"fullPayment"/)
      expect(await shell.run(refund)).toMatch(/"refundId":"refund-1".*"WAITING"/)
      expect(await shell.run(failed)).toContain('"receipts":[')
    },
    tokens: async (shell, [consent = '', agreement = '', charge = '', deletion = '', ...more]) => {
      expect(more).toEqual([])
      const made = await shell.run(consent)
      expect(made).toContain('"status":"WAITING"')
      expect(await shell.run(agreement)).toContain('"status":"ACCEPTED"')
      expect(await shell.run(charge)).toContain('INIT_PAYMENT_BY_TOKEN')
      // 204 has no body.
      expect((await shell.run(deletion)).trim()).toBe('')
    },
    'counter-and-static': async (
      shell,
      [printed = '', paid = '', till = '', arm = '', sale = '', key = '', ...more],
    ) => {
      expect(more).toEqual([])
      expect(await shell.run(printed)).toContain('"type":"STATIC"')
      expect(await shell.run(paid)).toMatch(/"value":"50\.00".*"value":"120\.50"/)
      const counter = await shell.run(till)
      expect(counter).toContain('"type":"COUNTER"')
      expect(await shell.run(arm)).toContain('"status":"ACTIVE"')
      const sold = shell.run(sale)
      await sandbox(`${uidIn(counter)}/payments`)
      expect(await sold).toContain('"status":"PAYED"')
      expect(await shell.run(key)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/m)
    },
    testing: async (shell, all) => {
      for (const block of all) expect(await shell.run(block)).toContain('"status":"PAYED"')
    },
    index: async (shell, all) => {
      for (const block of all) expect(await shell.run(block)).toMatch(/"qrCodeUid":"order-[0-9a-f]{8}"/)
    },
    notifications: async (shell, [settings = '', test = '', second = '', own = '', log = '']) => {
      expect(await shell.run(settings)).toContain('"key":"whsec_')
      expect(await shell.run(test)).toContain('"ms":')
      expect(await shell.run(second)).toMatch(/"id":"shop-2".*"key":"whsec_/s)
      expect(await shell.run(own)).toContain('"status":"CREATED"')
      expect(await shell.run(log)).toContain('"notifications":[')
    },
    'self-hosting': async (shell, all) => {
      for (const block of all) expect(await shell.run(block)).toMatch(/[\w-]+\.[\w-]+\.[\w-]+/)
    },
    'README.md': async (shell, [create = '', save = '', wait = '', refund = '']) => {
      await payment(shell, [create, save, wait])
      expect(await shell.run(refund)).toMatch(/"refundUid":"refund-1".*"WAITING"/)
    },
  }

  /** The last line that an example of the client writes. */
  async function example(file: string): Promise<string> {
    const env = { ...process.env, FPS_URL: address, TOKEN: token }
    const path = join(inject('clientPackage').directory, `${file}.mjs`)
    const { stdout } = await run(machineNode(), [path], { cwd: directory, env })
    return stdout.trim().split('\n').at(-1) ?? ''
  }
  async function client(): Promise<void> {
    const [uid = ''] = (await example('create')).split(' ')
    const waiting = example('wait')
    await sandbox(`${uid}/payments`)
    expect(await waiting).toBe(`${uid} is PAYED`)
    expect(await example('refund')).toBe('refund-1 of 5.25 is COMPLETED')
  }

  const random = randomOf(SEED)
  const names = [...Object.keys(TEXTS), 'client/README.md']
  const shuffled = () =>
    names.map((text) => ({ text, at: random.below(2 ** 30) })).sort((a, b) => a.at - b.at)
  it.each([...shuffled(), ...shuffled()])('$text: it makes its identifiers itself', async ({ text }) => {
    if (!(text in TEXTS)) return client()
    const shell = openShell(name, directory, { TOKEN: token, TOKEN_SECRET: service.secret })
    try {
      // A reader's shell is interactive: there zsh takes no comments.
      for (const block of blocks(text)) expect(block).not.toMatch(/(^|\s)#\s/m)
      await TEXTS[text]?.(shell, blocks(text))
    } finally {
      await shell.close()
    }
  })

  it('the other guides have none', () => {
    expect([
      ...blocks('going-live'),
      ...blocks('errors'),
      ...blocks('words'),
      ...blocks('questions'),
    ]).toEqual([])
  })
})
