// Reads the payment network's member list in the format in which it is published.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Bank, BankList } from '../../src/fps/bank.ts'

const TIMEOUT_MS = 30_000

/** A bank that pages can show, and where its logo is published. */
export interface Member {
  bank: Bank
  logo: URL | undefined
}

/** Reads the list. @param from a URL or a file @throws Error where it is no list, or has no usable bank */
export async function readMembers(from: string): Promise<Member[]> {
  const isUrl = /^https?:\/\//.test(from)
  const base = isUrl ? from : pathToFileURL(resolve(from)).href
  const list: unknown = JSON.parse(isUrl ? await fetched(from) : await readFile(from, 'utf8'))
  const entries = dictionaryOf(list)
  const members = entries.flatMap((entry) => {
    // The schema is the one by which the service reads the list: what it would skip is left out.
    const [bank] = BankList.safeParse({ dictionary: [entry] }).data ?? []
    return bank ? [{ bank, logo: logoOf(entry, base) }] : []
  })
  if (members.length === 0) throw new Error(`${from} has no usable bank`)
  return members
}

async function fetched(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`${url} answers ${response.status}, must answer 200`)
  return response.text()
}

function dictionaryOf(list: unknown): unknown[] {
  const dictionary = typeof list === 'object' && list !== null && 'dictionary' in list && list.dictionary
  if (!Array.isArray(dictionary)) throw new Error('the list has no dictionary, must have an array')
  return dictionary
}

/** Relative to the list, where it is so published. */
function logoOf(entry: unknown, base: string): URL | undefined {
  const url = typeof entry === 'object' && entry !== null && 'logoURL' in entry ? entry.logoURL : undefined
  return typeof url === 'string' && url !== '' ? (URL.parse(url, base) ?? undefined) : undefined
}
