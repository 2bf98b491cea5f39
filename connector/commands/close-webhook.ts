// `settle --webhook`: the operator has dealt with a payment that nothing confirms, and its webhook is closed.
import * as z from 'zod'
import { roublesOf } from '../amounts.ts'
import type { Core } from '../core.ts'
import { whyWaiting } from '../inbox/problems.ts'
import { confirmed, type TypedLine } from './confirmation.ts'
import { deciderOf, type Options, type Print, reasonOf, required } from './options.ts'

const Stored = z.object({ qrcId: z.string().optional(), payment: z.object({ amount: z.int() }).optional() })

/**
 * @returns the exit code
 * @throws Error where no such webhook waits, where the connector still asks about it, or where it is not confirmed
 */
export async function closeWebhook(
  { disk }: Core,
  options: Options,
  print: Print,
  typedLine: TypedLine,
): Promise<number> {
  const id = required(options, 'webhook', 'the id that check prints')
  const bank = required(options, 'bank', 'the name of its bank')
  const reason = reasonOf(options, 'what was done about the payment')
  const note = `closed by ${deciderOf(options)}: ${reason}`
  const restingRow = () => {
    const row = disk.webhooks.waiting().find((each) => each.bank === bank && each.id === id)
    if (!row) throw new Error(`no webhook ${id} of ${bank} waits`)
    if (row.rests) return row
    throw new Error(
      `the connector still asks about it: ${whyWaiting(row)}; it can be closed a week after it came`,
    )
  }
  const row = restingRow()
  const { qrcId, payment } = Stored.parse(JSON.parse(row.content))
  const amount = payment && roublesOf(payment.amount)
  const parts = [
    `webhook ${id} of ${bank}`,
    `received ${new Date(row.receivedAt).toISOString()}`,
    ...(qrcId ? [`code ${qrcId}`] : []),
    ...(amount ? [`${amount} RUB`] : []),
  ]
  print(parts.join(', '))
  print(`not reported: ${whyWaiting(row)}`)
  print('your decision: closed; the connector does not report its payment, even if its site is added later')
  if (!options.yes)
    await (amount
      ? confirmed('the amount', amount, print, typedLine)
      : confirmed('the id', id, print, typedLine))
  // Meanwhile the connector can have asked again, after a reload.
  disk.transaction(() => disk.webhooks.finish(restingRow(), 'GIVEN_UP', note))
  print(`${id}: closed; if the bank sends it again, the connector asks about it again`)
  return 0
}
