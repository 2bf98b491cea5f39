// npm run onboard -- <siteId> --bank NAME …: takes a merchant on: tokens, the connector's configuration, a reload, a check.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import * as z from 'zod'
import { BANKS } from '../../connector/banks/banks.ts'
import { REGISTERS } from '../../connector/cash-registers/registers.ts'
import { reloadRunning } from '../../connector/commands/reload.ts'
import { hasDatabase, lockDirectory } from '../../connector/disk/database.ts'
import { command } from '../command.ts'
import { mint } from '../mint-token.ts'
import { readEnvFile } from '../options.ts'
import { tokenSecret } from '../token-secret.ts'
import {
  type Document,
  faultsOf,
  formatDocument,
  readDocument,
  secretFileOf,
  tokenFileOf,
  withSite,
} from './entry.ts'
import { correctSecrets, makeSecretsDirectory, replaceFile, secretsOf, writeSecret } from './files.ts'
import {
  addressLines,
  keyLines,
  labelOf,
  makeTokens,
  merchantKeysOf,
  tokenLines,
  withKeys,
} from './merchant.ts'
import { readWanted, type Wanted } from './options.ts'
import { keptToken } from './site-token.ts'

const USAGE = `npm run onboard -- <siteId> --bank NAME --config FILE --data DIR [options]

Makes the tokens of a site and its entry in the connector's configuration, has the running connector read it, checks the site, and
prints what the merchant gets. It is safe to repeat: a token that is good stays, and none is printed twice.

  --bank NAME             the credentials of the site's bank, a name of banks in the configuration
  --config FILE           the configuration of the connector
  --data DIR              the directory of the connector
  --env-file FILE         the settings of the service, which have TOKEN_SECRET and PUBLIC_URL
  --name TEXT             shown to payers where a code has no purpose
  --field NAME=VALUE      a field of the site that its bank needs, such as merchantId; true, false and a list in JSON are no text
  --days N                the lifetime of tokens, 31 to 3650, by default 365
  --new-token             makes tokens for the merchant also where it has some
  --register              sets the webhook at a bank that has a call for it

New credentials, or a change of them:
  --new-bank KIND         ${BANKS.map(({ kind }) => kind).join(', ')}
  --bank-field NAME=VALUE a field of them, such as terminalKey
  --bank-secret NAME=FILE a secret field, read from FILE; - is the standard input

A cash register, which makes the receipts of the site:
  --cash-register NAME    its credentials, a name of cashRegisters in the configuration
  --new-cash-register KIND
                          ${REGISTERS.map(({ kind }) => kind).join(', ')}
  --cash-register-field NAME=VALUE
                          a field of them, such as inn
  --cash-register-secret NAME=FILE
                          a secret field, such as password`

await command(USAGE, async () => {
  const wanted = readWanted()
  const config = resolve(wanted.config)
  const { secret } = tokenSecret(wanted.envFile)
  readDocument(config)
  const secrets = secretsOf(config)
  makeSecretsDirectory(secrets, wanted.data)
  const lock = lockOf(secrets)
  try {
    correctSecrets(secrets, wanted.data)
    await writeEntry(wanted, { config, secrets, secret })
    if (!isChecked(wanted, config)) {
      console.log(`\n${wanted.siteId} does not work yet: correct what fails, and repeat this command`)
      process.exitCode = 1
      return
    }
    await handOver(wanted, { config, secret })
    if (wanted.cashRegister) console.log(`\n${statingLine(wanted, config)}`)
  } finally {
    lock.close()
  }
})

/** The service checks receipts against what the operator states of the register. */
function statingLine(wanted: Wanted, config: string): string {
  const { document } = readDocument(config)
  const path = `/operator/v1/sites/${wanted.siteId}/cashRegister`
  return `state the cash register to the service, where you have not yet: PUT ${addressOf(wanted, document)}${path}`
}

interface Place {
  config: string
  secrets: string
  secret: string
}

/** One command at a time changes the configuration. */
function lockOf(secrets: string) {
  try {
    return lockDirectory(secrets)
  } catch {
    throw new Error('another npm run onboard is at work on this configuration')
  }
}

/** Writes the secrets, then the entry, and has the connector read it. Where it does not, the entry is taken back. */
async function writeEntry(wanted: Wanted, { config, secrets, secret }: Place): Promise<void> {
  const { siteId, days, data } = wanted
  const { text: before, document } = readDocument(config)
  const token = tokenFileOf(document, wanted, secrets)
  const planned = new Map<string, string>()
  const kept = await keptToken(token, siteId, secret)
  if (kept === undefined) {
    const made = await mint(secret, { siteId, scope: 'network', days, label: labelOf(siteId, 'connector') })
    planned.set(token, made.token)
  }
  const { bank, credentials, cashRegister } = wanted
  for (const [field, source] of Object.entries(credentials.secrets))
    planned.set(secretFileOf('banks', bank, field, secrets), secretIn('bank', field, source))
  for (const [field, source] of Object.entries(cashRegister?.credentials.secrets ?? {})) {
    const file = secretFileOf('cashRegisters', cashRegister?.name ?? '', field, secrets)
    planned.set(file, secretIn('cash-register', field, source))
  }
  const next = formatDocument(withSite(document, wanted, { token, secrets }))
  const known = faultsOf(before, new Map())
  const faults = faultsOf(next, planned).filter((fault) => !known.includes(fault))
  if (faults.length > 0) throw new Error(`nothing is changed:\n${faults.join('\n')}`)
  for (const [path, text] of planned) {
    writeSecret(path, text, data)
    console.log(`written: ${path}`)
  }
  if (next !== before) replaceFile(config, next)
  console.log(next === before ? `unchanged: ${config}` : `written: ${config}`)
  await reload(wanted, () => replaceFile(config, before))
}

/** @throws Error where the connector refuses the configuration, after it was taken back */
async function reload({ data }: Wanted, takeBack: () => void): Promise<void> {
  const faults = await reloadRunning(data)
  if (!faults) console.log(`no connector runs on ${data}: it reads the configuration when it starts`)
  else if (faults.length === 0) console.log('the running connector has taken it')
  else {
    takeBack()
    throw new Error(`the running connector refuses it, and it is taken back:\n${faults.join('\n')}`)
  }
}

/** @throws Error naming the field, and never the secret */
function secretIn(option: string, field: string, source: string): string {
  try {
    const text = readFileSync(source === '-' ? 0 : source, 'utf8').trim()
    if (text !== '') return text
  } catch {}
  throw new Error(
    `--${option}-secret ${field}: ${source === '-' ? 'the standard input' : source} has no text that can be read`,
  )
}

/** What `check` of the connector says of the site; a person reads it. */
function isChecked({ siteId, data, register }: Wanted, config: string): boolean {
  const options = ['--site', siteId, '--config', config]
  // Before the first run there is no disk to read.
  if (hasDatabase(data)) options.push('--data', resolve(data))
  const { status } = spawnSync(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      connectorMain(),
      'check',
      ...options,
      ...(register ? ['--register'] : []),
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  return status === 0
}

/** The connector's command line: of a checkout, or, where this is a command of a release, beside it. */
function connectorMain(): string {
  const main = join(import.meta.dirname, '../../connector/main.ts')
  return existsSync(main) ? main : join(import.meta.dirname, 'connector.js')
}

/** Prints what the merchant gets. The keys are on disk before their tokens are printed, so none is printed twice. */
async function handOver(wanted: Wanted, { config, secret }: Omit<Place, 'secrets'>): Promise<void> {
  const { siteId, days, isNewToken } = wanted
  const { document } = readDocument(config)
  const keys = merchantKeysOf(document, siteId)
  const lines = addressLines(addressOf(wanted, document), siteId)
  if (keys.length > 0 && !isNewToken) {
    print([
      `\nThe merchant of ${siteId} has:`,
      ...lines,
      ...keyLines(keys),
      'its tokens were printed when they were made; --new-token makes others',
    ])
    return
  }
  const tokens = await makeTokens(secret, siteId, days)
  replaceFile(config, formatDocument(withKeys(document, siteId, tokens)))
  // The connector warns before these tokens end.
  await reloadRunning(wanted.data)
  print([
    `\nGive the merchant of ${siteId}, by a safe way; the tokens are not shown again:`,
    ...lines,
    ...tokenLines(tokens),
  ])
  if (keys.length > 0)
    print(['', 'the keys of before stay good until they end, or are revoked:', ...keyLines(keys)])
}

function print(lines: readonly string[]): void {
  console.log(lines.join('\n'))
}

/** The address of the service, as merchants reach it. */
function addressOf({ envFile }: Wanted, document: Document): string {
  const settings = envFile !== undefined && existsSync(envFile) ? parseEnv(readEnvFile(envFile)) : {}
  return settings.PUBLIC_URL || z.string().parse(document.service)
}
