import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

process.env.TOKEN_SECRET ??= 'a secret for the tests alone, of 32 characters and more'

// Tests start the same programs many times: Node keeps what it has compiled.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node')

/** A test that only reads the files of the repository. */
const SOURCES = 'test/architecture.test.ts'
/** Tests that need a process of their own: they start the real build, and kill it. */
const SERVICE = ['test/service/**/*.test.ts', 'test/client/*.test.ts']
/** Tests of what a developer pastes: the client, the examples in other languages, the guides. They start the real build too. */
const CLIENT = ['client/test/**/*.test.ts', 'test/examples/**/*.test.ts']
/** Tests of the production build on this machine, and of its faults: `npm run test:selfhost`. */
const SELFHOST = 'test/selfhost/**/*.test.ts'
/** Tests of the connector, which is a program of Node. */
const CONNECTOR = 'test/connector/**/*.test.ts'
/** Tests that need a browser besides: `npm run test:browser`. */
const BROWSER = 'test/browser/**/*.test.ts'
/** Tests that need LibreOffice or an emulator besides, which nothing else needs: `npm run test:weekly`. The gate leaves them out. */
const WEEKLY = 'test/weekly/**/*.test.ts'
/** Tests of the modules for shops, with the shops: `npm run test:shops`. */
const SHOPS = 'test/shops/**/*.test.ts'
/** Minutes or hours of everything: `npm run soak`. */
const SOAK = 'test/soak/**/*.test.ts'

/** What a test waits for on a slow machine takes longer than the second that vitest allows by default. */
const PATIENT = { poll: { timeout: 30_000 } }

/** Tests that wait for processes most of the time: more of them run than there are cores, and in a group of their own. */
const WAITING = {
  isolate: false,
  maxWorkers: 2 * availableParallelism(),
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: PATIENT,
}

/** Tests that start programs wait for them: one file more than there are cores runs at a time. */
const STARTING = { maxWorkers: availableParallelism() + 1 }

/** Files that take longest, of each project. Without durations of an earlier run Vitest begins with the largest files, and these are short. */
const LONG = [
  ...['service/deploy', 'service/start', 'service/connector', 'service/state-lock', 'service/notifications'],
  ...['service/durability', 'service/test-sites-model', 'service/documents', 'service/start-refusals'],
  ...['service/sharing', 'service/wrangler-dev', 'service/long-polls', 'service/bench'],
  ...['examples/guides', 'examples/client', 'examples/python'],
  ...['connector/disk-age', 'connector/commands', 'connector/charge-kill', 'connector/refunds'],
  ...['connector/charges', 'connector/reconciliation', 'connector/onboard', 'connector/kill'],
  // `release` waits for the release that `install` makes.
  ...['selfhost/install', 'selfhost/cluster-faults', 'selfhost/binding-histories', 'selfhost/bank-histories'],
  ...['selfhost/release', 'selfhost/cluster-supervised', 'selfhost/bank-model', 'selfhost/cluster-data'],
  ...['selfhost/interrupted', 'selfhost/faults', 'selfhost/cluster', 'selfhost/fuzz', 'selfhost/restart'],
  ...['shops/vendure/money', 'shops/vendure/faults', 'shops/vendure/kill', 'shops/vendure/settings'],
  ...['browser/screens', 'browser/console-pages', 'browser/docs', 'browser/layout', 'browser/console'],
].map((name) => `/test/${name}.test.ts`)

/** Long files begin first, in the order of the list, so that no core is without work at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONG.findIndex((file) => moduleId.endsWith(file))
      return index === -1 ? LONG.length : index
    }
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    silent: 'passed-only',
    // Of the property tests in workerd: another one finds what this one does not. A failure prints it. BASKETS: how many receipts, and changed files of banks.
    provide: { seed: Number(process.env.SEED ?? 1), baskets: Number(process.env.BASKETS ?? 1000) },
    // By default one core stays idle, and on two that is half of the machine.
    maxWorkers: '100%',
    sequence: { sequencer: LongFirst },
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            // Where a test does not say otherwise, a deletion cannot be undone.
            miniflare: { bindings: { DELETION_DAYS: '0' } },
          }),
        ],
        test: {
          name: 'workerd',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...SERVICE,
            ...CLIENT,
            SELFHOST,
            BROWSER,
            SHOPS,
            WEEKLY,
            CONNECTOR,
            SOAK,
            SOURCES,
            '**/node_modules/**',
          ],
          // A workerd and the modules it loads serve many files: starting them for each file would take as long as the tests.
          isolate: false,
          setupFiles: ['test/support/clean-up.ts', 'test/support/property-seed.ts'],
          // No test waits that long: a slow machine may, a hang still ends.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: PATIENT,
        },
      },
      { test: { name: 'sources', include: [SOURCES] } },
      {
        test: {
          name: 'service',
          include: SERVICE,
          globalSetup: 'test/support/build.ts',
          sequence: { groupOrder: 1 },
          ...WAITING,
        },
      },
      {
        test: {
          name: 'client',
          include: CLIENT,
          globalSetup: ['test/support/build.ts', 'test/support/client-package.ts'],
          sequence: { groupOrder: 2 },
          ...WAITING,
        },
      },
      {
        test: {
          name: 'connector',
          include: [CONNECTOR],
          globalSetup: 'test/support/bundled-commands.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: PATIENT,
          sequence: { groupOrder: 3 },
          ...STARTING,
        },
      },
      {
        test: {
          name: 'selfhost',
          include: [SELFHOST],
          globalSetup: ['test/support/distribution.ts', 'test/support/bundled-commands.ts'],
          testTimeout: 240_000,
          hookTimeout: 120_000,
          expect: PATIENT,
          sequence: { groupOrder: 4 },
          ...STARTING,
        },
      },
      {
        test: {
          name: 'soak',
          include: [SOAK],
          globalSetup: ['test/support/distribution.ts', 'test/support/bundled-commands.ts'],
          hookTimeout: 120_000,
          expect: PATIENT,
        },
      },
      {
        test: {
          name: 'browser',
          include: [BROWSER],
          globalSetup: [
            'test/support/browser-services.ts',
            'test/support/bundled-commands.ts',
            'test/support/client-package.ts',
          ],
          testTimeout: 240_000,
          hookTimeout: 120_000,
          expect: PATIENT,
          sequence: { groupOrder: 5 },
          ...STARTING,
        },
      },
      {
        test: {
          name: 'shops',
          include: [SHOPS],
          // Each shop has one of its own.
          globalSetup: ['test/support/build.ts', ...globSync('test/shops/*/setup.ts')],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: PATIENT,
          sequence: { groupOrder: 6 },
          ...STARTING,
        },
      },
      {
        test: {
          name: 'weekly',
          include: [WEEKLY],
          globalSetup: 'test/support/build.ts',
          // The release takes minutes to make.
          testTimeout: 900_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
