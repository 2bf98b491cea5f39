// Bundles the commands of a release, for Node: one file for each, and what several of them share.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const root = join(import.meta.dirname, '../..')

/** The source of each command, by the name that `deploy/fps-qr` runs. */
const SOURCES = {
  serve: 'bin/serve/serve.ts',
  connector: 'connector/main.ts',
  onboard: 'bin/onboard/onboard.ts',
  backup: 'bin/data/backup.ts',
  restore: 'bin/data/restore.ts',
  verify: 'bin/data/verify.ts',
  resume: 'bin/data/resume.ts',
  sites: 'bin/data/sites.ts',
  cluster: 'bin/data/cluster.ts',
  banks: 'bin/banks/banks.ts',
  settlement: 'bin/settlement/settlement.ts',
  token: 'bin/token.ts',
  'console-link': 'bin/console-link.ts',
}

/** A text of a checkout that names a command, as `npm run -s sites -- list`. */
const NPM_RUN = new RegExp(`npm run (?:-s )?(${Object.keys(SOURCES).join('|')})\\b(?: --(?= |$))?`, 'gm')

/** A text as a release has it: it names `fps-qr` instead of npm. */
const ofRelease = (text: string): string => text.replaceAll(NPM_RUN, 'fps-qr $1')

/** Renames the commands in the modules of the Worker, whose pages and log name them. @param directory of the modules */
export function renameInWorker(directory: string): void {
  for (const name of readdirSync(directory)) {
    const file = join(directory, name)
    writeFileSync(file, ofRelease(readFileSync(file, 'utf8')))
  }
}

const NAMES: Plugin = {
  name: 'names of the commands',
  setup({ onLoad }) {
    onLoad({ filter: /\/(bin|connector)\/.*\.ts$/ }, ({ path }) => ({
      contents: ofRelease(readFileSync(path, 'utf8')),
      loader: 'ts',
    }))
  },
}

/**
 * Writes the commands into a directory.
 * @param commit of the sources, for a release; without it they are those of the checkout, which name npm
 * @returns the files that the bundles are made of, relative to the checkout
 * @throws Error of the bundler
 */
export async function bundleCommands(directory: string, commit?: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: SOURCES,
    outdir: directory,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    charset: 'utf8',
    legalComments: 'none',
    chunkNames: '[name]-[hash]',
    ...(commit !== undefined && { define: { FPS_QR_COMMIT: JSON.stringify(commit) }, plugins: [NAMES] }),
    metafile: true,
    logLevel: 'error',
  })
  return Object.keys(metafile.inputs)
}
