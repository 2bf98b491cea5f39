// The parts of the bench, in the order in which they start, and what each needs besides the project's packages.
import { existsSync, statfsSync } from 'node:fs'
import { program } from '../test/support/program.ts'
import { CHROMIUM } from './chromium.ts'
import type { Entry } from './runner.ts'

const haproxy = () => void program('haproxy', 'haproxy')
const git = () => void program('git', 'git')

function chromium(): void {
  if (!existsSync(CHROMIUM))
    throw new Error(`CHROMIUM is ${CHROMIUM}, must be a browser: apt-get install chromium-headless-shell`)
}

/** The site, its backup, and what retention rewrites. */
function room(directory: string, gigabytes: number): void {
  const { bavail, bsize } = statfsSync(directory)
  const free = (bavail * bsize) / 1e9
  const least = 3 * gigabytes
  if (free < least) throw new Error(`${directory} has ${free.toFixed(1)} GB free, must have ${least}`)
}

/** Each is loaded when it runs, because the peers may have to be installed first. */
export const PARTS = {
  // It waits most of the time: where two parts run at once, it begins.
  cluster: { load: async () => (await import('./cluster.ts')).cluster, needs: [haproxy, git], isBuilt: true },
  http: { load: async () => (await import('./http.ts')).http },
  'fair-share': { load: async () => (await import('./fair-share.ts')).fairShare },
  pictures: { load: async () => (await import('./pictures.ts')).pictures },
  'long-polls': { load: async () => (await import('./long-polls.ts')).longPolls },
  notifications: { load: async () => (await import('./notifications.ts')).notifications },
  receipts: { load: async () => (await import('./receipts.ts')).receipts },
  settlement: { load: async () => (await import('./settlement.ts')).settlement, isBuilt: true },
  banks: { load: async () => (await import('./banks.ts')).banks },
  growth: { load: async () => (await import('./growth.ts')).growth },
  printed: { load: async () => (await import('./printed.ts')).printed },
  pages: { load: async () => (await import('./pages.ts')).pages, needs: [chromium], isBuilt: true },
  selfhost: { load: async () => (await import('./selfhost.ts')).selfhost, isBuilt: true },
  answers: { load: async () => (await import('./answers.ts')).answers },
  operator: { load: async () => (await import('./operator.ts')).operator },
  console: { load: async () => (await import('./console.ts')).consolePages },
  startup: { load: async () => (await import('./startup.ts')).startup },
  cold: { load: async () => (await import('./cold.ts')).cold, needs: [room], isBuilt: true },
} satisfies Record<string, Entry>
