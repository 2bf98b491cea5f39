// Crashes of service and connector, and time that passes while both are down.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BankDeployment } from './bank-deployment.ts'

export type Crash = 'kill the connector' | 'kill the service' | 'kill both'

/** Kills, and starts again. */
export async function crash({ service, connector }: BankDeployment, what: Crash): Promise<void> {
  const killed = {
    'kill the service': [service],
    'kill the connector': [connector],
    'kill both': [service, connector],
  }[what]
  await Promise.all(killed.map((each) => each.kill()))
  for (const each of killed) await each.start()
}

/** Sets the clock, and waits for what is due then. Timers do not see a clock that is set, so both processes are killed. */
export async function passTo(deployment: BankDeployment, hours: number): Promise<void> {
  const { service, connector } = deployment
  await Promise.all([service.kill(), connector.kill()])
  deployment.setClock(hours)
  // What the service sends at once finds the connector, which starts after it.
  connector.holdConnections()
  await service.start()
  await connector.start()
  await atRest(deployment, PATIENT_POLLS)
}

/** After a start a slow machine needs longer. */
export const PATIENT_POLLS = 400

/** Resolves when the connector has done everything that is due, or it does not become less in `polls`. */
export async function atRest({ connector }: BankDeployment, polls = 60): Promise<void> {
  await becomesLess(polls, async () => {
    await connector.kick()
    await sleep(50)
    return connector.due()
  })
}

/** Resolves when it is 0, or was read so often without becoming less than ever: what comes and goes each minute is no progress. */
export async function becomesLess(reads: number, read: () => Promise<number>): Promise<void> {
  let [least, still] = [Number.POSITIVE_INFINITY, 0]
  while (least > 0 && still < reads) {
    const left = await read()
    still = left < least ? 0 : still + 1
    least = Math.min(least, left)
  }
}
