// The parts of Tochka's registry: its groups, each with the payments of one site.
import { type Json, JsonNumber, type JsonObject, JsonReader } from '../../../src/settlement/formats/json.ts'
import { kopecksIn, roubles } from '../../../src/settlement/formats/money.ts'
import type { Owned, Parts } from './lines.ts'

/** A group of the registry, and its payments with their numbers in the file. */
interface Group {
  members: JsonObject
  payments: { line: number; members: JsonObject }[]
}

/** What no site has, and what is not by FPS, is another product's, and left out: the registry has no terminals. */
export function tochkaPartsOf(text: string, { entries, siteOf }: Owned): Parts {
  const siteOfLine = new Map(entries.map((entry) => [entry.line, siteOf.get(entry)]))
  const groups = groupsOf(text)
  const all = groups.flatMap(({ payments }) => payments)
  const files = new Map<string, Uint8Array>()
  for (const site of new Set(siteOf.values())) {
    const own = groups.flatMap((group) => {
      const payments = group.payments.filter(({ line }) => siteOfLine.get(line) === site)
      return payments.length === 0 ? [] : [groupWith(group, payments)]
    })
    const root = new Map([['Data', new Map([['Registry', own]])]])
    files.set(site, new TextEncoder().encode(`${written(root)}\n`))
  }
  return { files, leftOut: all.filter(({ line }) => siteOfLine.get(line) === undefined).length }
}

/** The group with some of its payments. The network's number is that of a payment only where the group always was that payment. */
function groupWith({ members, payments: before }: Group, payments: Group['payments']): JsonObject {
  const sum = payments.reduce((all, each) => all + amountOf(each.members), 0)
  const isWhole = payments.length === before.length
  return new Map(
    [...members].flatMap(([key, value]): [string, Json][] => {
      if (key === 'payments') return [[key, payments.map((each) => each.members)]]
      if (key === 'totalAmount') return [[key, new JsonNumber(roubles(sum))]]
      return key === 'paymentId' && !isWhole ? [] : [[key, value]]
    }),
  )
}

function amountOf(members: JsonObject): number {
  const amount = members.get('amount')
  return amount instanceof JsonNumber ? (kopecksIn(amount.digits, 'point or stripped') ?? 0) : 0
}

function groupsOf(text: string): Group[] {
  const groups: Group[] = []
  let payments: Group['payments'] = []
  let line = 0
  const reader = new JsonReader(
    (path) => path[1] === 'Registry' && (path.length === 3 || (path.length === 5 && path[3] === 'payments')),
    ({ path, value }) => {
      if (path.length === 5) payments.push({ line: ++line, members: value })
      else {
        groups.push({ members: value, payments })
        payments = []
      }
    },
  )
  reader.push(text)
  reader.end()
  return groups
}

/** JSON with the digits of its numbers. */
function written(value: Json): string {
  if (value instanceof JsonNumber) return value.digits
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`
  if (value instanceof Map)
    return `{${[...value].map(([key, each]) => `${JSON.stringify(key)}:${written(each)}`).join(',')}}`
  return JSON.stringify(value)
}
