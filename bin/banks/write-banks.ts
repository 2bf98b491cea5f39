// Writes the list of banks and their logos into a directory of static files.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logo } from '../../src/contract/settings.ts'
import type { Bank } from '../../src/fps/bank.ts'
import { fetchLogo, logoProblemText, pictureOf } from '../../src/gateway/logo.ts'
import type { Member } from './members.ts'

const EXTENSIONS: Record<string, string> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' }
const AT_ONCE = 8

/** How many banks the list has, and which of them are without a logo, and why. */
interface Written {
  banks: number
  withoutLogo: readonly (readonly [name: string, problem: string])[]
}

/**
 * Writes `banks.json` last, and in one step, so that it never names a file that is not there. The names of logos have
 * their hashes: they never change, and logos of an earlier list are removed.
 */
export async function writeBanks(members: readonly Member[], to: string, now: Date): Promise<Written> {
  const folder = join(to, 'banks')
  mkdirSync(folder, { recursive: true })
  const withoutLogo: [string, string][] = []
  const dictionary: object[] = new Array(members.length)
  const files = new Set<string>()
  const work = members.entries()
  const worker = async () => {
    for (const [i, { bank, logo }] of work) {
      const found = logo ? await pictureAt(logo) : { problem: 'the list names none' }
      let path: string | undefined
      if ('problem' in found) withoutLogo.push([bank.name, found.problem])
      else {
        const { hash, mediaType, content } = found.logo
        const file = `${bank.scheme}-${hash.slice(0, 12)}.${EXTENSIONS[mediaType]}`
        writeFileSync(join(folder, file), content)
        files.add(file)
        path = `/banks/${file}`
      }
      dictionary[i] = entryOf(bank, path)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const list = join(to, 'banks.json')
  const made = { version: '1.0', madeOn: now.toISOString(), dictionary }
  writeFileSync(`${list}.new`, `${JSON.stringify(made, undefined, 2)}\n`)
  renameSync(`${list}.new`, list)
  for (const file of readdirSync(folder)) {
    if (/^bank\d{12}-/.test(file) && !files.has(file)) rmSync(join(folder, file))
  }
  return { banks: members.length, withoutLogo }
}

/** The picture at a URL, within the limits of a shop's logo. */
async function pictureAt(url: URL): Promise<{ logo: Logo } | { problem: string }> {
  if (url.protocol === 'file:') {
    const content = await readFile(fileURLToPath(url.href)).catch(() => undefined)
    return content
      ? inWords(pictureOf(new Uint8Array(content)))
      : { problem: `there is no file ${url.pathname}` }
  }
  return inWords(await fetchLogo({ fetch }, url.href))
}

const inWords = (found: ReturnType<typeof pictureOf>) =>
  'problem' in found ? { problem: logoProblemText(found.problem) } : found

/** In the member list's format. */
const entryOf = ({ name, scheme, package: app, webClientUrl, webClientUrlSub }: Bank, logoURL?: string) => ({
  bankName: name,
  schema: scheme,
  ...(logoURL && { logoURL }),
  ...(app && { package_name: app }),
  ...((webClientUrl || webClientUrlSub) && { webClientUrl, webClientUrlSub, isWebClientActive: true }),
})
