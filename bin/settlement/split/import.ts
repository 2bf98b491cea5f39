// Imports a file of a bank into the sites of a configuration: a statement whole, a registry in parts.
import { createHash } from 'node:crypto'
import { faultLines } from '../../../src/settlement/faults.ts'
import { type Bytes, type Entry, TooLarge, Unreadable } from '../../../src/settlement/formats/entry.ts'
import { parserOf } from '../../../src/settlement/formats/formats.ts'
import { piecesOf } from '../../../src/settlement/formats/lines.ts'
import { hasOtherProducts } from '../../../src/settlement/sources.ts'
import { UsageError } from '../../command.ts'
import { tokenSecret } from '../../token-secret.ts'
import type { Importing } from '../options.ts'
import { aligned } from '../report.ts'
import { type Target, targetIn } from './configuration.ts'
import { askedOwners } from './numbers.ts'
import { terminalOf } from './owners.ts'
import { contentsOf, partsOf } from './parts.ts'
import { SiteClient } from './service.ts'
import { type Done, unmatchedLines } from './unmatched.ts'

const MAX_LINES = 20

/** What became of the import: what is printed, what failed, and whether every entry matches. */
export interface Result {
  text: string
  errors: readonly string[]
  isMatched: boolean
}

/**
 * Imports the file. Nothing is sent before it is known where each entry goes.
 * @throws UsageError of an option; Error of the file, or where an entry has no site
 */
export async function importFile(options: Importing, content: Bytes): Promise<Result> {
  const target = wanted(() => targetIn(options.config, options.bank))
  const { secret } = wanted(() => tokenSecret(options.envFile))
  for (const site of options.siteOfTerminal.values())
    if (!target.sites.includes(site))
      throw new UsageError(`--site-of names ${site}, must be one of ${target.sites.join(', ')}`)
  const clients = await Promise.all(target.sites.map((site) => SiteClient.of(target.service, site, secret)))
  const bytes = await wholeOf(content)
  const { files, leftOut } =
    options.format === 'statement'
      ? { files: new Map([[onlySite(target, options), bytes]]), leftOut: 0 }
      : await registryParts(bytes, target, clients, options.siteOfTerminal)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const done: Done[] = []
  const errors: string[] = []
  for (const client of clients) {
    const part = files.get(client.siteId)
    if (!part) continue
    const settlementUid = partUidOf(sha256, client.siteId)
    try {
      const { bank } = target
      const imported = await client.import({
        settlementUid,
        bank,
        format: options.format,
        bytes: new Uint8Array(part),
        isPart: files.size > 1 || leftOut > 0,
      })
      done.push({ client, settlementUid, imported })
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error))
    }
  }
  const isMatched = done.every(({ imported: { mismatched, unknown } }) => mismatched + unknown === 0)
  const lines = [...tableOf(done, files.size), ...leftOutLines(leftOut)]
  try {
    lines.push(...(await unmatchedLines(done)))
  } catch (error) {
    errors.push(error instanceof Error ? error.message : String(error))
  }
  return { text: lines.map((line) => `${line}\n`).join(''), errors, isMatched }
}

/** The id of a site's part: the same file has the same one, so that a repeat imports nothing twice. @param sha256 of the file */
export const partUidOf = (sha256: string, siteId: string): string =>
  `file-${createHash('sha256').update(`${sha256}\n${siteId}`).digest('hex').slice(0, 32)}`

function wanted<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** A statement is of an account: only the site itself can say what in it is its own. */
function onlySite({ sites }: Target, { bank }: Importing): string {
  const [site, ...others] = sites
  if (site !== undefined && others.length === 0) return site
  throw new UsageError(
    `a statement is never split, and ${bank} is of ${sites.length} sites (${sites.join(', ')}): import it at the one whose account it is of`,
  )
}

async function registryParts(
  bytes: Uint8Array,
  { bank }: Target,
  clients: readonly SiteClient[],
  siteOfTerminal: ReadonlyMap<string, string>,
) {
  const parse = parserOf(bank, 'registry', { payoutAccounts: [] })
  const contents = await readable(() => contentsOf(parse, bytes))
  const { siteOf, left } = await askedOwners(contents, { clients, bank, siteOfTerminal })
  if (left.length > 0 && !hasOtherProducts(bank, 'registry')) throw new Error(withoutSite(left))
  return partsOf(bytes, { bank, parse }, { entries: contents.entries, siteOf, siteOfTerminal })
}

/** @throws Error with the faults of the file as text */
async function readable<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Unreadable) throw new Error(faultLines(error.faults).join('\n'))
    if (error instanceof TooLarge) throw new Error(error.message)
    throw error
  }
}

function withoutSite(left: readonly Entry[]): string {
  const shown = left.slice(0, MAX_LINES).map((entry) => {
    const terminal = terminalOf(entry)
    return `lines[${entry.line}] is of no site${terminal === undefined ? '' : `, terminal ${terminal}`}`
  })
  const more = left.length > MAX_LINES ? [`and ${left.length - MAX_LINES} more`] : []
  const terminals = [...new Set(left.flatMap((entry) => terminalOf(entry) ?? []))].toSorted()
  return [
    'nothing is imported: no site has the payment of each line',
    ...[...shown, ...more],
    `if these lines belong to a site, name it: ${terminals.map((each) => `--site-of ${each}=SITE`).join(' ')}`,
  ].join('\n')
}

async function wholeOf(content: Bytes): Promise<Uint8Array> {
  return readable(async () => {
    const pieces: Uint8Array[] = []
    for await (const piece of piecesOf(content)) pieces.push(piece.slice())
    return new Uint8Array(Buffer.concat(pieces))
  })
}

const COUNTS = ['entries', 'repeated', 'matched', 'mismatched', 'unknown', 'skipped'] as const

/** What was imported; nothing where each part was refused, which standard error says. @param parts of the file */
function tableOf(done: readonly Done[], parts: number): string[] {
  if (parts === 0) return ['no line is of a site: nothing is imported']
  if (done.length === 0) return []
  const rows = done.map(({ client, imported }) => [
    client.siteId,
    ...COUNTS.map((name) => String(imported[name])),
    imported.isReplayed ? 'imported before' : 'imported',
  ])
  return aligned([['site', ...COUNTS, ''], ...rows]).map((line) => line.trimEnd())
}

const leftOutLines = (leftOut: number): string[] =>
  leftOut === 0
    ? []
    : [`of no site: ${leftOut} operations with cards or of other products, which are left out`]
