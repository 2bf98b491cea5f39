// The history of a QR code, for its merchant.
import { EventsAnswer, eventsAnswer } from '../contract/event.ts'
import type { Service } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import type { Operation } from '../http/operation.ts'
import { wholeSegmentOf } from '../http/path.ts'
import { json } from '../http/response.ts'
import { EVENTS } from '../openapi/examples.ts'

const PATH = '/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/events'

/** The operation on events. */
export const events = (service: Service): Operation[] => [
  {
    operationId: 'listQrCodeEvents',
    method: 'get',
    path: PATH,
    tag: 'QR codes',
    summary: 'What happened to a QR code, oldest first',
    description: 'Every change of state: what it led to, when, by whom, and by which payment.',
    scopes: ['merchant', 'merchant:read'],
    answer: { schema: EventsAnswer, description: 'The events', headers: [], examples: { paid: EVENTS } },
    errors: ['validation.error', 'payin.resource.not.found'],
    async handle(c, siteId) {
      const qrCodeUid = wholeSegmentOf(c, PATH, 'qrCodeUid')
      const happened = await callSite(service, siteId, (site) => site.events({ qrCodeUid }))
      return json(c, eventsAnswer(happened, service.config.utcOffset))
    },
  },
]
