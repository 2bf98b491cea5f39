// Bound accounts in tests: codes that bind, consents, charges, deletions, as the service asks for them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from '../support/banks/fake-bank.ts'
import { DAY, HOUR, MINUTE, type Running, registerData, type Surroundings } from './harness.ts'

export const PRICE = { value: '50.00', currency: 'RUB' }

/** A call whose result the bank does not tell. */
export const UNANSWERED: [string, Fault][] = [
  ['the answer is lost', { broken: 'after' }],
  ['the request is lost', { broken: 'before' }],
  ['the bank answers 500 and has executed it', { status: 500, executed: true }],
  ['the bank answers 504 and has done nothing', { status: 504 }],
  ['a gateway answers 404 in HTML', { status: 404, body: '<html></html>', executed: true }],
  ['a gateway answers 200 in HTML', { status: 200, body: '<html></html>', executed: true }],
  ['the bank answers 429', { status: 429, retryAfter: 5, executed: true }],
]

/** Registers a code that binds an account alone. */
export async function registerToken(at: Surroundings, siteId: string, changes: object = {}) {
  const data = registerData(at, siteId, {
    ...{ type: 'TOKEN', amount: undefined, paymentPurpose: undefined, tokenizationPurpose: 'Monthly tea' },
    ...changes,
  })
  const { status, body } = await at.service.instruct('qrCode.register', data, at.clock.now)
  if (status !== 200) throw new Error(`the register got ${status} ${JSON.stringify(body)}`)
  return { qrcId: String(body.qrcId), payload: String(body.payload), reference: String(body.reference) }
}

export interface Bound {
  siteId: string
  /** Of the code that bound it. */
  qrcId: string
  bindingUid: string
  bindingReference: string
}

/** The binding that was reported of a code. */
export function boundBy(at: Surroundings, siteId: string, qrcId: string): Bound {
  const report = at.service.reports.findLast(({ path }) => path.includes(`/qrCodes/${qrcId}/bindings/`))
  if (!report) throw new Error(`no binding of ${qrcId} was reported`)
  const bindingUid = report.path.split('/').at(-1) ?? ''
  return { siteId, qrcId, bindingUid, bindingReference: String(report.body.reference) }
}

let charges = 0

/** The data of a `payment.charge` of a bound account, for a code of the same site. */
export function chargeData(
  at: Surroundings,
  { siteId, bindingUid, bindingReference }: Bound,
  link: { qrcId: string; reference: string },
  changes: object = {},
) {
  charges++
  return {
    ...{ siteId, qrcId: link.qrcId, reference: link.reference, bindingUid, bindingReference, amount: PRICE },
    ...{ paymentUid: `CHARGE${charges}`, paymentPurpose: 'Tea' },
    expiresOn: new Date(at.clock.now + HOUR).toISOString(),
    ...changes,
  }
}

/** Asks for a charge as the service does. */
export async function charge(...request: Parameters<typeof chargeData>) {
  const [at] = request
  const data = chargeData(...request)
  const givenAt = at.clock.now
  const again = () => at.service.instruct('payment.charge', data, givenAt)
  const { status } = await again()
  if (status !== 202) throw new Error(`the charge got ${status}`)
  return { ...data, again, result: () => at.service.site(data.siteId).payments.get(data.paymentUid) }
}

export const deleteToken = (
  { service, clock }: Surroundings,
  { siteId, qrcId, bindingUid, bindingReference }: Bound,
) => service.instruct('token.delete', { siteId, qrcId, bindingUid, bindingReference }, clock.now)

/** Whether the connector's database has the text anywhere, in its log of writes too. */
export const isOnDisk = ({ directory }: Surroundings, text: string): boolean =>
  ['connector.sqlite', 'connector.sqlite-wal'].some((name) =>
    readFileSync(join(directory, name)).includes(text),
  )

/** Turns, each a minute later. */
export async function minutes({ at, running }: { at: Surroundings; running: Running }, count: number) {
  for (let i = 0; i < count; i++) {
    at.clock.now += MINUTE
    await running.connector.settle()
  }
}

/** How many charges are held after so many days, and after so many more. */
export async function heldAfter(
  { at, running }: { at: Surroundings; running: Running },
  days: readonly number[],
): Promise<number[]> {
  const held: number[] = []
  for (const each of days) {
    for (let day = 0; day < each; day++) {
      at.clock.now += DAY
      await running.connector.settle(1)
    }
    held.push(running.core.disk.charges.held().length)
  }
  return held
}
