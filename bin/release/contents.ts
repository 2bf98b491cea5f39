// The third-party packages in a release: those in its bundles, their licences, and the list of them (CycloneDX).
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import * as z from 'zod'
import type { Runtime } from './runtimes.ts'

const root = join(import.meta.dirname, '../..')

/** A package in a bundle. */
interface Bundled {
  name: string
  version: string
  /** An SPDX identifier, such as MIT. */
  license: string
  directory: string
}

/** The packages of files, each once, in the order of their names. @throws Error where one has no package.json */
export function packagesOf(files: readonly string[]): Bundled[] {
  const directories = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])
  return [...new Set(directories)].toSorted().map((directory) => ({
    ...Named.parse(JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'))),
    directory: join(root, directory),
  }))
}

const Named = z.object({ name: z.string(), version: z.string(), license: z.string() })

/** Copies the licence of each package into a directory; of a package without the text, its name stands for it. */
export function copyLicenses(packages: readonly Bundled[], to: string): void {
  mkdirSync(to, { recursive: true })
  for (const { name, license, directory } of packages) {
    // A package can have a directory of them, with those of what it is made of.
    const files = readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && /^licen[cs]e/i.test(each.name))
      .map(({ parentPath, name: file }) => join(parentPath, file))
      .filter((file) => !relative(directory, file).includes('node_modules'))
      .toSorted()
    const text =
      files.length === 0 ? `${license}\n` : files.map((file) => readFileSync(file, 'utf8')).join('\n')
    writeFileSync(join(to, name.replaceAll('/', '-').replace('@', '')), text)
  }
}

const Component = z.looseObject({ 'bom-ref': z.string(), purl: z.string() })
const Bom = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ 'bom-ref': z.string() }) }),
  components: z.array(Component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()) })),
})

/** npm's list of all packages of a lock file. @throws Error of npm */
const bomOf = (directory: string) =>
  Bom.parse(
    JSON.parse(
      execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], {
        cwd: directory,
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ),
  )

/** The packages whose styles and scripts are in the pages of the documentation. */
const OF_DOCS = ['@astrojs/starlight', 'pagefind', '@pagefind/default-ui']

/** These packages, which the build of the documentation has installed. */
export const packagesOfDocs = (): Bundled[] =>
  packagesOf(OF_DOCS.map((name) => `bin/docs/site/node_modules/${name}/package.json`))

/**
 * Writes the list of what a release has: npm's own, without what is only needed to build, and with the programs. It has
 * neither time nor random identifier, so that two builds are equal.
 * @throws Error naming a package that npm does not list
 */
export function writeBom(file: string, packages: readonly Bundled[], runtimes: readonly Runtime[]): void {
  const bom = bomOf(root)
  const docs = bomOf(join(root, 'bin/docs/site'))
  const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`
  const listed = packages.map(({ name, version }) => {
    const found = bom.components.find(({ purl }) => purl === purlOf(name, version))
    if (!found) throw new Error(`npm sbom does not list ${name}@${version}`)
    return found
  })
  const ofDocs = docs.components.filter(({ purl }) =>
    OF_DOCS.some((name) => purl.startsWith(purlOf(name, ''))),
  )
  const programs = runtimes.map(({ name, package: of, version, integrity, license }) => ({
    'bom-ref': `${name}@${version}`,
    type: 'application',
    name,
    version,
    purl: purlOf(of, version),
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }],
    licenses: [{ license: { id: license } }],
  }))
  const { serialNumber: _, ...kept } = bom
  const components = [...new Set([...listed, ...ofDocs, ...programs])]
  const own = bom.metadata.component
  const written = {
    ...kept,
    metadata: { component: { ...own, type: 'application', name: 'fps-qr' } },
    components,
    dependencies: [{ ref: own['bom-ref'], dependsOn: components.map((each) => each['bom-ref']) }],
  }
  writeFileSync(file, `${JSON.stringify(written, undefined, 2)}\n`)
}
