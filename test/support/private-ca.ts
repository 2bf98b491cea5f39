// Certificates of an authority that nobody trusts, made by openssl for one test: no key outlives it.
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from './program.ts'

export interface Certified {
  /** PEM. */
  certificate: string
  key: string
  /** The path of the certificate. */
  file: string
  keyFile: string
}

export interface Wanted {
  /** The common name; empty: none at all. */
  name: string
  /** Without one it signs itself. */
  issuer?: Certified
  /** Whether it can be the issuer of others. */
  isAuthority?: boolean
  /** As openssl writes them: `IP:127.0.0.1`. */
  hosts?: string
  /** Dates such as 2020-01-01. By default it is valid for a century. */
  from?: string
  to?: string
}

/** `openssl ca` alone takes dates in every version. */
const CONFIGURATION = `[ca]
default_ca = one
[one]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
unique_subject = no
policy = any
[any]
commonName = optional
`

/** Makes a certificate in a directory of the test. */
export function certify(
  directory: string,
  { name, issuer, isAuthority = false, hosts, from = '2020-01-01', to = '2120-01-01' }: Wanted,
): Certified {
  const path = (file: string) => join(directory, file)
  writeFileSync(path('ca.cnf'), CONFIGURATION)
  writeFileSync(path('index.txt'), '', { flag: 'a' })
  const id = randomUUID()
  const [file, keyFile] = [path(`${id}.pem`), path(`${id}.key`)]
  const extensions = [
    `basicConstraints = critical,CA:${isAuthority ? 'TRUE' : 'FALSE'}`,
    ...(hosts === undefined ? [] : [`subjectAltName = ${hosts}`]),
  ]
  writeFileSync(path(`${id}.ext`), `${extensions.join('\n')}\n`)
  openssl(directory, [
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-utf8'],
    ...['-keyout', keyFile, '-subj', name === '' ? '/' : `/CN=${name}`, '-out', `${id}.csr`],
  ])
  const signer = issuer
    ? ['-cert', issuer.file, '-keyfile', issuer.keyFile]
    : ['-selfsign', '-keyfile', keyFile]
  openssl(directory, [
    ...['ca', '-config', 'ca.cnf', '-batch', '-notext', ...signer, '-in', `${id}.csr`, '-out', file],
    ...['-extfile', `${id}.ext`, '-startdate', timeOf(from), '-enddate', timeOf(to)],
  ])
  return { certificate: readFileSync(file, 'utf8'), key: readFileSync(keyFile, 'utf8'), file, keyFile }
}

/** Runs openssl. @returns what it prints */
export function openssl(directory: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program('openssl', 'openssl'), args, {
    cwd: directory,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}`)
  return stdout
}

const timeOf = (day: string): string => `${day.replaceAll('-', '')}000000Z`
