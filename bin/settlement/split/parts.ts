// Makes the parts of a registry, and checks each by reading it: a part says of its operations what the whole file says.
import { isDeepStrictEqual } from 'node:util'
import { faultLines } from '../../../src/settlement/faults.ts'
import { type Entry, type Parse, type Summary, Unreadable } from '../../../src/settlement/formats/entry.ts'
import type { SettlementBank } from '../../../src/settlement/sources.ts'
import { linePartsOf, type Owned, type Parts } from './lines.ts'
import { tochkaPartsOf } from './tochka.ts'

/** What a file says. */
export interface Contents {
  entries: Entry[]
  summary: Summary
}

/** @throws Unreadable, TooLarge */
export async function contentsOf(parse: Parse, bytes: Uint8Array): Promise<Contents> {
  const entries: Entry[] = []
  const batches = parse(onePiece(bytes))
  let next = await batches.next()
  for (; !next.done; next = await batches.next()) entries.push(...next.value)
  return { entries, summary: next.value }
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/**
 * The part of each site that has entries of the file. The same file and owners make the same bytes.
 * @throws Error where a part does not say the same
 */
export async function partsOf(
  bytes: Uint8Array,
  { bank, parse }: { bank: SettlementBank; parse: Parse },
  owned: Owned,
): Promise<Parts> {
  const parts =
    bank === 'tochka'
      ? tochkaPartsOf(new TextDecoder().decode(bytes), owned)
      : linePartsOf(bytes, bank, owned)
  const expected = Map.groupBy(
    owned.entries.filter((entry) => owned.siteOf.has(entry)),
    (entry) => owned.siteOf.get(entry) ?? '',
  )
  for (const [site, part] of parts.files) {
    const { entries } = await readPart(parse, part, site)
    if (!isDeepStrictEqual(entries.map(withoutLine), (expected.get(site) ?? []).map(withoutLine)))
      throw new Error(`the file cannot be split: the part of ${site} does not say what the file says`)
  }
  // A site with operations of other products alone has nothing to import.
  const files = new Map([...parts.files].filter(([site]) => expected.has(site)))
  return { ...parts, files }
}

const withoutLine = ({ line: _, ...entry }: Entry) => entry

async function readPart(parse: Parse, part: Uint8Array, site: string): Promise<Contents> {
  try {
    return await contentsOf(parse, part)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw new Error([`the file cannot be split: the part of ${site}`, ...faultLines(error.faults)].join('\n'))
  }
}
