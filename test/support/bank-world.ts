// The world that histories share: a site and a bank for each, one service and one connector, time that passes, an operator, and what is
// wrong in the end.
import { passTo } from './bank-crashes.ts'
import { type BankDeployment, type BankDeploymentOptions, bankDeployment } from './bank-deployment.ts'
import { type History, processedBy } from './bank-history.ts'
import { FakeTBank } from './banks/tbank.ts'
import type { BindingHistory } from './binding-history.ts'
import { byLedger, type Held, settleHeld } from './held.ts'
import type { TestBank } from './test-banks.ts'

/** How many histories act at the same time. */
const IN_FLIGHT = 24
/** What is not done by then is tried again after that, in hours. */
export const RETRY_HOURS = 1.2
/** So far back `reconcile` looks. */
const RECONCILED_DAYS = 5

type BankOf = (name: string, now: () => number, index: number) => TestBank
type AnyHistory = History | BindingHistory

/**
 * Everything, running, with a clock that is set.
 * @param banks by the name of each history: site `x` is `sitex`, and its bank `bankx`
 */
export async function worldDeployment(
  banks: readonly (readonly [name: string, BankOf])[],
  { sites, ...options }: BankDeploymentOptions = {},
): Promise<BankDeployment> {
  const deployment = await bankDeployment({
    ...options,
    sites: { ...Object.fromEntries(banks.map(([name]) => [`site${name}`, `bank${name}`])), ...sites },
    moreBanks: (now) => banks.map(([name, bankOf], i) => bankOf(`bank${name}`, now, 1_000 + i)),
    hasClock: true,
  })
  for (const { fake, name } of deployment.banks.all)
    if (fake instanceof FakeTBank) fake.terminalUrl = `${deployment.config.publicUrl}/webhooks/${name}`
  return deployment
}

/** What is wrong after a history. */
export interface Outcome {
  history: AnyHistory
  problems: string[]
  /** How many payments a bank had no way to tell of. */
  untold: number
}

export class BankWorld {
  readonly deployment: BankDeployment
  /** The histories without bound accounts, and those with them. */
  readonly shops: readonly History[]
  readonly clubs: readonly BindingHistory[]
  /** How many refunds and charges the operator has decided. */
  settled = 0
  #hours = 0

  constructor(
    deployment: BankDeployment,
    { shops = [], clubs = [] }: { shops?: readonly History[]; clubs?: readonly BindingHistory[] },
  ) {
    this.deployment = deployment
    this.shops = shops
    this.clubs = clubs
  }

  get all(): AnyHistory[] {
    return [...this.shops, ...this.clubs]
  }

  /** Sets the clock further by so many hours, while everything runs. */
  advance(more: number): void {
    this.#hours += more
    this.deployment.setClock(this.#hours)
  }

  /** So many hours pass, and then everything that is due is done. */
  async pass(more: number): Promise<void> {
    this.#hours += more
    await passTo(this.deployment, this.#hours)
  }

  /** All banks are well for ever. */
  heal(): Promise<void> {
    return inParallel(this.all, (each) => each.heal())
  }

  /** The operator decides by the banks' own databases, until nothing is held. @param look is shown what is held */
  async decideHeld(look: (held: Held) => void = () => {}): Promise<void> {
    const commands = this.deployment.connector.commands()
    for (let decided = -1; decided !== 0; ) {
      decided = await settleHeld(this.deployment, commands, (held) => {
        look(held)
        const club = this.clubs.find(({ siteId }) => siteId === held.site)
        return club?.decision(held) ?? byLedger(this.deployment, held)
      })
      this.settled += decided
      if (decided > 0) await this.pass(RETRY_HOURS)
    }
    commands.end()
  }

  /** What is wrong now that everything is at rest, of each history. */
  async outcomes(): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    // `reconcile` finds what the connector has lost: it is no excuse for losing it.
    const before = new Map<History, Awaited<ReturnType<History['told']>>>()
    await inParallel(this.shops, async (shop) => void before.set(shop, await shop.told()))
    if (before.size > 0) {
      const { output } = await this.deployment.connector.reconcile(RECONCILED_DAYS)
      const processed = processedBy(this.deployment)
      for (const [history, heard] of before) {
        const untold = history.untold(heard, output, processed)
        outcomes.push({ history, problems: history.problems(heard, untold), untold: untold.length })
      }
    }
    for (const history of this.clubs)
      outcomes.push({ history, problems: await history.problems(), untold: 0 })
    return outcomes
  }

  /** What happened in each history after which something is wrong, for a person. */
  async failures(): Promise<string[]> {
    return (await this.outcomes()).flatMap(({ history, problems }) => told(history, problems))
  }
}

/** A history with its problems; nothing where there are none. */
export const told = (history: AnyHistory, problems: readonly string[]): string[] =>
  problems.length === 0 ? [] : [[history, ...problems].join('\nPROBLEM ')]

export async function inParallel<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  const rest = values.values()
  const worker = async () => {
    for (const value of rest) await work(value)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
}
