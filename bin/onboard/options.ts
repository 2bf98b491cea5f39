// The options of `npm run onboard`.
import { isTestSiteId, SITE_ID } from '../../src/contract/site-id.ts'
import { parseOptions } from '../options.ts'

/** Connector and alert warn of a token this long before its end. */
const WARNED_DAYS = 30

type Fields = Record<string, unknown>

export interface Wanted {
  siteId: string
  /** The name of the credentials. */
  bank: string
  config: string
  data: string
  envFile: string | undefined
  /** Shown to payers. */
  name: string | undefined
  days: number
  /** Whether the merchant gets other tokens than those of before. */
  isNewToken: boolean
  /** Whether the webhook is set at the bank. */
  register: boolean
  /** The site's fields of its bank. */
  fields: Fields
  credentials: Credentials
  /** The site's cash register; undefined: it stays as it is. */
  cashRegister: { name: string; credentials: Credentials } | undefined
}

/** New credentials, or fields of theirs that change. */
export interface Credentials {
  kind: string | undefined
  fields: Fields
  secrets: Record<string, string>
}

/** @throws Error naming the option and its rule */
export function readWanted(): Wanted {
  const { values, positionals } = parseOptions({
    allowPositionals: true,
    options: {
      ...{ bank: { type: 'string' }, config: { type: 'string' }, data: { type: 'string' } },
      ...{ 'env-file': { type: 'string' }, days: { type: 'string', default: '365' } },
      ...{ name: { type: 'string' }, 'new-token': { type: 'boolean' }, register: { type: 'boolean' } },
      field: { type: 'string', multiple: true },
      'new-bank': { type: 'string' },
      'bank-field': { type: 'string', multiple: true },
      'bank-secret': { type: 'string', multiple: true },
      ...{ 'cash-register': { type: 'string' }, 'new-cash-register': { type: 'string' } },
      'cash-register-field': { type: 'string', multiple: true },
      'cash-register-secret': { type: 'string', multiple: true },
    },
  })
  const [siteId = '', ...rest] = positionals
  if (!SITE_ID.test(siteId) || rest.length > 0)
    throw new Error(
      'exactly one siteId is required, 1 to 64 of A-Z a-z 0-9 . _ -, as in npm run onboard -- tea',
    )
  if (isTestSiteId(siteId)) {
    throw new Error(
      `${siteId} is a test site, which needs no bank: npm run -s token -- ${siteId} --env-file FILE`,
    )
  }
  const days = Number(values.days)
  if (!Number.isInteger(days) || days <= WARNED_DAYS || days > 3650) {
    throw new Error(`--days is ${values.days}, must be a whole number from ${WARNED_DAYS + 1} to 3650`)
  }
  const { bank = '', config = '', data = '' } = values
  refuseMissing([
    ['--bank NAME', bank, 'the name of the credentials'],
    ['--config FILE', config, 'the configuration of the connector'],
    ['--data DIR', data, 'the directory of the connector'],
  ])
  return {
    siteId,
    bank,
    config,
    data,
    envFile: values['env-file'],
    name: values.name,
    days,
    isNewToken: values['new-token'] ?? false,
    register: values.register ?? false,
    fields: fieldsOf('field', values.field),
    credentials: {
      kind: values['new-bank'],
      fields: fieldsOf('bank-field', values['bank-field']),
      secrets: pairs('bank-secret', values['bank-secret']),
    },
    cashRegister: cashRegisterIn(values['cash-register'], {
      kind: values['new-cash-register'],
      fields: fieldsOf('cash-register-field', values['cash-register-field']),
      secrets: pairs('cash-register-secret', values['cash-register-secret']),
    }),
  }
}

/** @throws Error where credentials are given without a name */
function cashRegisterIn(name: string | undefined, credentials: Credentials): Wanted['cashRegister'] {
  if (name !== undefined) return { name, credentials }
  const { kind, fields, secrets } = credentials
  if (kind === undefined && Object.keys({ ...fields, ...secrets }).length === 0) return undefined
  throw new Error('--cash-register is not given, must be the name of the credentials')
}

/** @throws Error with a line for each that has no value */
function refuseMissing(options: readonly (readonly [option: string, value: string, rule: string])[]): void {
  const missing = options.filter(([, value]) => value === '')
  if (missing.length > 0)
    throw new Error(missing.map(([option, , rule]) => `${option} is not given, must be ${rule}`).join('\n'))
}

/** `true`, `false` and a list in JSON are what they say; everything else is text, digits too. */
function fieldsOf(option: string, texts?: readonly string[]): Fields {
  const entries = Object.entries(pairs(option, texts))
  return Object.fromEntries(entries.map(([name, text]) => [name, fieldValue(`--${option} ${name}`, text)]))
}

function fieldValue(option: string, text: string): unknown {
  if (!/^(true|false|\[.*\])$/s.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${option} must be a list in JSON, such as ["A","B"]`)
  }
}

/** `NAME=VALUE`, as often as it is given. */
function pairs(option: string, texts: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^([A-Za-z]+)=(.+)$/s.exec(text) ?? []
      // The text behind the name can be a secret.
      if (name === undefined || value === undefined)
        throw new Error(
          `--${option} must be a name, = and a value, such as --${option} merchantId=MF0000000001`,
        )
      return [name, value]
    }),
  )
}
