// The deletion of a site, and how it is undone (contract, section 16).
import type * as z from 'zod/mini'
import {
  DELETED_SITE_EXAMPLE,
  DeletedSiteAnswer,
  SITE_DELETION_EXAMPLES,
  SITE_EXAMPLE,
  SiteAnswer,
  SiteDeletionBody,
  type SiteHealth,
} from '../contract/site.ts'
import { type Closing, closingAnswer } from '../contract/site-list.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import { invalid, quote } from '../http/validate.ts'
import { getSite, healthContent, OPERATOR_TAG, SITE } from './sites.ts'

/** The operations that delete a site, and bring it back. */
export const siteDeletion = () => [
  operation({
    operationId: 'deleteSite',
    method: 'delete',
    path: SITE,
    tag: OPERATOR_TAG,
    summary: 'Delete a site',
    description: `Its merchant and its payers get 410 from now on. The payment network goes on until \`dataDeletedOn\`, so that \
money in flight comes to its end; until then the deletion can be undone. Then everything that the site has is deleted, and \
its siteId is never used again. While QR codes can be paid, or refunds or other instructions are pending, the answer is 409, unless \`force\` is \
true. With \`force\` no bank is told: links that a bank made can still be paid until they end there, and a printed code \
for ever. So cancel the codes first. The body repeats the siteId. The same request again changes nothing.`,
    scopes: ['operator'],
    body: { schema: SiteDeletionBody, examples: SITE_DELETION_EXAMPLES },
    answer: {
      accepted: true,
      empty: 'The site and its data are deleted: `DELETION_DAYS` is 0, or it was deleted before',
      schema: DeletedSiteAnswer,
      description: 'The site is deleted, and can be restored until its data are',
      headers: [],
      examples: { deleted: DELETED_SITE_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'payin.incorrect-method-invocation'],
    isOnDeleted: true,
    act: { name: 'site.delete', details: ({ body }) => ({ force: body.force }) },
    handle: deleteSite,
    toContent: ({ siteId, service: { config } }, closing) => {
      const dates = closingAnswer(closing, config.utcOffset)
      return dates ? { value: { siteId, ...dates }, isAccepted: true } : { status: 204 }
    },
  }),
  operation({
    operationId: 'restoreSite',
    method: 'post',
    path: `${SITE}/restore`,
    tag: OPERATOR_TAG,
    summary: 'Undo the deletion of a site',
    description: `Until its data are deleted: the site is as it was, with what the payment network reported meanwhile, and \
the notifications of that time are sent. On a site that is not deleted it changes nothing.`,
    scopes: ['operator'],
    answer: {
      schema: SiteAnswer,
      description: 'The site',
      headers: [],
      examples: { restored: SITE_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    act: { name: 'site.restore' },
    handle: restoreSite,
    toContent: healthContent,
  }),
]

const SECONDS_A_DAY = 86_400

async function deleteSite(
  site: SiteContext,
  { body }: { body: z.output<typeof SiteDeletionBody> },
): Promise<Closing | undefined> {
  if (body.siteId !== site.siteId) {
    throw invalid({ siteId: [`is ${quote(body.siteId)}, must be the siteId of the path`] })
  }
  const { deletionDays } = site.service.config
  return callSite(site, (object) => object.remove(site.caller, body.force, deletionDays * SECONDS_A_DAY))
}

async function restoreSite(site: SiteContext): Promise<SiteHealth> {
  await callSite(site, (object) => object.reopen(site.caller))
  return getSite(site)
}
