// Bundles the commands of a release, for Node: one file for each, and what several of them share.
import { readFileSync } from 'node:fs'
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
  token: 'bin/token.ts',
  'console-link': 'bin/console-link.ts',
}

/** A text of a checkout that names a command, as `npm run -s sites -- list`. */
const NPM_RUN = new RegExp(`npm run (?:-s )?(${Object.keys(SOURCES).join('|')})\\b(?: --(?= |$))?`, 'gm')

/** The texts of the commands name `fps-qr` instead of npm. */
const NAMES: Plugin = {
  name: 'names of the commands',
  setup({ onLoad }) {
    onLoad({ filter: /\/(bin|connector)\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(NPM_RUN, 'fps-qr $1'),
      loader: 'ts',
    }))
  },
}

/**
 * Writes the commands into a directory.
 * @param commit of the sources
 * @returns the files that the bundles are made of, relative to the checkout
 * @throws Error of the bundler
 */
export async function bundleCommands(directory: string, commit: string): Promise<string[]> {
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
    define: { FPS_QR_COMMIT: JSON.stringify(commit) },
    plugins: [NAMES],
    metafile: true,
    logLevel: 'error',
  })
  return Object.keys(metafile.inputs)
}
