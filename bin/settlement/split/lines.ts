// The parts of a registry that has a line for each operation: the bank's own lines, byte for byte.
import type { Entry } from '../../../src/settlement/formats/entry.ts'
import type { SettlementBank } from '../../../src/settlement/sources.ts'
import { ENCODINGS, LAYOUTS } from './layouts.ts'
import { terminalOf } from './owners.ts'

/** The bytes of each site's part, and how many operations are in none. */
export interface Parts {
  files: Map<string, Uint8Array>
  leftOut: number
}

const LINE_BREAK = 10

/**
 * Operations with cards and of other products are in the part of the site that their terminal is of: the one that is named for it,
 * else the only one that has entries of it. Otherwise they are left out.
 * @param siteOf of the entries of the file; one that is not there is left out
 */
export function linePartsOf(
  bytes: Uint8Array,
  bank: Exclude<SettlementBank, 'tochka'>,
  { entries, siteOf, siteOfTerminal }: Owned,
): Parts {
  const raw = linesOf(bytes)
  const decoder = new TextDecoder(ENCODINGS[bank])
  const texts = raw.map((line) => decoder.decode(line).replace(/\r?\n?$/, ''))
  const { head, end, terminalOf: terminalIn, totalOf } = LAYOUTS[bank](texts)
  const entryOf = new Map(entries.map((entry) => [entry.line - 1, entry]))
  const terminals = sitesOfTerminals(siteOf, siteOfTerminal)
  const lines = new Map<string, number[]>()
  let leftOut = 0
  for (let at = head; at < end; at++) {
    const entry = entryOf.get(at)
    const site = entry ? siteOf.get(entry) : terminals.get(terminalIn(texts[at] ?? ''))
    if (site === undefined) leftOut++
    else (lines.get(site) ?? lines.set(site, []).get(site))?.push(at)
  }
  const lineBreak = Uint8Array.of(...(raw[0]?.at(-2) === 13 ? [13, LINE_BREAK] : [LINE_BREAK]))
  const ended = (line: Uint8Array) => (line.at(-1) === LINE_BREAK ? [line] : [line, lineBreak])
  const fileOf = (numbers: readonly number[]): Uint8Array => {
    const own = numbers.map((at) => texts[at] ?? '')
    const total = totalOf ? [encoded(totalOf(own), ENCODINGS[bank]), lineBreak] : []
    const chosen = [...raw.slice(0, head), ...numbers.map((at) => raw[at] ?? new Uint8Array())]
    return joined([...chosen.flatMap(ended), ...total])
  }
  return { files: new Map([...lines].map(([site, numbers]) => [site, fileOf(numbers)])), leftOut }
}

/** The entries of a file, and whose they are. */
export interface Owned {
  entries: readonly Entry[]
  siteOf: ReadonlyMap<Entry, string>
  siteOfTerminal: ReadonlyMap<string, string>
}

function sitesOfTerminals(
  siteOf: ReadonlyMap<Entry, string>,
  named: ReadonlyMap<string, string>,
): Map<string, string> {
  const having = new Map<string, Set<string>>()
  for (const [entry, site] of siteOf) {
    const terminal = terminalOf(entry)
    if (terminal !== undefined) having.set(terminal, (having.get(terminal) ?? new Set()).add(site))
  }
  const alone = [...having].flatMap(([terminal, [site, ...others]]): [string, string][] =>
    site !== undefined && others.length === 0 ? [[terminal, site]] : [],
  )
  return new Map([...alone, ...named])
}

/** The lines with what ends them. */
function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(LINE_BREAK, at)
    const end = found === -1 ? bytes.length : found + 1
    lines.push(bytes.subarray(at, end))
    at = end
  }
  return lines
}

/** In windows-1251 a total has ASCII and the letters from А to я alone. */
function encoded(text: string, encoding: 'windows-1251' | 'utf-8'): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(text)
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x80 ? code : code - 0x410 + 0xc0
  })
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
