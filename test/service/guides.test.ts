// The commands of the guides, as a reader pastes them: each block in each shell, against the real build.
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { bareWorkerd } from '../support/bare-workerd.ts'

const root = join(import.meta.dirname, '../..')
const EXAMPLE = 'https://qr.acquirer.example'
/** zsh, the shell of a Mac, where it is installed. */
const SHELLS = ['bash', 'dash', 'zsh'].filter((shell) => spawnSync(shell, ['-c', '']).status === 0)

const blocksOf = (language: string, guide: string) =>
  Array.from(
    readFileSync(join(root, `docs/guides/${language}/${guide}.md`), 'utf8').matchAll(
      /^```sh\n([\s\S]*?)^```/gm,
    ),
    ([, block = '']) => block,
    // What starts and builds the service itself is tested elsewhere.
  ).filter((block) => block.includes(EXAMPLE) && !block.includes('npm run serve'))

it('there are shells to try', () => expect(SHELLS.length).toBeGreaterThan(0))

describe.each(SHELLS.flatMap((shell) => ['en', 'ru'].map((language) => [shell, language] as const)))(
  'in %s, the commands in %s',
  (shell, language) => {
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
    const sandbox = async (path: string) => {
      const response = await fetch(`${address}/sandbox/v1/sites/demo/qrCodes/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: '{}',
      })
      expect(response.status).toBe(200)
    }

    it('do what the guides say, in their order', async () => {
      const [create = '', save = '', wait = '', ...more] = blocksOf(language, 'five-minutes')
      expect(more).toEqual([])
      expect(await paste(create)).toContain('"status":"CREATED"')
      await paste(save)
      expect(readFileSync(join(directory, 'invoice-1.png')).subarray(1, 4).toString()).toBe('PNG')
      const waiting = paste(wait)
      await sandbox('invoice-1/payments')
      expect(await waiting).toContain('"status":"PAYED"')

      for (const block of blocksOf(language, 'refunds')) expect(await paste(block)).toContain('"refund-1"')

      const [consent = '', charge = ''] = blocksOf(language, 'tokens')
      expect(await paste(consent)).toContain('"status":"WAITING"')
      await sandbox('consent-7/bindings')
      expect(await paste(charge)).toContain('INIT_PAYMENT_BY_TOKEN')

      const [printed = '', paid = '', counter = '', arm = '', sale = '', ...others] = blocksOf(
        language,
        'counter-and-static',
      )
      expect(others).toEqual([])
      expect(await paste(printed)).toContain('"type":"STATIC"')
      expect(await paste(paid)).toMatch(/"value":"50\.00".*"value":"120\.50"/)
      expect(await paste(counter)).toContain('"type":"COUNTER"')
      expect(await paste(arm)).toContain('"status":"ACTIVE"')
      const sold = paste(sale)
      await sandbox('till-1/payments')
      expect(await sold).toContain('"status":"PAYED"')

      for (const block of blocksOf(language, 'testing'))
        expect(await paste(block)).toContain('"status":"PAYED"')
      for (const block of blocksOf(language, 'index')) expect(await paste(block)).toContain('"order-1"')

      const [settings = '', test = '', log = ''] = blocksOf(language, 'notifications')
      expect(await paste(settings)).toContain('"key":"whsec_')
      expect(await paste(test)).toContain('"ms":')
      expect(await paste(log)).toContain('"notifications":[')
    })
  },
)
