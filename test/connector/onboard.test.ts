// `npm run onboard`: takes merchants on while the connector runs, is safe to repeat, and shows each secret once.
import { spawn } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { bundled } from '../support/bundled-commands.ts'
import { FakeAtol } from '../support/cash-registers/atol.ts'
import { requires } from '../support/requires.ts'
import { tlsFront } from '../support/tls-front.ts'
import { makeChains } from './behind-tls.ts'
import { afterwards, register, type Surroundings, surroundings } from './harness.ts'
import { startProcess } from './process.ts'

const TOKEN_SECRET = 'a secret of the service, of 32 characters and more'
const TOKENS = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g
const DAY = 86_400
const { root, sub, leaf } = makeChains()
/** Only root can give a file to another user. */
const isRoot = requires('root', process.getuid?.() === 0)
/** The user and the group of the connector, where it is not root. */
const USER = 12_345

/** The connector runs with the site of T-Bank; the service takes any token that TOKEN_SECRET has signed. */
async function running() {
  const at = await surroundings({ now: Date.now() })
  at.service.takesAnyToken = true
  const config = join(at.directory, 'connector.json')
  const data = join(at.directory, 'data')
  // Its directory as the unit has it.
  mkdirSync(data)
  const connector = await startProcess(at)
  const read = (): { banks: Json; sites: Json } => JSON.parse(readFileSync(config, 'utf8'))
  const onboard = (...args: string[]) => run(at, [...args, '--config', config, '--data', data])
  return { at, connector, config, read, onboard, secrets: join(at.directory, 'secrets') }
}
type Json = Record<string, Record<string, unknown>>

async function run(at: Surroundings, args: string[], typed = '') {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', bundled('onboard'), ...args],
    {
      env: { ...process.env, ...at.env, TOKEN_SECRET },
      stdio: 'pipe',
    },
  )
  child.stdin.end(typed)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, output, errors: errors.trimEnd(), tokens: output.match(TOKENS) ?? [] }
}

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>

// Each starts the command and a check, some of them three times.
describe('onboard', { timeout: 240_000 }, () => {
  it('takes a second merchant of the same credentials on, and the running connector serves it at once', async () => {
    const { at, connector, read, onboard, secrets } = await running()
    const { code, output, tokens, errors } = await onboard('bar', '--bank', 'tbank-cafe', '--name', 'Bar')
    expect([code, errors]).toEqual([0, ''])
    expect(output).toContain('the running connector has taken it')
    expect(output).toContain('ok   bar: the service takes the token; its bank is tbank-cafe')
    expect(output).toContain(`API      ${at.urls.service}/payin/v1/sites/bar`)
    expect(tokens.map((token) => claimsOf(token).scope)).toEqual(['merchant', 'merchant:admin'])
    for (const token of tokens) expect(claimsOf(token).sub).toBe('bar')
    await register(at, 'bar')
    const file = join(secrets, 'site.bar.token')
    expect(read().sites.bar).toMatchObject({ token: { file }, bank: 'tbank-cafe', name: 'Bar' })
    expect(claimsOf(readFileSync(file, 'utf8'))).toMatchObject({ sub: 'bar', scope: 'network' })
    // The token of the connector is in its file alone, those of the merchant nowhere.
    const all = JSON.stringify([read(), connector.lines, output.replaceAll(TOKENS, '')])
    expect(all).not.toMatch(TOKENS)
    for (const name of readdirSync(secrets).filter((each) => each.endsWith('.token'))) {
      expect(statSync(join(secrets, name)).mode & 0o777).toBe(0o600)
    }
    expect(statSync(secrets).mode & 0o777).toBe(0o700)
  })

  it('is safe to repeat: nothing changes, and no token is shown again', async () => {
    const { config, onboard, secrets } = await running()
    const first = await onboard('bar', '--bank', 'tbank-cafe')
    const filesOf = () => [config, join(secrets, 'site.bar.token')].map((file) => readFileSync(file, 'utf8'))
    const before = filesOf()
    const again = await onboard('bar', '--bank', 'tbank-cafe')
    expect([again.code, again.tokens, filesOf()]).toEqual([0, [], before])
    for (const token of first.tokens) expect(again.output).toContain(`key ${claimsOf(token).jti}, `)
    const others = await onboard('bar', '--bank', 'tbank-cafe', '--new-token')
    expect([others.code, others.tokens.length]).toEqual([0, 2])
    expect(others.tokens.some((token) => first.tokens.some((each) => each === token))).toBe(false)
    for (const token of first.tokens) expect(others.output).toContain(`key ${claimsOf(token).jti}, `)
  })

  it('takes a merchant with the longest siteId on, and its keys are labelled with what they are for', async () => {
    const { onboard, secrets } = await running()
    const siteId = 's'.repeat(64)
    const { code, errors, tokens } = await onboard(siteId, '--bank', 'tbank-cafe')
    expect([code, errors]).toEqual([0, ''])
    const ofConnector = readFileSync(join(secrets, `site.${siteId}.token`), 'utf8')
    expect([ofConnector, ...tokens].map((token) => claimsOf(token).label)).toEqual([
      ...[`${'s'.repeat(50)} connector`, `${'s'.repeat(51)} merchant`, `${'s'.repeat(45)} merchant:admin`],
    ])
  })

  it.runIf(isRoot)(
    'lets the group of the connector’s directory read the secrets, also those that stay',
    async () => {
      const { at, onboard, secrets } = await running()
      await onboard('bar', '--bank', 'tbank-cafe')
      const accessOf = (path: string) => {
        const { uid, gid, mode } = statSync(path)
        return [uid, gid, mode & 0o777]
      }
      const file = join(secrets, 'site.bar.token')
      const [made, foreign] = [readFileSync(file, 'utf8'), join(at.directory, 'foreign')]
      expect(accessOf(file)).toEqual([0, 0, 0o600])
      writeFileSync(foreign, '', { mode: 0o600 })
      symlinkSync(foreign, join(secrets, 'site.pub.token'))
      chownSync(join(at.directory, 'data'), USER, USER)
      expect((await onboard('bar', '--bank', 'tbank-cafe')).code).toBe(0)
      expect([accessOf(file), readFileSync(file, 'utf8')]).toEqual([[0, USER, 0o640], made])
      expect([accessOf(secrets), accessOf(foreign)]).toEqual([
        [0, USER, 0o750],
        [0, 0, 0o600],
      ])
    },
  )

  it('makes new credentials, with a secret from the standard input', async () => {
    const { at, config, read, secrets } = await running()
    const args = ['--bank-field', 'terminalKey=TinkoffBankTest', '--bank-field', `baseUrl=${at.urls.tbank}`]
    const { code, output } = await run(
      at,
      [
        ...['bar', '--bank', 'tbank-bar', '--new-bank', 'tbank', ...args, '--bank-secret', 'password=-'],
        ...['--config', config, '--data', join(at.directory, 'data')],
      ],
      'usaf8fw8fsw21g\n',
    )
    expect([code, output]).toEqual([0, expect.stringContaining('ok   tbank-bar: the credentials work')])
    const file = join(secrets, 'bank.tbank-bar.password')
    expect(read().banks['tbank-bar']).toMatchObject({ bank: 'tbank', password: { file } })
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['usaf8fw8fsw21g\n', 0o600])
    expect(output).not.toContain('usaf8fw8fsw21g')
    await register(at, 'bar')
  })

  it('makes new credentials of a bank behind an authority of its own, and shows its certificate', async () => {
    const { at, config, read } = await running()
    const front = await tlsFront(at.urls.tbank, leaf, sub)
    afterwards(front.close)
    const fields = [
      'terminalKey=TinkoffBankTest',
      `baseUrl=https://127.0.0.1:${front.port}`,
      `ca=${root.file}`,
    ]
    const { code, output } = await run(
      at,
      [
        ...['bar', '--bank', 'tbank-bar', '--new-bank', 'tbank', '--bank-secret', 'password=-'],
        ...fields.flatMap((field) => ['--bank-field', field]),
        ...['--config', config, '--data', join(at.directory, 'data')],
      ],
      'usaf8fw8fsw21g\n',
    )
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/^ok {3}tbank-bar: ca has Корневой УЦ, until 2120-01-01, SHA-256 [\dA-F:]{95}$/m),
    ])
    expect(read().banks['tbank-bar']).toMatchObject({ ca: root.file })
    await register(at, 'bar')
    expect(front.received()).toBeGreaterThan(0)
  })

  it('gives a merchant a cash register, with secrets from files, and keeps it where it is onboarded again', async () => {
    const { at, connector, read, onboard, secrets } = await running()
    const atol = new FakeAtol()
    afterwards(() => atol.close())
    const [login, password] = [join(at.directory, 'login'), join(at.directory, 'password')]
    writeFileSync(login, `${atol.login}\n`)
    writeFileSync(password, `${atol.password}\n`)
    const fields = {
      ...{ baseUrl: `${await atol.listen()}/possystem/v5`, group: atol.group, inn: atol.inn },
      ...{ email: 'shop@shop.example', place: 'https://shop.example' },
    }
    const { code, output } = await onboard(
      ...['bar', '--bank', 'tbank-cafe', '--cash-register', 'atol-bar', '--new-cash-register', 'atol'],
      ...Object.entries(fields).flatMap(([name, value]) => ['--cash-register-field', `${name}=${value}`]),
      ...['--cash-register-secret', `login=${login}`, '--cash-register-secret', `password=${password}`],
    )
    expect([code, output]).toEqual([0, expect.stringContaining('ok   atol-bar: the login works')])
    expect(output).toContain(`PUT ${at.urls.service}/operator/v1/sites/bar/cashRegister\n`)
    const file = (field: string) => ({ file: join(secrets, `cash-register.atol-bar.${field}`) })
    expect(read()).toMatchObject({
      cashRegisters: {
        'atol-bar': { kind: 'atol', ...fields, login: file('login'), password: file('password') },
      },
      sites: { bar: { bank: 'tbank-cafe', cashRegister: 'atol-bar' } },
    })
    expect(JSON.stringify([output, read(), connector.lines])).not.toContain(atol.password)
    const before = read()
    expect((await onboard('bar', '--bank', 'tbank-cafe')).code).toBe(0)
    expect(read()).toEqual(before)
  })

  it.each(['constructor', 'toString'])(
    'takes a merchant with the siteId %s on, without a name',
    async (siteId) => {
      const { at, config, onboard } = await running()
      expect(await onboard(siteId, '--bank', 'tbank-cafe')).toMatchObject({ code: 0, errors: '' })
      expect(readFileSync(config, 'utf8')).not.toContain('"name"')
      await register(at, siteId)
    },
  )

  it('takes a merchant on before the connector has run: there is no disk to check', async () => {
    const at = await surroundings({ now: Date.now() })
    at.service.takesAnyToken = true
    const [config, data] = [join(at.directory, 'connector.json'), join(at.directory, 'data')]
    writeFileSync(config, JSON.stringify(at.config))
    mkdirSync(data)
    const { code, output, tokens } = await run(at, [
      ...['bar', '--bank', 'tbank-cafe', '--config', config, '--data', data],
    ])
    expect([code, tokens.length, readdirSync(data)]).toEqual([0, 2, []])
    expect(output).toContain(`no connector runs on ${data}: it reads the configuration when it starts`)
    expect(output).toContain('ok   bar: the service takes the token; its bank is tbank-cafe')
  })

  it('makes another token of the site where its own ends within 30 days, and keeps a good one', async () => {
    const { onboard, secrets } = await running()
    await onboard('bar', '--bank', 'tbank-cafe', '--days', '31')
    const file = join(secrets, 'site.bar.token')
    const made = readFileSync(file, 'utf8')
    await onboard('bar', '--bank', 'tbank-cafe')
    expect(readFileSync(file, 'utf8')).toBe(made)
    // As good as one of a year ago: nobody here has signed it.
    writeFileSync(file, made.replace(/.{20}\s*$/, 'A'.repeat(20)))
    expect((await onboard('bar', '--bank', 'tbank-cafe')).code).toBe(0)
    const { exp, iat } = claimsOf(readFileSync(file, 'utf8'))
    expect(Number(exp) - Number(iat)).toBe(365 * DAY)
  })

  it('hands nothing over where the check fails, and does it when the cause is gone', async () => {
    const { at, onboard } = await running()
    at.tbank.fail('CheckOrder', { status: 500 })
    const failed = await onboard('bar', '--bank', 'tbank-cafe')
    expect([failed.code, failed.tokens]).toEqual([1, []])
    expect(failed.output).toContain('bar does not work yet: correct what fails, and repeat this command')
    const good = await onboard('bar', '--bank', 'tbank-cafe')
    expect([good.code, good.tokens.length]).toEqual([0, 2])
  })
})

describe('onboard of a bank with a key', { timeout: 240_000 }, () => {
  /** The options for new credentials at Tochka Pay Gateway, with this private key. */
  function payOptions(at: Surroundings, privateKey: string, ids: string) {
    const files = { jwt: at.tochkaPay.jwt, privateKey, webhookKey: JSON.stringify(at.tochkaPay.webhookKey) }
    const secrets = Object.entries(files).flatMap(([name, content]) => {
      const path = join(at.directory, `given.${name}`)
      writeFileSync(path, `${content}\n`)
      return ['--bank-secret', `${name}=${path}`]
    })
    return [
      ...['bar', '--bank', 'pay-bar', '--new-bank', 'tochka-pay', ...secrets],
      ...['--bank-field', `siteUid=${at.tochkaPay.siteUid}`, '--bank-field', 'test=false'],
      ...['--bank-field', `baseUrl=${at.urls.tochkaPay}/uapi`],
      ...['--field', 'digitalRouble=true', '--field', `cashRegisterQrcIds=${ids}`],
    ]
  }

  it('takes a PEM and a JWK from files, and a list and true as fields; a repeat changes nothing', async () => {
    const { at, read, onboard } = await running()
    const [qrcId] = at.tochkaPay.codes.reserve(1)
    const options = payOptions(at, at.tochkaPay.privateKey, JSON.stringify([qrcId]))
    const { code, output, errors } = await onboard(...options)
    expect([code, errors]).toEqual([0, ''])
    expect(output).toContain('ok   pay-bar: the credentials work')
    expect(output).toContain('ok   pay-bar: the bank publishes the key of webhookKey')
    expect(read().sites.bar).toMatchObject({ digitalRouble: true, cashRegisterQrcIds: [qrcId] })
    expect(read().banks['pay-bar']).toMatchObject({ siteUid: at.tochkaPay.siteUid, test: false })
    expect(JSON.stringify([read(), output])).not.toContain('PRIVATE KEY')
    const made = await register(at, 'bar', {
      type: 'COUNTER',
      ttl: undefined,
      expiresOn: undefined,
      amount: undefined,
    })
    expect(made.qrcId).toBe(qrcId)
    await register(at, 'bar')
    expect(at.tochkaPay.callsOf('register')[0]?.body).toMatchObject({
      Data: { paymentMethods: ['SBP', 'DIGITAL_RUBLE'] },
    })
    expect((await onboard(...options)).output).toContain('unchanged: ')
  })

  it('changes nothing for a key or a list that is not allowed, and shows neither', async () => {
    const { at, read, onboard } = await running()
    const before = read()
    const half = at.tochkaPay.privateKey.slice(0, 900)
    const bad = await onboard(...payOptions(at, half, '[]'))
    expect([bad.code, bad.errors]).toEqual([
      1,
      'nothing is changed:\nbanks.pay-bar.privateKey: must be an RSA key of 2048 bits as PEM of PKCS#8 (-----BEGIN PRIVATE KEY-----)',
    ])
    const list = await onboard(...payOptions(at, at.tochkaPay.privateKey, '[AS1]'))
    expect([list.code, list.errors]).toEqual([
      1,
      '--field cashRegisterQrcIds must be a list in JSON, such as ["A","B"]',
    ])
    expect(read()).toEqual(before)
  })
})

describe('onboard changes nothing', () => {
  it.each([
    [['bar', '--bank', 'other'], /^--bank is other, must be one of the configuration \(tochka-main, /],
    [['bar'], /^--bank NAME is not given, must be the name of the credentials$/],
    [
      ['bar', '--bank', 'tbank-cafe', '--days', '30'],
      /^--days is 30, must be a whole number from 31 to 3650$/,
    ],
    [
      ['bar-test', '--bank', 'tbank-cafe'],
      /^bar-test is a test site, which needs no bank: npm run -s token -- bar-test --env-file FILE$/,
    ],
    [['__proto__', '--bank', 'tbank-cafe'], /^nothing is changed:\nsites\.__proto__: must be another name$/],
    [['bar', '--bank', 'constructor'], /^--bank is constructor, must be one of the configuration /],
    [
      ['bar', '--bank', 'tbank-cafe', '--cash-register', 'constructor'],
      /^--cash-register is constructor, must be one of the configuration \(none\), or new: --new-cash-register$/,
    ],
    [
      ['bar', '--bank', 'tbank-cafe', '--new-cash-register', 'atol'],
      /^--cash-register is not given, must be the name of the credentials$/,
    ],
    [
      ['bar', '--bank', 'tbank-cafe', '--cash-register', 'a', '--new-cash-register', 'atol'],
      /^nothing is changed:\ncashRegisters\.a\.login: must be /,
    ],
    [['a/b', '--bank', 'tbank-cafe'], /^exactly one siteId is required/],
    [['bar', '--bank', 'tochka-main'], /^nothing is changed:\nsites\.bar\.merchantId: /],
    [
      ['bar', '--bank', 'tbank-cafe', '--field', 'merchant=1'],
      /^nothing is changed:\nsites\.bar: merchant is unknown$/,
    ],
    [['bar', '--bank', 'tbank-cafe', '--field', 'secret'], /^--field must be a name, = and a value/],
    [
      ['bar', '--bank', 'tbank-cafe', '--new-bank', 'tbank', '--bank-field', 'terminalKey=Another'],
      /^--bank is tbank-cafe, which is of cafe too: terminalKey cannot be changed here/,
    ],
    [
      ['bar', '--bank', 'x', '--new-bank', 'tbank', '--bank-secret', 'password=/nowhere'],
      /^--bank-secret password: \/nowhere has no text that can be read$/,
    ],
    [
      ['bar', '--bank', 'x', '--new-bank', 'tbank', '--bank-field', 'ca=root.pem'],
      /^nothing is changed:\nbanks\.x\.ca: must be the absolute path of a file of certificates$/,
    ],
  ])('%j', async (args, expected) => {
    const at = await surroundings({ now: Date.now() })
    const config = join(at.directory, 'connector.json')
    const before = JSON.stringify(at.config)
    writeFileSync(config, before)
    mkdirSync(join(at.directory, 'data'))
    const { code, errors, tokens } = await run(at, [
      ...args,
      ...['--config', config, '--data', join(at.directory, 'data')],
    ])
    expect([code, errors, tokens]).toEqual([1, expect.stringMatching(expected), []])
    expect(readFileSync(config, 'utf8')).toBe(before)
  })

  it.runIf(isRoot)(
    'where root does not know the user of the connector, whose directory is not there',
    async () => {
      const at = await surroundings({ now: Date.now() })
      const [config, data] = [join(at.directory, 'connector.json'), join(at.directory, 'data')]
      writeFileSync(config, JSON.stringify(at.config))
      const { code, errors } = await run(at, [
        ...['bar', '--bank', 'tbank-cafe', '--config', config, '--data', data],
      ])
      expect([code, errors]).toEqual([
        1,
        `--data is ${data}, must be there, because its owner reads the secrets: install -d -o fps-connector -g fps-connector -m 700 ${data}`,
      ])
      expect([existsSync(data), existsSync(join(at.directory, 'secrets'))]).toEqual([false, false])
    },
  )

  it('and names all options that are missing, at once', async () => {
    const { code, errors } = await run(await surroundings({ now: Date.now() }), ['bar'])
    const missing = errors.split('\n').map((line) => /^(--\w+ [A-Z]+) is not given, must be /.exec(line)?.[1])
    expect([code, missing]).toEqual([1, ['--bank NAME', '--config FILE', '--data DIR']])
  })

  it('and takes its entry back where the running connector refuses it', async () => {
    const { at, connector, config, onboard } = await running()
    await register(at, 'cafe')
    const taken = readFileSync(config, 'utf8')
    // Of the connector's environment this command knows nothing: the entry is good here, and the file is not there.
    const sites = { ...at.config.sites, pub: { token: { env: 'PUB_TOKEN' }, bank: 'tbank-cafe' } }
    const other = JSON.stringify({ ...at.config, sites })
    writeFileSync(config, other)
    const { code, errors, tokens } = await onboard('bar', '--bank', 'tbank-cafe')
    expect([code, tokens]).toEqual([1, []])
    expect(errors).toContain('the running connector refuses it, and it is taken back:\nsites.pub.token: ')
    expect([readFileSync(config, 'utf8'), taken === other]).toEqual([other, false])
    await register(at, 'cafe')
    expect(connector.child.exitCode).toBeNull()
  })
})
