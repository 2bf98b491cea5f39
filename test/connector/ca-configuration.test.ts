// `ca` in the configuration: its faults, what `check` and a reload make of it, and that cash registers have it too.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BANKS } from '../../connector/banks/banks.ts'
import { ConfigFaults, readConfig } from '../../connector/config/config.ts'
import { SOURCES } from '../../connector/config/fields.ts'
import { reload } from '../../connector/config/reload.ts'
import { FakeTochka } from '../support/banks/tochka.ts'
import { FakeTochkaPay } from '../support/banks/tochka-pay.ts'
import { openssl } from '../support/private-ca.ts'
import { behindTls, makeChains } from './behind-tls.ts'
import { configuration, registerData, type Surroundings, start, surroundings } from './harness.ts'
import { makeDisk, runCommand, startProcess } from './process.ts'
import { withBankRegisters } from './with-bank-registers.ts'
import { REGISTER, withRegister } from './with-register.ts'

const { directory, make, root, sub, leaf, otherRoot, ofOther, expiredRoot } = makeChains()
const GOOD = [leaf, sub]

/** A file of a test. */
function fileOf(text: string | Buffer): string {
  const path = join(directory, `${files++}.pem`)
  writeFileSync(path, text)
  return path
}
let files = 0

const registers = async (at: Surroundings) =>
  (await at.service.instruct('qrCode.register', registerData(at, 'farm'), at.clock.now)).status

/** The configuration of banks that need no certificate, with `ca` in one of them. */
function faultsOf(ca: unknown, baseUrl = 'https://127.0.0.1:1/api'): readonly string[] {
  const nowhere = 'https://127.0.0.1:1'
  const urls = {
    service: nowhere,
    tochka: nowhere,
    tbank: nowhere,
    raiffeisen: nowhere,
    tochkaPay: nowhere,
  }
  const { config, env } = configuration(urls, new FakeTochka(), new FakeTochkaPay())
  Object.assign(config.banks['raif-farm'], { ca, baseUrl })
  try {
    readConfig(JSON.stringify(config), BANKS, { ...SOURCES, env })
    return []
  } catch (error) {
    if (error instanceof ConfigFaults) return error.faults
    throw error
  }
}

describe('a `ca`', () => {
  it('can have several certificates, with text between them', () => {
    const text = `The root\n${root.certificate}\nAnd another\r\n${otherRoot.certificate.replaceAll('\n', '\r\n')}`
    expect(faultsOf(fileOf(text))).toEqual([])
  })

  const whole = root.certificate
  it.each<[string, () => unknown, RegExp]>([
    ['that is no text', () => 1, /must be the absolute path of a file of certificates$/],
    ['with a relative path', () => 'root.pem', /must be the absolute path of a file of certificates$/],
    ['without a file', () => join(directory, 'none.pem'), /the file cannot be read: ENOENT/],
    ['of a directory', () => directory, /the file cannot be read: EISDIR/],
    ['of an empty file', () => fileOf(''), /the file is empty$/],
    ['of a file with white space', () => fileOf(' \n\n'), /the file is empty$/],
    ['of a file without a certificate', () => fileOf('<html>404</html>'), /has no certificate in PEM$/],
    [
      'of a certificate in DER',
      () => {
        const der = join(directory, 'root.der')
        openssl(directory, ['x509', '-in', root.file, '-outform', 'der', '-out', der])
        return der
      },
      /has no certificate in PEM$/,
    ],
    ['of a file that is cut', () => fileOf(whole + whole.slice(0, 200)), /must have whole certificates/],
    ['of a file with a key', () => fileOf(whole + root.key), /must have .* and nothing else in PEM$/],
    [
      'of a file that is damaged',
      () => fileOf(whole + whole.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA')),
      /certificate 2 of the file cannot be read$/,
    ],
    [
      'of a server',
      () => fileOf(whole + leaf.certificate),
      /certificate 2 of the file, bank, is not of an authority, must have CA:TRUE$/,
    ],
    [
      'that has expired',
      () => fileOf(whole + expiredRoot.certificate),
      /certificate 2 of the file, Old Root, has expired on 2021-01-01$/,
    ],
  ])('%s is a fault', (_, made, expected) => {
    expect(faultsOf(made())).toEqual([
      expect.stringMatching(new RegExp(`^banks\\.raif-farm\\.ca: (?:the file )?.*${expected.source}`)),
    ])
  })

  it('of a bank whose address is not https is a fault', () =>
    expect(faultsOf(root.file, 'http://127.0.0.1:1/api')).toEqual([
      'banks.raif-farm.ca: must be left out: baseUrl is not https',
    ]))
})

/** The fingerprint as an operator reads it. */
const fingerprintOf = ({ file }: { file: string }) =>
  openssl(directory, ['x509', '-in', file, '-noout', '-fingerprint', '-sha256']).trim().replace(/^.*=/, '')

describe('check', () => {
  it('shows each certificate with the fingerprint of openssl, and warns before its end', async () => {
    const at = await surroundings({ now: Date.now() })
    const day = new Date(at.clock.now + 10 * 86_400_000).toISOString().slice(0, 10)
    const soon = make({ name: 'Soon CA', isAuthority: true, to: day })
    const { entry } = await behindTls(at, 'raif-farm', ...GOOD)
    entry.ca = fileOf(root.certificate + soon.certificate)
    makeDisk(at)
    const { lines } = await runCommand(at, 'check', '--site', 'farm')
    expect(lines).toContain(
      `ok   raif-farm: ca has Корневой УЦ, until 2120-01-01, SHA-256 ${fingerprintOf(root)}`,
    )
    expect(lines).toContain(`ok   raif-farm: ca has Soon CA, until ${day}, SHA-256 ${fingerprintOf(soon)}`)
    expect(lines).toContain(`warn raif-farm: the certificate Soon CA of ca ends on ${day}, in 9 days`)
    expect(lines).toContain('ok   raif-farm: the credentials work')
  })

  it('trusts what the process trusts besides', async () => {
    const at = await surroundings({ now: Date.now() })
    const { entry } = await behindTls(at, 'raif-farm', ofOther)
    entry.ca = root.file
    Object.assign(at.env, { NODE_EXTRA_CA_CERTS: otherRoot.file })
    makeDisk(at)
    const { lines } = await runCommand(at, 'check', '--site', 'farm')
    expect(lines).toContain('ok   raif-farm: the credentials work')
  })

  it('names host, issuer and `ca` where they are missing', async () => {
    const at = await surroundings({ now: Date.now() })
    const { front } = await behindTls(at, 'raif-farm', ...GOOD)
    makeDisk(at)
    const { code, lines } = await runCommand(at, 'check', '--site', 'farm')
    expect(code).toBe(1)
    expect(lines).toContain(
      'FAIL raif-farm: refund_status: the certificate of 127.0.0.1 does not verify: that of its issuer, Корневой УЦ, is missing: see banks.raif-farm.ca',
    )
    expect(front.received()).toBe(0)
  })
})

describe('a reload', () => {
  it('of a running connector reads the file again, and with a fault changes nothing', async () => {
    const at = await surroundings({ now: Date.now() })
    const { entry, front } = await behindTls(at, 'raif-farm', ofOther)
    const ca = fileOf(root.certificate)
    entry.ca = ca
    await startProcess(at)
    expect(await registers(at)).toBe(503)
    writeFileSync(ca, otherRoot.certificate)
    expect(await runCommand(at, 'reload')).toMatchObject({
      code: 0,
      lines: ['the configuration is in force'],
    })
    expect(await registers(at)).toBe(200)
    writeFileSync(ca, readFileSync(leaf.file))
    expect(await runCommand(at, 'reload')).toMatchObject({
      code: 1,
      lines: [
        'banks.raif-farm.ca: certificate 1 of the file, bank, is not of an authority, must have CA:TRUE',
      ],
    })
    expect(await registers(at)).toBe(200)
    expect(front.received()).toBeGreaterThan(0)
  })

  it('that takes `ca` away trusts its authority no more', async () => {
    const at = await surroundings()
    const { entry } = await behindTls(at, 'raif-farm', ...GOOD)
    entry.ca = root.file
    const { core } = await start(at)
    expect(await registers(at)).toBe(200)
    Reflect.deleteProperty(entry, 'ca')
    reload(core, () => readConfig(JSON.stringify(at.config), BANKS, { ...SOURCES, env: at.env }))
    expect(await registers(at)).toBe(503)
  })
})

it('a `ca` is of its bank alone: another one at the same host is not trusted', async () => {
  const at = await surroundings()
  const { entry } = await behindTls(at, 'raif-farm', ...GOOD)
  entry.ca = root.file
  await behindTls(at, 'tbank-cafe', ...GOOD)
  const { core } = await start(at)
  const found = await Promise.all(
    ['raif-farm', 'tbank-cafe'].map((name) => core.banks.get(name)?.bank.checkCredentials()),
  )
  expect(found.map((results) => results?.map(({ isGood }) => isGood))).toEqual([[true], [false]])
})

describe('a cash register', () => {
  it.each(['kassa-cafe', 'kassa-farm'])('of a bank has a `ca` of its own: %s', async (name) => {
    const at = await withBankRegisters()
    const { cashRegisters } = Object(at.config)
    const { front, entry } = await behindTls({ config: { banks: cashRegisters } }, name, ...GOOD)
    const checked = async () => {
      const { core, stop } = await start(at)
      const [result] = (await core.cashRegisters.get(name)?.register.checkCredentials()) ?? []
      await stop()
      return result
    }
    expect(await checked()).toMatchObject({
      isGood: false,
      text: expect.stringMatching(
        new RegExp(`its issuer, Корневой УЦ, is missing: see cashRegisters\\.${name}\\.ca$`),
      ),
    })
    expect(front.received()).toBe(0)
    entry.ca = root.file
    expect(await checked()).toMatchObject({ isGood: true })
  })

  it('of another company has it too', async () => {
    const at = await withRegister()
    const { cashRegisters } = Object(at.config)
    const { entry } = await behindTls({ config: { banks: cashRegisters } }, REGISTER, ...GOOD)
    entry.ca = root.file
    const { core } = await start(at)
    expect(await core.cashRegisters.get(REGISTER)?.register.checkCredentials()).toMatchObject([
      { isGood: true },
    ])
  })
})
