// The configuration of the connector with a site and its credentials in it: what changes, and whether it may.
import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import * as z from 'zod'
import { BANKS } from '../../connector/banks/banks.ts'
import { ConfigFaults, readConfig } from '../../connector/config/config.ts'
import type { Wanted } from './options.ts'

const Fields = z.record(z.string(), z.unknown())
/** By name, and only what the file has: a site can be called `constructor`. */
const Entries = z.record(z.string(), Fields).transform((entries) => {
  Object.setPrototypeOf(entries, null)
  return entries
})
const Document = z.looseObject({ banks: Entries, sites: Entries })
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

export const secretFileOf = ({ bank }: Wanted, field: string, secrets: string): string =>
  join(secrets, `bank.${bank}.${field}`)

/** @throws Error where the credentials are not there and are not to be made, or other sites have them and they are to change */
export function withSite(
  document: Document,
  wanted: Wanted,
  files: { token: string; secrets: string },
): Document {
  const { siteId, bank, name, fields, credentials } = wanted
  const before = document.banks[bank]
  if (!before && credentials.kind === undefined) {
    const names = Object.keys(document.banks).join(', ') || 'none'
    throw new Error(`--bank is ${bank}, must be one of the configuration (${names}), or new: --new-bank`)
  }
  const secretFields = Object.keys(credentials.secrets).map((field) => [
    field,
    { file: secretFileOf(wanted, field, files.secrets) },
  ])
  const kind = credentials.kind === undefined ? {} : { bank: credentials.kind }
  if (before) refuseChange(document, wanted)
  const site = document.sites[siteId]
  // The fields of a site are of its bank: those of another bank stay behind.
  const { token: _, bank: earlier, name: shown, merchantKeys, ...own } = site ?? {}
  return {
    ...document,
    banks: {
      ...document.banks,
      [bank]: { ...kind, ...before, ...kind, ...credentials.fields, ...Object.fromEntries(secretFields) },
    },
    sites: {
      ...document.sites,
      [siteId]: {
        ...{ token: { file: files.token }, bank },
        ...(name === undefined ? (shown === undefined ? {} : { name: shown }) : { name }),
        ...(earlier === bank ? own : {}),
        ...fields,
        ...(merchantKeys === undefined ? {} : { merchantKeys }),
      },
    },
  }
}

/** Sites that work are not to fail for one that is taken on. */
function refuseChange({ banks, sites }: Document, { siteId, bank, credentials }: Wanted): void {
  const others = Object.keys(sites).filter((each) => each !== siteId && sites[each]?.bank === bank)
  if (others.length === 0) return
  const given = {
    ...(credentials.kind === undefined ? {} : { bank: credentials.kind }),
    ...credentials.fields,
  }
  const changed = Object.entries(given).filter(([field, value]) => banks[bank]?.[field] !== value)
  const names = [...changed.map(([field]) => field), ...Object.keys(credentials.secrets)]
  if (names.length === 0) return
  throw new Error(
    `--bank is ${bank}, which is of ${others.slice(0, 3).join(', ')} too: ${names.join(', ')} cannot be changed here, must be another name`,
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
    })
    return []
  } catch (error) {
    if (error instanceof ConfigFaults) return error.faults
    throw error
  }
}
