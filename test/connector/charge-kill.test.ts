// kill -9 of the connector while it charges bound accounts, at a bank that loses answers: no account is charged twice.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { Misbehaviour } from '../support/banks/misbehaviour.ts'
import { hasClock, shiftedClock } from '../support/clock.ts'
import { randomOf } from '../support/random.ts'
import {
  type Bound,
  boundBy,
  chargeData,
  PRICE,
  RAIFFEISEN,
  registerToken,
  TBANK,
  TOCHKA_PAY,
} from './bound.ts'
import { HOUR, register, type Surroundings, surroundings } from './harness.ts'
import { type Process, startProcess, until } from './process.ts'

/** How many charges, and how often the connector is killed meanwhile. */
const CHARGES = Number(process.env.CHARGES ?? 40)
const KILLS = Number(process.env.KILLS ?? 2)
const SEED = Number(process.env.SEED ?? 1)
const CLIENTS = 8

it.runIf(hasClock).each([
  ['T-Bank', TBANK, false],
  ['Raiffeisenbank', RAIFFEISEN, true],
  ['Tochka Pay Gateway', TOCHKA_PAY, true],
])(
  `${CHARGES} charges at %s under ${KILLS} kills: each account is charged once at most, and each charge has its result or is held unmade`,
  async (name, bank, canHold) => {
    let ahead = 0
    const now = () => Date.now() + ahead * HOUR
    const at = await surroundings({
      get now() {
        return now()
      },
    })
    const clock = shiftedClock(at.directory)
    Object.assign(at.env, clock.settings)
    const setClock = (hours: number) => {
      ahead = hours
      clock.set(hours)
    }
    let running: Process = await startProcess(at)
    const bindings: Bound[] = []
    const asked: string[] = []
    for (let i = 0; i < CLIENTS; i++) asked.push((await registerToken(at, bank.site)).qrcId)
    // Its notification is lost.
    for (const qrcId of asked) await bank.consent(at, qrcId, true, { times: 0 })
    // The bank is asked a minute later; the service's signatures are good for five.
    const begunAt = 2 / 60
    setClock(begunAt)
    await until(() => at.service.site(bank.site).bindings.size === CLIENTS)
    for (const qrcId of asked) bindings.push(boundBy(at, bank.site, qrcId))
    // Which way each call goes wrong is of the seed; when the kills come is not.
    const random = randomOf(SEED)
    const misbehaviour = new Misbehaviour(random)
    bank.of(at).misbehaviour = misbehaviour
    misbehaviour.mood = { of: 'all', rate: 0.15 }
    const accepted: ReturnType<typeof chargeData>[] = []
    let begun = 0
    const client = async (binding: Bound) => {
      while (begun < CHARGES) {
        begun++
        const link = await tried(() => register(at, bank.site, { amount: PRICE }))
        const data = chargeData(at, binding, link)
        await tried(async () => {
          const { status } = await at.service.instruct('payment.charge', data, now())
          if (status !== 202) throw new Error(`the charge got ${status}`)
        })
        accepted.push(data)
      }
    }
    const clients = bindings.map(client)
    for (let kill = 1; kill <= KILLS; kill++) {
      await until(() => accepted.length >= (kill * CHARGES) / (KILLS + 1))
      await running.kill()
      running = await startProcess(at)
    }
    await Promise.all(clients)
    // The bank is well; what it was asked for in vain is over.
    misbehaviour.mood = undefined
    const site = at.service.site(bank.site)
    const open = () => accepted.filter(({ paymentUid }) => !site.payments.has(paymentUid))
    const isOver = () => open().length === held(at).length
    for (const minutes of [0, 1, 2, 3, 5, 10, 20, 80, 160, 320, 640]) {
      setClock(begunAt + minutes / 60)
      await until(() => due(at, now()) === 0)
      if (isOver()) break
    }
    const completed = accepted.filter(
      ({ paymentUid }) => site.payments.get(paymentUid)?.status === 'COMPLETED',
    )
    const moved = Array.from(bank.moved(at).values())
    const calls = bank.numbers(at)
    const { troubles } = bank.of(at)
    console.log(
      `${name}: ${accepted.length} charges, ${KILLS} kills: ${completed.length} completed, ` +
        `${accepted.length - completed.length - open().length} declined, ${open().length} held; ` +
        `the bank was given ${troubles.length} faults and ${calls.length} calls that charge, ` +
        `${moved.length} orders moved money, at most ${Math.max(...moved)} times`,
    )
    expect(Math.max(...moved)).toBe(1)
    expect(calls.length).toBe(new Set(calls).size)
    expect(moved.length).toBe(completed.length)
    // The operator decides only what the bank never had, and where a call that was lost leaves no trace at the bank.
    expect(
      open()
        .map(({ paymentUid }) => paymentUid)
        .toSorted(),
    ).toEqual(held(at).toSorted())
    if (!canHold) expect(open()).toEqual([])
    // A run that meets no fault proves nothing.
    expect([troubles.length > 0, completed.length > 0]).toEqual([true, true])
  },
  Math.max(120_000, CHARGES * 1_000),
)

/** Calls until it succeeds: a process may be down, or the bank not answer. */
async function tried<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** How many charges and reports the connector has to look at now, by its disk. */
function due({ directory }: Surroundings, now: number): number {
  const [row] = read(
    directory,
    `SELECT (SELECT count(*) FROM charges WHERE state NOT IN ('COMPLETED', 'DECLINED') AND rests = 0 AND due_at <= :now)
      + (SELECT count(*) FROM reports WHERE state = 'PENDING' AND due_at <= :now) AS due`,
    { now },
  )
  return Number(row?.due)
}

/** The charges that wait for the operator, by the connector's disk. */
const held = ({ directory }: Surroundings): string[] =>
  read(directory, "SELECT payment_uid AS uid FROM charges WHERE state = 'HELD'").map(({ uid }) => String(uid))

function read(directory: string, query: string, values: Record<string, number> = {}) {
  const database = new DatabaseSync(join(directory, 'data', 'connector.sqlite'), { readOnly: true })
  try {
    return database.prepare(query).all(values)
  } finally {
    database.close()
  }
}
