// The operator's week of docs/operations.md, its commands as they stand there: on the test site, then on the live one that
// `npm run onboard` connects to a bank.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bankDeployment } from '../support/bank-deployment.ts'
import { blocksOf } from '../support/documents.ts'
import { requires } from '../support/requires.ts'
import { SECRET } from '../support/secret.ts'
import { openShell } from '../support/shell.ts'

const hasJq = spawnSync('jq', ['--version']).status === 0
const ROOT = join(import.meta.dirname, '../..')

/** The only block of a document that has the text, and those behind it, as many as are asked for. */
function blocksFrom(document: string, text: string, count = 1): string[] {
  const blocks = blocksOf(document)
  const first = blocks.findIndex((block) => block.includes(text))
  expect(blocks.filter((block) => block.includes(text)).length).toBe(1)
  return blocks.slice(first, first + count)
}

const [
  BEGIN = '',
  TEST = '',
  LIMITS = '',
  COMPLAINT = '',
  REFUND = '',
  STOP = '',
  LEAK = '',
  DELETION = '',
  AUDIT = '',
] = blocksFrom('docs/operations.md', "KEYS='--env-file", 9)
const [ONBOARD = ''] = blocksFrom('docs/banks.md', 'onboard tea --bank tbank-cafe')

const TIME = '"\\d{4}-\\d\\d-\\d\\dT[^"]+"'
const like = (pattern: string) => expect.stringMatching(new RegExp(`^${pattern}$`))
const KEY = '[0-9a-f-]{36}'

it.runIf(requires('jq', hasJq))(
  'every step of the operator’s week does what it says, on the test site and on the live one',
  async () => {
    const deployment = await bankDeployment({
      sites: { cafe: 'tbank-cafe' },
      settings: { TEST_SITES: 'on', DELETION_DAYS: '7' },
    })
    const { directory, connector, config, env, banks } = deployment
    const settings = join(directory, 'settings')
    writeFileSync(settings, `TOKEN_SECRET='${SECRET}'\nPUBLIC_URL=${config.service}\n`)
    const shell = openShell('bash', ROOT, env)
    onTestFinished(() => shell.close())
    await shell.run('unset TOKEN_SECRET')
    const [, command = ''] =
      /In a checkout,\nthis bash function does the same:\n`([^`]+)`/.exec(
        readFileSync('docs/operations.md', 'utf8'),
      ) ?? []
    await shell.run(command)
    /** What a block prints, line by line, without what is said of a token. */
    async function run(block: string): Promise<string[]> {
      const here = block
        .replaceAll('http://127.0.0.1:8080', config.service)
        .replaceAll('/etc/fps-qr/settings', settings)
        .replaceAll('/etc/fps-connector/connector.json', join(directory, 'connector.json'))
        .replaceAll('/var/lib/fps-connector', connector.data)
      const lines = (await shell.run(here)).split('\n').filter((line) => line.trim() !== '')
      return lines.filter((line) => !/^(signed with|key [0-9a-f-]{36}, )/.test(line))
    }

    /** The steps after the payment. */
    async function week(siteId: string): Promise<void> {
      const on = (block: string) => run(block.replaceAll('tea-test', siteId))
      const merchant = deployment.merchant(siteId)
      const limits =
        '{"maxPayment":{"value":"15000.00","currency":"RUB"},"maxRefundsPerDay":{"value":"30000.00","currency":"RUB"}'
      // A test site has a cash register of the service's own.
      const register = siteId === 'tea-test' ? ',"cashRegister":{"kind":"sandbox","ffd":"1.2"}' : ''
      expect(await on(LIMITS)).toEqual([`${limits}${register}}`])

      expect(await on(COMPLAINT)).toEqual([
        like(`\\[${TIME},"qrCode.created","CREATED"\\]`),
        like(`\\[${TIME},"payment.completed","PAYED"\\]`),
        like('\\["[^"]+","COMPLETED","150.00",true\\]'),
      ])

      const [asked, waiting] = await on(REFUND)
      expect([asked, waiting]).toEqual([
        '"WAITING"',
        like(
          `\\[${TIME},"refund.waiting","odd-1","100.00",\\{"actor":"merchant","keyId":"${KEY}","name":"[^"]+"\\}\\]`,
        ),
      ])
      expect(await on(STOP)).toEqual([
        `{"maxRefundsPerDay":{"value":"0.01","currency":"RUB"}${register}}`,
        like('\\["site\\.limit\\.exceeded",\\{"amount\\.value":\\["is 1\\.00, .* operator.*\\]'),
      ])

      expect(await on(LEAK)).toEqual([siteId === 'tea-test' ? 'shop' : 'tea merchant', '204', '401', '200'])

      const [paymentId = ''] = (await run('echo "$PAYMENT"')).slice(-1)
      await merchant.hasRefund(paymentId, 'odd-1')
      expect(await on(DELETION)).toEqual([
        like(`\\{"siteId":"${siteId}","deletedOn":${TIME},"dataDeletedOn":${TIME}\\}`),
        '410',
        like(`\\["${siteId}",${TIME}\\]`),
        `"${siteId}"`,
        '200',
      ])

      const acts = ['limits', 'limits', 'delete', 'restore'].flatMap((act) =>
        ['STARTED', 'DONE'].map((result) =>
          like(`\\d+\t\\S+\tsite\\.${act}\t${result}\tanna\t${KEY}\t\\{.*\\}`),
        ),
      )
      expect(await on(AUDIT)).toEqual(acts)
    }

    expect(await run(BEGIN)).toEqual([])
    expect(await run(TEST)).toEqual([expect.stringContaining('/pay/tea-test/'), 'PAYED'])
    await week('tea-test')
    // No bank has heard of it.
    expect(banks.tbank.sessions.size).toBe(0)

    const handed = await run(ONBOARD)
    const [token = '', ...others] = handed.filter((line) => /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(line))
    expect([others.length, handed]).toEqual([1, expect.arrayContaining(['all is well'])])
    // The siteId and the token change, nothing else.
    const [, create = ''] = TEST.split(/^(curl [^\n]*\n[^\n]*)$/m)
    expect(create).toContain('/sbp/qrCodes')
    const [link = ''] = await run(
      `T='Authorization: Bearer ${token}'\n${create.replaceAll('tea-test', 'tea')}`,
    )
    const bank = banks.all.find(({ kind }) => kind === 'tbank')
    const pay = (payload: string) => bank?.pay(new URL(payload).pathname.slice(1))
    const live = deployment.merchant('tea')
    await pay(link)
    await live.has('first', 'PAYED')
    await week('tea')
    expect(Array.from(bank?.money().values() ?? [])).toEqual([{ paid: 15_000, refunded: 10_000 }])

    // The undoing has brought back all of it: the bank's links too.
    await pay((await live.make('second')).payload)
    await live.has('second', 'PAYED')
  },
  600_000,
)
