// Webhooks of cash registers: nobody signs them, so the documents that they name are asked about, and nothing else happens.

import type { Core } from '../core.ts'
import type { WebhookRequest } from '../partner.ts'
import { FRESH_MS } from './runner.ts'

interface WebhookAnswer {
  status: 200 | 404
  text: string
}

/** Anybody can send one: a document is asked about at most once in ten seconds. The metric counts it under the register's name. */
export function takeRegisterWebhook(core: Core, name: string, request: WebhookRequest): WebhookAnswer {
  const { cashRegisters, disk, platform, metrics } = core
  const register = cashRegisters.get(name)?.register
  if (!register?.verify) return { status: 404, text: 'no such cash register' }
  const webhook = register.verify(request)
  const documents = webhook ? disk.receipts.named(name, webhook) : []
  for (const document of documents) disk.receipts.wake(document, platform.now(), FRESH_MS)
  metrics.countWebhook(name, documents.length > 0 ? 'taken' : 'ignored')
  return { status: 200, text: register.webhookAnswer }
}
