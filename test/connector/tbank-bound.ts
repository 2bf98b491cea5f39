// Accounts bound at T-Bank, for tests.
import type { Fault } from '../support/banks/fake-bank.ts'
import { boundBy, PRICE, registerToken, UNANSWERED } from './bound.ts'
import { register, type Surroundings, start, surroundings } from './harness.ts'

/** A connector, a binding that its customer has agreed to, and a code to charge. */
export async function bound(setUp: (at: Surroundings) => void = () => {}) {
  const at = await surroundings()
  setUp(at)
  const running = await start(at)
  at.clock.now += 1_000
  const token = await registerToken(at, 'cafe')
  const request = await at.tbank.consent(token.qrcId, true)
  await running.connector.settle()
  const binding = boundBy(at, 'cafe', token.qrcId)
  const link = await register(at, 'cafe', { amount: PRICE })
  return { at, running, token, request, binding, link }
}

export const statusOf = (at: Surroundings, bindingUid: string) =>
  at.service.site('cafe').bindings.get(bindingUid)

export const LOST: [string, Fault][] = [
  ...UNANSWERED,
  [
    'an error that no document has',
    { status: 200, body: { Success: false, ErrorCode: '9999', Message: 'x' }, executed: true },
  ],
]
