// `settle --webhook`: closes a webhook whose payment no report will ever name, once somebody has dealt with that payment.
import type { Core } from '../core.ts'
import { LASTING } from '../webhook-runner.ts'
import { deciderOf, type Options, type Print, required } from './options.ts'

/** @returns the exit code. @throws Error where no such webhook waits, or where the connector can still report it */
export function closeWebhook({ disk }: Core, options: Options, print: Print): number {
  const id = required(options, 'webhook', 'the id that check prints')
  const bank = required(options, 'bank', 'the name of its bank')
  const reason = required(options, 'reason', 'what was done about the payment')
  const note = `closed by ${deciderOf(options)}: ${reason}`
  disk.transaction(() => {
    const row = disk.webhooks.waiting().find((each) => each.bank === bank && each.id === id)
    if (!row) throw new Error(`no webhook ${id} of ${bank} waits`)
    if (!LASTING.includes(row.note))
      throw new Error(`the connector still tries to report it: ${row.note || 'not yet processed'}`)
    disk.webhooks.finish(row, 'GIVEN_UP', note)
  })
  print(`${id}: closed; if the bank sends it again, it is processed as a new one`)
  return 0
}
