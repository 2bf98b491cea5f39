// A fake bank behind TLS, with certificates of an authority that nobody trusts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type Certified, certify, type Wanted } from '../support/private-ca.ts'
import { tlsFront } from '../support/tls-front.ts'
import { afterwards } from './harness.ts'

/** The address of the fake banks. */
export const HOSTS = 'IP:127.0.0.1,DNS:localhost'

/** Made once for the tests of a file. */
export function makeChains() {
  const directory = mkdtempSync(join(tmpdir(), 'chains-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  const make = (wanted: Wanted) => certify(directory, wanted)
  const root = make({ name: 'Корневой УЦ', isAuthority: true })
  const sub = make({ name: 'Sub CA', issuer: root, isAuthority: true })
  const leaf = make({ name: 'bank', issuer: sub, hosts: HOSTS })
  const wrongHost = make({ name: 'bank', issuer: sub, hosts: 'DNS:other.example' })
  const expired = make({ name: 'bank', issuer: sub, hosts: HOSTS, to: '2021-01-01' })
  const otherRoot = make({ name: 'Other Root', isAuthority: true })
  const ofOther = make({ name: 'bank', issuer: otherRoot, hosts: HOSTS })
  const expiredRoot = make({ name: 'Old Root', isAuthority: true, to: '2021-01-01' })
  return { directory, make, root, sub, leaf, wrongHost, expired, otherRoot, ofOther, expiredRoot }
}

/** What a test changes of the credentials. */
interface Entry {
  baseUrl: string
  ca?: string
}

/** Moves a bank behind TLS: its entry has the address there. @param name of the credentials @param chain see `tlsFront` */
export async function behindTls(
  { config }: { config: { banks: Record<string, Entry> } },
  name: string,
  ...chain: Certified[]
) {
  const entry = config.banks[name]
  if (!entry) throw new Error(`no credentials ${name}`)
  const { origin } = new URL(entry.baseUrl)
  const front = await tlsFront(origin, ...chain)
  afterwards(front.close)
  entry.baseUrl = entry.baseUrl.replace(origin, `https://127.0.0.1:${front.port}`)
  return { front, entry }
}
