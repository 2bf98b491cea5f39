// The configuration of the connector with a site and its credentials in it: what changes, and whether it may.
import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { BANKS } from '../../connector/banks/banks.ts'
import { ConfigFaults, readConfig } from '../../connector/config/config.ts'
import type { Credentials, Wanted } from './options.ts'

const Fields = z.record(z.string(), z.unknown())
/** By name, and only what the file has: a site can be called `constructor`. */
const Entries = z.record(z.string(), Fields).transform((entries) => {
  Object.setPrototypeOf(entries, null)
  return entries
})
const Document = z.looseObject({ banks: Entries, cashRegisters: Entries.optional(), sites: Entries })
export type Document = z.output<typeof Document>

const SecretFile = z.object({ file: z.string() })

/** @throws Error where the file cannot be read, or is not a configuration at all */
export function readDocument(path: string): { text: string; document: Document } {
  const text = textOf(path)
  try {
    const value: object = JSON.parse(text)
    // In the order of the file.
    return { text, document: Object.assign(value, Document.parse(value)) }
  } catch {
    // The text is not quoted: it can have a secret.
    throw new Error(`--config is ${path}, must be a configuration of the connector, with banks and sites`)
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new Error(`--config is ${path}, which cannot be read: docs/banks.md says what it has`)
  }
}

export const formatDocument = (document: Document): string => `${JSON.stringify(document, undefined, 2)}\n`

/** The file of a site's token: that of its entry, else one beside the others. */
export function tokenFileOf(document: Document, { siteId }: Wanted, secrets: string): string {
  const { data } = SecretFile.safeParse(document.sites[siteId]?.token)
  return data && isAbsolute(data.file) ? data.file : join(secrets, `site.${siteId}.token`)
}

/** The two lists of credentials: their options, and how a site names one of them. */
const LISTS = {
  banks: { option: 'bank', kind: 'bank', site: 'bank' },
  cashRegisters: { option: 'cash-register', kind: 'kind', site: 'cashRegister' },
} as const
type List = keyof typeof LISTS

/** @param of the list and the name of the credentials */
export const secretFileOf = (list: List, name: string, field: string, secrets: string): string =>
  join(secrets, `${LISTS[list].option}.${name}.${field}`)

/** @throws Error where the credentials are not there and are not to be made, or other sites have them and they are to change */
export function withSite(
  document: Document,
  wanted: Wanted,
  files: { token: string; secrets: string },
): Document {
  const { siteId, bank, name, fields, credentials, cashRegister } = wanted
  const site = document.sites[siteId]
  // The fields of a site are of its bank: those of another bank stay behind.
  const { token: _, bank: earlier, name: shown, merchantKeys, cashRegister: before, ...own } = site ?? {}
  const register = cashRegister?.name ?? before
  return {
    ...document,
    banks: withCredentials(document, 'banks', { siteId, name: bank, credentials }, files),
    ...(cashRegister && {
      cashRegisters: withCredentials(document, 'cashRegisters', { siteId, ...cashRegister }, files),
    }),
    sites: {
      ...document.sites,
      [siteId]: {
        ...{ token: { file: files.token }, bank },
        ...(name === undefined ? (shown === undefined ? {} : { name: shown }) : { name }),
        ...(register === undefined ? {} : { cashRegister: register }),
        ...(earlier === bank ? own : {}),
        ...fields,
        ...(merchantKeys === undefined ? {} : { merchantKeys }),
      },
    },
  }
}

interface Named {
  siteId: string
  /** Of the credentials. */
  name: string
  credentials: Credentials
}

/** The list with the credentials in it. */
function withCredentials(
  document: Document,
  list: List,
  { siteId, name, credentials }: Named,
  { secrets }: { secrets: string },
): Record<string, Record<string, unknown>> {
  const { option, kind: word } = LISTS[list]
  const entries = document[list] ?? {}
  const before = Object.hasOwn(entries, name) ? entries[name] : undefined
  if (!before && credentials.kind === undefined) {
    const names = Object.keys(entries).join(', ') || 'none'
    throw new Error(
      `--${option} is ${name}, must be one of the configuration (${names}), or new: --new-${option}`,
    )
  }
  if (before) refuseChange(document, list, { siteId, name, credentials })
  const kind = credentials.kind === undefined ? {} : { [word]: credentials.kind }
  const files = Object.keys(credentials.secrets).map((field) => [
    field,
    { file: secretFileOf(list, name, field, secrets) },
  ])
  return {
    ...entries,
    [name]: { ...kind, ...before, ...kind, ...credentials.fields, ...Object.fromEntries(files) },
  }
}

/** Sites that work are not to fail for one that is taken on. */
function refuseChange(document: Document, list: List, { siteId, name, credentials }: Named): void {
  const { option, kind: word, site } = LISTS[list]
  const { sites } = document
  const others = Object.keys(sites).filter((each) => each !== siteId && sites[each]?.[site] === name)
  if (others.length === 0) return
  const given = {
    ...(credentials.kind === undefined ? {} : { [word]: credentials.kind }),
    ...credentials.fields,
  }
  const present = document[list]?.[name]
  const changed = Object.entries(given).filter(
    ([field, value]) => !isDeepStrictEqual(present?.[field], value),
  )
  const names = [...changed.map(([field]) => field), ...Object.keys(credentials.secrets)]
  if (names.length === 0) return
  throw new Error(
    `--${option} is ${name}, which is of ${others.slice(0, 3).join(', ')} too: ${names.join(', ')} cannot be changed here, must be another name`,
  )
}

/**
 * The faults of a configuration. Files that are not written yet are given.
 * @param planned texts by path
 */
export function faultsOf(text: string, planned: ReadonlyMap<string, string>): readonly string[] {
  try {
    readConfig(text, BANKS, {
      env: process.env,
      readFile: (path) => planned.get(path) ?? readFileSync(path, 'utf8'),
      now: Date.now,
    })
    return []
  } catch (error) {
    if (error instanceof ConfigFaults) return error.faults
    throw error
  }
}
