// Accounts bound at Raiffeisenbank, for tests.
import type { Fault } from '../support/banks/fake-bank.ts'
import { boundBy, PRICE, registerToken, UNANSWERED } from './bound.ts'
import { MINUTE, register, type Surroundings, start, surroundings } from './harness.ts'

/** A connector, a binding that its customer has agreed to, and a code to charge. */
export async function bound() {
  const at = await surroundings()
  const running = await start(at)
  at.clock.now += 1_000
  const token = await registerToken(at, 'farm')
  // An unsigned notification makes the bank asked once a minute.
  at.clock.now += MINUTE
  await at.raiffeisen.consent(token.qrcId, 'SUBSCRIBED')
  await running.connector.settle()
  const binding = boundBy(at, 'farm', token.qrcId)
  const link = await register(at, 'farm', { amount: PRICE })
  return { at, running, token, binding, link }
}

export const statusOf = (at: Surroundings, bindingUid: string) =>
  at.service.site('farm').bindings.get(bindingUid)

export const LOST: [string, Fault][] = [
  ...UNANSWERED,
  [
    'an error that no document has',
    { status: 400, body: { code: 'ERROR.UNKNOWN', message: 'x' }, executed: true },
  ],
]
