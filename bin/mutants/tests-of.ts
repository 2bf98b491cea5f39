// Which tests are run against a mutant: those named like its file first, then all of its folder.
import { globSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** The folders whose files are mutated, with the project and the folders of their tests. */
export const FOLDERS: Readonly<
  Record<string, { sources: string; project: string; tests: readonly string[] }>
> = {
  contract: { sources: 'src/contract', project: 'workerd', tests: ['contract', 'api', 'docs'] },
  fps: { sources: 'src/fps', project: 'workerd', tests: ['fps', 'gateway', 'api'] },
  site: { sources: 'src/site', project: 'workerd', tests: ['site', 'api', 'registry'] },
  gateway: { sources: 'src/gateway', project: 'workerd', tests: ['gateway', 'http', 'api', 'web'] },
  http: { sources: 'src/http', project: 'workerd', tests: ['http', 'api', 'console'] },
  console: { sources: 'src/console', project: 'workerd', tests: ['console'] },
  settlement: { sources: 'src/settlement', project: 'workerd', tests: ['settlement'] },
  connector: { sources: 'connector', project: 'connector', tests: ['connector'] },
}

const stemOf = (path: string): string[] =>
  basename(path)
    .replace(/(\.test)?\.ts$/, '')
    .split('-')
    .map((word) => word.replace(/s$/, ''))

/** The two parts, of which the second is run where the first kills nothing. */
export function testsOf(folder: string, path: string): [named: string[], others: string[]] {
  const all = (FOLDERS[folder]?.tests ?? [])
    .flatMap((tests) => globSync(`test/${tests}/**/*.test.ts`))
    .toSorted()
  // Of its folder too: a bank, or a kind of work.
  const words = [...stemOf(path), ...stemOf(dirname(path))].filter(
    (word) => word.length > 2 && word !== folder,
  )
  const isNamed = (test: string) => stemOf(test).some((word) => words.includes(word))
  return [all.filter(isNamed), all.filter((test) => !isNamed(test))]
}
