// Random histories of receipts at cash registers that misbehave, with crashes and restores: no register has two documents of one payment.
import { expect, it } from 'vitest'
import { worldDeployment } from '../support/bank-world.ts'
import { TestAtol } from '../support/cash-registers/test-atol.ts'
import { TestRaiffeisenRegister } from '../support/cash-registers/test-raiffeisen.ts'
import { TestTBankRegister } from '../support/cash-registers/test-tbank.ts'
import { hasClock } from '../support/clock.ts'
import { randomOf } from '../support/random.ts'
import { EVENTS, ReceiptBatch } from '../support/receipt-batch.ts'
import { ReceiptHistory } from '../support/receipt-history.ts'
import { raiffeisenBank, type TestBank, tbankBank, tochkaBank } from '../support/test-banks.ts'
import type { TestRegister } from '../support/test-registers.ts'

/** How many histories; those of a batch share one service and one connector, their clock and their crashes. */
const HISTORIES = Number(process.env.HISTORIES ?? 50)
const SEED = Number(process.env.SEED ?? 1)
const BATCH = Number(process.env.BATCH ?? 50)

interface Kind {
  bankOf: (name: string, now: () => number, index: number) => TestBank
  /** The bank's own cash register; without one it has ATOL Online beside it. */
  ownRegister?: (bank: TestBank) => TestRegister
}
const ofTBank = { bankOf: tbankBank, ownRegister: (bank: TestBank) => new TestTBankRegister(bank) }
const ofRaiffeisen = {
  bankOf: raiffeisenBank,
  ownRegister: (bank: TestBank) => new TestRaiffeisenRegister(bank),
}
/** With `REGISTERS=all` the seed of a history chooses among all registers, else among banks with ATOL beside them. */
const hasAll = process.env.REGISTERS === 'all'
const WITH_ATOL: readonly [Kind, ...Kind[]] = [
  { bankOf: tochkaBank },
  { bankOf: tbankBank },
  { bankOf: raiffeisenBank },
]
const WITH_ALL: readonly [Kind, ...Kind[]] = [
  { bankOf: tochkaBank },
  ofTBank,
  ofRaiffeisen,
  { bankOf: tbankBank },
  ofTBank,
  ofRaiffeisen,
  { bankOf: raiffeisenBank },
]
const KINDS = hasAll ? WITH_ALL : WITH_ATOL

it.runIf(hasClock)(
  `in ${HISTORIES} random histories each payment and refund has one registered document, or its failure or hold is named`,
  { timeout: 480_000 + HISTORIES * 30_000 },
  async () => {
    for (let first = SEED; first < SEED + HISTORIES; first += BATCH) {
      const seeds = Array.from({ length: Math.min(BATCH, SEED + HISTORIES - first) }, (_, i) => first + i)
      const batch = await receiptBatch(seeds)
      await batch.open()
      const random = randomOf(first)
      const events = EVENTS.toSorted(() => random.below(3) - 1)
      for (const opening of [0, 1]) await batch.round(opening, undefined)
      for (const [index, event] of events.entries()) await batch.round(2 + index, event)
      await batch.rest()
      const failures = await batch.failures()
      const counts = await countsOf(batch)
      const run = `SEED=${first} HISTORIES=${seeds.length} BATCH=${BATCH}`
      console.log(`${run}: ${failures.length} failures; ${JSON.stringify(counts)}`)
      expect(failures.join('\n\n'), run).toBe('')
      await batch.deployment.service.verify()
      await batch.deployment.end()
      // A run that meets no fault proves nothing.
      if (seeds.length < 50) continue
      for (const [kind, { sales, refunds, failed, held, troubles }] of Object.entries(counts))
        expect([kind, sales, refunds, failed, held, troubles]).not.toContain(0)
      expect(Object.keys(counts)).toHaveLength(hasAll ? 3 : 1)
    }
  },
)

/** Each history has a site, a bank and a cash register of its own. */
async function receiptBatch(seeds: readonly number[]): Promise<ReceiptBatch> {
  const sites = seeds.map((seed) => ({
    ...{ seed, siteId: `site${seed}` },
    ...(KINDS[seed % KINDS.length] ?? KINDS[0]),
  }))
  const atols = new Map<string, TestAtol>()
  const deployment = await worldDeployment(
    sites.map(({ seed, bankOf }) => [`${seed}`, bankOf] as const),
    {
      registers(now) {
        for (const { seed, siteId, ownRegister } of sites)
          if (!ownRegister) atols.set(siteId, new TestAtol(`register${seed}`, now))
        return Object.fromEntries(atols)
      },
      withBankRegister: sites.filter(({ ownRegister }) => ownRegister).map(({ siteId }) => siteId),
    },
  )
  for (const { fake, name } of atols.values())
    fake.callbackUrl = `${deployment.config.publicUrl}/webhooks/receipts/${name}`
  const histories = sites.map(({ seed, siteId, ownRegister }) => {
    const register = ownRegister?.(deployment.bankOf(siteId)) ?? atols.get(siteId)
    if (!register) throw new Error(`${siteId} has no cash register`)
    return new ReceiptHistory(deployment, { siteId, seed, register })
  })
  return new ReceiptBatch(deployment, histories, seeds[0] ?? 0)
}

/** What there is in the end, of all histories with a kind of register. */
async function countsOf({ histories }: ReceiptBatch): Promise<Record<string, Record<string, number>>> {
  const counts: Record<string, Record<string, number>> = {}
  for (const history of histories) {
    const { kind } = history.register.stated
    const all = { ...counts[kind] }
    for (const [name, count] of Object.entries(await history.counts())) all[name] = (all[name] ?? 0) + count
    counts[kind] = all
  }
  return counts
}
