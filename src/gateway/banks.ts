// The list of banks that the deployment names (BANKS_URL): fetched once an hour and cached; the payer's page does not wait for it.
import { logLine } from '../contract/log-line.ts'
import { type Bank, BankList, madeAtOf } from '../fps/bank.ts'
import type { Platform } from './context.ts'

const TIMEOUT_MS = 5000
const MAX_BYTES = 1024 * 1024
const CACHE_MS = 60 * 60_000
const CACHE_AFTER_FAILURE_MS = 60_000
/** Banks come, go and change their apps: a list that is older leads some payers nowhere. */
const OLD_DAYS = 30
const DAY_MS = 86_400_000

type BanksPlatform = Pick<Platform, 'asset' | 'fetchConnector' | 'now' | 'waitUntil' | 'log' | 'metrics'> & {
  config: Pick<Platform['config'], 'banksUrl'>
}

interface Banks {
  /** Whether there is a list; true while the first fetch runs. Does not wait. */
  isOffered(): boolean
  /** The list; empty if none is configured, or if it was never readable. */
  list(): Promise<readonly Bank[]>
}

/** The deployment's banks. The last list that could be read stays until a newer one can. */
export function bankList(platform: BanksPlatform): Banks {
  const { now, waitUntil, log } = platform
  const { banksUrl } = platform.config
  let known: readonly Bank[] | undefined
  let freshUntil = 0
  let fetching: Promise<void> | undefined

  async function refresh(url: string): Promise<void> {
    try {
      const { banks, madeAt } = await fetchBanks(url, platform)
      known = banks
      freshUntil = now() + CACHE_MS
      sayAge(madeAt)
    } catch (error) {
      known ??= []
      freshUntil = now() + CACHE_AFTER_FAILURE_MS
      log(logLine(now(), 'notice', 'BANKS_URL gave no list of banks', { fault: String(error) }))
    }
    fetching = undefined
  }

  /** @param madeAt Unix milliseconds, where the list says when it was made */
  function sayAge(madeAt: number | undefined): void {
    if (platform.metrics) platform.metrics.banksMadeAt = madeAt
    const days = madeAt === undefined ? 0 : Math.floor((now() - madeAt) / DAY_MS)
    if (days > OLD_DAYS) {
      log(logLine(now(), 'notice', `the list of banks is ${days} days old: npm run banks makes a new one`))
    }
  }

  function refreshIfOld(): void {
    if (banksUrl === undefined || fetching || now() < freshUntil) return
    fetching = refresh(banksUrl)
    waitUntil(fetching)
  }

  return {
    isOffered() {
      refreshIfOld()
      return banksUrl !== undefined && known?.length !== 0
    },
    async list() {
      refreshIfOld()
      if (!known) await fetching
      return known ?? []
    },
  }
}

async function fetchBanks(
  url: string,
  { asset, fetchConnector }: BanksPlatform,
): Promise<{ banks: readonly Bank[]; madeAt: number | undefined }> {
  const response = url.startsWith('/')
    ? await asset(url)
    : await fetchConnector(new Request(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }))
  if (!response.ok) throw new Error(`the answer is ${response.status}`)
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`the list has more than ${MAX_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  const list: unknown = JSON.parse(text)
  const { data, error } = BankList.safeParse(list)
  if (data) return { banks: data, madeAt: madeAtOf(list) }
  throw new Error(error.issues.map(({ message }) => message).join('; '))
}
