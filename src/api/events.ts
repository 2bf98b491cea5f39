// The history of a QR code, for its merchant.
import { EventsAnswer, EventsQuery, eventsAnswer } from '../contract/event.ts'
import { json } from './answer.ts'
import { validate } from './body.ts'
import { EVENTS } from './examples.ts'
import type { Operation } from './operation.ts'
import { segmentOf } from './path.ts'
import type { Service } from './service.ts'
import { callSite } from './sites.ts'

const PATH = '/sites/{siteId}/sbp/qrCodes/{qrCodeUid}/events'

/** The operation on events. */
export const events = (service: Service): Operation[] => [
  {
    operationId: 'listQrCodeEvents',
    method: 'get',
    path: PATH,
    tag: 'QR codes',
    summary: 'What happened to a QR code, oldest first',
    description:
      'Every change of state: what it led to, when, by whom, and by which payment. A page at a time: nextCursor of one answer is the cursor of the next request.',
    scopes: ['merchant', 'merchant:read'],
    parameters: ['eventsLimit', 'cursor'],
    answer: { schema: EventsAnswer, description: 'A page', headers: [], examples: { paid: EVENTS } },
    errors: ['validation.error', 'payin.resource.not.found'],
    async handle(c, siteId) {
      const { value: qrCodeUid, fault } = segmentOf(c, PATH, 'qrCodeUid')
      const { cursor, limit } = validate(EventsQuery, c.req.query(), fault)
      const page = await callSite(service, siteId, (site) =>
        site.events({ qrCodeUid }, { limit, after: cursor }),
      )
      return json(c, eventsAnswer(page, service.config.utcOffset))
    },
  },
]
