// npm run serve: what it refuses, what it writes, and how it and its workerd end.
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { mintToken } from '../../bin/mint-token.ts'
import { workerdBinary } from '../../bin/serve/workerd-binary.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import { run } from '../support/command.ts'
import { freePort, portOf } from '../support/ports.ts'
import { SECRET } from '../support/secret.ts'
import {
  EXTERNAL,
  fileOf,
  PUBLIC_URL,
  SETTINGS,
  type Served,
  serve,
  siteOf,
  started,
  temporaryDirectory,
  workerdOf,
} from '../support/serve.ts'

const OTHERS = { CURRENCIES: 'RUB', UTC_OFFSET: '+03:00', BANK_MEMBER_ID: '100000000000' }

let directory: string

let data: string

beforeEach(() => {
  directory = temporaryDirectory()
  data = join(directory, 'data')
})

const isAlive = (pid: number) =>
  /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`]).stdout.toString())

const messagesOf = (served: Served): unknown[] =>
  served
    .output()
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line).message)
    .filter((message) => message !== 'starting')

describe('a start that cannot serve ends with status 1 and says why, in JSON', () => {
  it.each<[string, Record<string, string | undefined>, string[]]>([
    [
      'no TOKEN_SECRET',
      { TOKEN_SECRET: undefined },
      ['TOKEN_SECRET is not set: make one with `openssl rand -base64 48`'],
    ],
    [
      'no PUBLIC_URL',
      { PUBLIC_URL: undefined },
      ['PUBLIC_URL is not set, must be the address that clients use'],
    ],
    [
      'two wrong settings',
      { BANK_MEMBER_ID: '4711', PAYMENT_NETWORK: 'moon' },
      ['BANK_MEMBER_ID must be 12 digits', 'PAYMENT_NETWORK must be external or sandbox'],
    ],
  ])('%s', async (_, settings, messages) => {
    const served = await serve(data, { settings })
    expect(await served.ended).toBe(1)
    expect(messagesOf(served)).toEqual(messages)
  })

  it('TEST_SITES where a site that would be a test site has been live; its name is told', async () => {
    const first = await started(data)
    for (const siteId of ['cafe', 'cafe-test', 'tea-test'])
      expect(await siteOf(first, siteId).pay('a')).toBe(200)
    await first.stop()
    const both = { settings: { ...EXTERNAL, TEST_SITES: 'on' } }
    // What the sandbox made up is no obstacle.
    const second = await started(data, both)
    expect((await siteOf(second, 'tea-test').create('b')).status).toBe(200)
    await second.stop()
    const change = (statement: string) => {
      const database = new DatabaseSync(fileOf(data, 'tea-test'))
      database.exec(statement)
      database.close()
    }
    for (const statement of [
      "UPDATE payments SET network = 'external'",
      "UPDATE payments SET network = 'sandbox'; UPDATE qr_codes SET payload = 'https://qr.nspk.ru/A', page_id = 'A' WHERE number = 1",
    ]) {
      change(statement)
      const third = await serve(data, both)
      expect(await third.ended).toBe(1)
      expect(messagesOf(third)).toEqual([
        'tea-test: has been live, must be deleted, or TEST_SITES must be off',
      ])
    }
    expect((await siteOf(await started(data, { settings: EXTERNAL }), 'cafe').create('c')).status).toBe(200)
  })

  it('names in the settings file that are no settings', async () => {
    const file = join(directory, 'settings')
    writeFileSync(file, `TOKEN_SECRT=${SECRET}\nBANK_ID=100000000001\nSECRET=a\n`)
    const served = await serve(data, { options: ['--env-file', file] })
    expect(await served.ended).toBe(1)
    expect(messagesOf(served).toSorted()).toEqual([
      'BANK_ID is not a setting, did you mean BANK_MEMBER_ID',
      'SECRET is not a setting, must be one of docs/operations.md',
      'TOKEN_SECRT is not a setting, did you mean TOKEN_SECRET',
    ])
  })

  // Node itself would read the file, and end with a message and a status of its own.
  it('a settings file that does not exist, by the command npm run serve', () => {
    const file = join(directory, 'none')
    const args = ['run', '-s', 'serve', '--', '--data', data, '--env-file', file]
    const { status, stdout, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
    expect([status, JSON.parse(stdout.trim().split('\n').at(-1) ?? '').message, stderr]).toEqual([
      1,
      `--env-file is ${file}, cannot be read: no such file or directory`,
      '',
    ])
  })

  it.each(['--data', '--ip'])('an empty %s, as of a shell variable that is not set', async (option) => {
    const served = await serve(data, { options: [option, ''] })
    expect(await served.ended).toBe(1)
    expect(messagesOf(served)).toEqual([`${option} is empty, must have a value`])
  })

  it.each(['--port', '--admin-port'])(
    'a port of %s that another program has, which is named',
    async (option) => {
      const other = createServer()
      const port = await portOf(other)
      const served = await serve(data, { options: [option, `${port}`] })
      expect(await served.ended).toBe(1)
      expect(messagesOf(served)).toEqual([
        expect.stringMatching(
          `^cannot listen on 127.0.0.1:${port}: process ${process.pid} \\(.+\\) listens there; give a free port with ${option}$`,
        ),
      ])
      other.close()
    },
  )
})

it('the settings come from a file, and the environment overrides it', async () => {
  const file = join(directory, 'settings')
  writeFileSync(file, `TOKEN_SECRET=${SECRET}\nPUBLIC_URL=https://file.example\nCURRENCIES=BYN\n`)
  const served = await started(data, {
    settings: { TOKEN_SECRET: undefined },
    options: ['--env-file', file],
  })
  const { text } = await siteOf(served).ask('/sbp/qrCodes', {
    method: 'POST',
    body: { qrCodeUid: 'a', qrCode: { type: 'DYNAMIC' }, amount: { value: 1, currency: 'BYN' } },
  })
  const answer = QrCodeAnswer.parse(JSON.parse(text))
  expect([answer.amount?.currency, answer.pageUrl.startsWith(`${PUBLIC_URL}/pay/demo/`)]).toEqual([
    'BYN',
    true,
  ])
})

it.each<[string, Record<string, string>, string | undefined]>([
  [
    'in the sandbox: no money moves',
    { PAYMENT_NETWORK: 'sandbox' },
    'PAYMENT_NETWORK is sandbox: payments are made up, and no money moves',
  ],
  [
    'with the payment network, without LINK_BASE_URL: no bank can pay',
    { PAYMENT_NETWORK: 'external', BANK_MEMBER_ID: '100000000007' },
    'LINK_BASE_URL is not set: links lead to this service, and no bank can pay their QR codes',
  ],
  [
    'with the payment network and LINK_BASE_URL, without the banks: payers have no list of them',
    { PAYMENT_NETWORK: 'external', LINK_BASE_URL: 'https://qr.nspk.ru', BANK_MEMBER_ID: '100000000007' },
    'BANKS_URL is not set: the payer’s page has no list of banks, which npm run banks makes',
  ],
  [
    'with links of its own and the example of BANK_MEMBER_ID: no bank has it',
    { PAYMENT_NETWORK: 'external', LINK_BASE_URL: 'https://qr.nspk.ru', BANKS_URL: '/banks.json' },
    'BANK_MEMBER_ID is 100000000000, an example: links name a bank that does not exist',
  ],
  [
    'with the payment network, LINK_BASE_URL, the banks and BANK_MEMBER_ID: nothing',
    {
      ...{ PAYMENT_NETWORK: 'external', LINK_BASE_URL: 'https://qr.nspk.ru', BANKS_URL: '/banks.json' },
      BANK_MEMBER_ID: '100000000007',
    },
    undefined,
  ],
])('a start gives notice %s', async (_, settings, notice) => {
  const served = await started(data, { settings })
  const notices = served
    .output()
    .trim()
    .split('\n')
    .map((line): { level: string; message: string } => JSON.parse(line))
    .filter(({ level }) => level === 'notice')
  expect(notices.map(({ message }) => message)).toEqual(notice === undefined ? [] : [notice])
})

it('its Host must be that of PUBLIC_URL or of this machine', async () => {
  const { address } = await started(data)
  const statusWith = (host: string) =>
    Number(
      spawnSync('curl', [
        '-s',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        '-H',
        `Host: ${host}`,
        `${address}/openapi.json`,
      ]).stdout.toString(),
    )
  expect(['qr.acquirer.example', 'localhost', '127.0.0.1', '[::1]', 'evil.example'].map(statusWith)).toEqual([
    200, 200, 200, 200, 421,
  ])
})

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends it with status 0, and workerd with it; requests in flight are answered; all that it wrote is JSON',
  async (signal) => {
    const served = await started(data)
    const site = siteOf(served)
    await site.create('a')
    const poll = site.ask('/sbp/qrCodes/a', { headers: { Prefer: 'wait=60' } })
    await served.longPolls(1)
    const workerd = workerdOf(data)
    served.process.kill(signal)
    expect((await poll).status).toBe(200)
    expect(await served.ended).toBe(0)
    expect(isAlive(workerd)).toBe(false)
    for (const line of served.output().trim().split('\n')) expect(() => JSON.parse(line), line).not.toThrow()
  },
)

it('a stop answers long polls at once, so that no connection waits for the end of one', async () => {
  const served = await started(data)
  const site = siteOf(served)
  await site.create('a')
  /** A client that sends the next long poll as soon as one is answered, until it is refused. */
  const client = async () => {
    const statuses: number[] = []
    for (;;) {
      const polled = await site
        .ask('/sbp/qrCodes/a', { headers: { Prefer: 'wait=60' } })
        .catch(() => undefined)
      if (!polled) return statuses
      statuses.push(polled.status)
    }
  }
  const clients = Array.from({ length: 20 }, client)
  await served.longPolls(20)
  served.process.kill('SIGTERM')
  for (const statuses of await Promise.all(clients)) {
    expect(statuses.length).toBeGreaterThan(0)
    expect(new Set(statuses)).toEqual(new Set([200]))
  }
  expect(await served.ended).toBe(0)
  await expect(fetch(`${served.address}/healthz`)).rejects.toThrow()
})

it('a workerd that is killed is started again, and nothing acknowledged is lost', async () => {
  const served = await started(data)
  const site = siteOf(served)
  const created = await site.create('a')
  process.kill(workerdOf(data), 'SIGKILL')
  await sleep(50)
  await served.ready()
  expect((await site.create('a')).text).toBe(created.text)
  expect(messagesOf(served)).toContain('workerd ended: SIGKILL')
})

describe('one runtime for a data directory', () => {
  const refused = async () => {
    const second = await serve(data)
    expect(await second.ended).toBe(1)
    expect(second.output()).toContain(`${data} is in use by process ${workerdOf(data)}: stop it first`)
  }

  it('a second one is refused while the first serves', async () => {
    await started(data)
    await refused()
  })

  it('it is refused while the workerd of a killed supervisor lives, and allowed when that is killed', async () => {
    const first = await started(data)
    first.process.kill('SIGKILL')
    await new Promise((resolve) => first.process.once('exit', resolve))
    expect((await fetch(`${first.address}/healthz`)).status, 'the orphan serves').toBe(200)
    await refused()
    process.kill(workerdOf(data), 'SIGKILL')
    await expect.poll(() => run('verify', '--data', data).status).toBe(0)
    await started(data)
  })

  it('commands that need a stopped service are refused while it serves', async () => {
    await started(data)
    for (const name of ['verify', 'resume']) {
      const { status, stderr } = spawnSync('npm', ['run', '-s', name, '--', '--data', data])
      expect([status, stderr.toString()]).toEqual([
        1,
        `${data} is in use by process ${workerdOf(data)}: stop it first\n`,
      ])
    }
  })
})

it('a machine with dist/fps-qr, workerd and no Node serves a QR code and its page', async () => {
  const bare = join(directory, 'machine')
  const bin = join(bare, 'bin')
  mkdirSync(bin, { recursive: true })
  cpSync('dist/fps-qr', join(bare, 'fps-qr'), { recursive: true, dereference: true })
  copyFileSync(workerdBinary(), join(bin, 'workerd'))
  for (const tool of ['sh', 'dirname', 'mkdir', 'flock', 'cat']) {
    const [path = ''] = spawnSync('which', [tool]).stdout.toString().split('\n')
    symlinkSync(path, join(bin, tool))
  }
  const port = await freePort()
  const workerd = spawn(
    join(bare, 'fps-qr/run'),
    [data, `--socket-addr=http=127.0.0.1:${port}`, `--socket-addr=admin=127.0.0.1:${await freePort()}`],
    { env: { ...OTHERS, ...SETTINGS, PATH: bin }, cwd: '/', stdio: 'ignore' },
  )
  try {
    const address = `http://127.0.0.1:${port}`
    while (!(await fetch(`${address}/readyz`).catch(() => undefined))?.ok) await sleep(20)
    const token = await mintToken(SECRET, { siteId: 'demo', scope: 'merchant', days: 1 })
    const response = await fetch(`${address}/payin/v1/sites/demo/sbp/qrCodes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ qrCodeUid: 'a', qrCode: { type: 'DYNAMIC', image: {} }, amount: { value: 1 } }),
    })
    const { qrCode, pageUrl } = QrCodeAnswer.parse(await response.json())
    expect(
      Buffer.from(qrCode.image?.content ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    const page = await fetch(pageUrl.replace(PUBLIC_URL, address))
    const html = await page.text()
    expect([page.status, html.includes('<title>')]).toEqual([200, true])
    const assets = Array.from(
      html.matchAll(/(?:href|src)="([^":]+\.(?:css|js|svg))"/g),
      ([, path = '']) => path,
    )
    expect(assets.length).toBeGreaterThan(1)
    for (const path of assets)
      expect([path, (await fetch(new URL(path, page.url))).status]).toEqual([path, 200])
  } finally {
    workerd.kill('SIGKILL')
  }
})
