// The commands of the documents, and those that no test runs as they stand.
import { readFileSync } from 'node:fs'

/** The blocks of commands of a document, in their order. */
export const blocksOf = (document: string): string[] =>
  Array.from(
    readFileSync(document, 'utf8').matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm),
    ([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )

/** How a block begins that is not run, and why. */
export const NOT_RUN: readonly (readonly [begins: string, why: string])[] = [
  ['npm ci\n', 'it installs what runs this test; bench/stopwatch.ts runs it in a clone, and npm start too'],
  ['npm start\n', 'test/service/start.test.ts runs it'],
  [
    'export NETWORK_SECRET="whsec_$(openssl rand -base64 32)"\nNETWORK_TOKENS=',
    'test/service/connector.test.ts runs this connector',
  ],
  [
    'npx wrangler login\n',
    'it needs an account; test/service/deploy.test.ts deploys as far as one can without',
  ],
  ['npm ci && npm run build\n', 'test/selfhost/serve.test.ts builds and serves'],
  ['NOTIFICATION_KEYS=whsec_', 'test/service/documents.test.ts starts this receiver, by the README'],
  ['npm run backup -- ', 'its directories are a server’s; test/selfhost/backup.test.ts runs it'],
]

export const isRun = (block: string): boolean => !NOT_RUN.some(([begins]) => block.startsWith(begins))
