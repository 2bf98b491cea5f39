// Webhooks of banks: verified, put on disk, answered; runner.ts reports them.
import type { Webhook } from '../banks/bank.ts'
import { Unauthorized } from '../banks/bank-errors.ts'
import { ridersOf } from '../cash-registers/notices.ts'
import type { Core, OpenBank } from '../core.ts'
import { findBindingOnDisk } from '../links/bindings/lists.ts'
import { messageOf } from '../log.ts'
import type { WebhookRequest } from '../partner.ts'
import { MINUTE_MS } from '../work/schedule.ts'

interface WebhookAnswer {
  status: 200 | 401 | 404 | 503
  text: string
}

/** Answers success only for what is on disk, and for genuine webhooks that concern no payment. */
export async function takeWebhook(core: Core, name: string, request: WebhookRequest): Promise<WebhookAnswer> {
  const { disk, platform, log, metrics } = core
  const bank = core.banks.get(name)
  if (!bank) return { status: 404, text: 'no such bank' }
  const count = (outcome: string) => metrics.countWebhook(name, outcome)
  try {
    const webhook = await bank.bank.verify(request)
    if (webhook?.receipt && ridersOf(core, bank).length === 0) count('ignored')
    else if (webhook?.isUnsigned) {
      const isKnown = askAboutUnsigned(core, bank, webhook)
      count(isKnown ? 'taken' : 'ignored')
    } else if (webhook) {
      const { id, ...content } = webhook
      const row = { bank: name, id, content: JSON.stringify(content) }
      const isNew = disk.webhooks.insert(row, platform.now())
      if (!isNew) disk.webhooks.again(row, platform.now())
      count(isNew ? 'taken' : 'repeated')
    } else count('ignored')
    return { status: 200, text: bank.bank.webhookAnswer }
  } catch (error) {
    const isUnauthorized = error instanceof Unauthorized
    count(isUnauthorized ? 'unauthorized' : 'failed')
    log('warning', 'a webhook was refused', { bank: name, error: messageOf(error) })
    return isUnauthorized ? { status: 401, text: 'unauthorized' } : { status: 503, text: 'unavailable' }
  }
}

/** Nothing of it is believed: the bank is asked about the binding that it names, at most once a minute. */
function askAboutUnsigned(core: Core, bank: OpenBank, { binding }: Webhook): boolean {
  const row = binding && findBindingOnDisk(core, bank, binding.request)
  if (row) core.disk.bindings.wake(row, core.platform.now(), MINUTE_MS)
  return row !== undefined
}
