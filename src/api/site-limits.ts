// The limits that the operator sets for a site (contract, section 16).
import type { Config } from '../config.ts'
import { LIMITS_EXAMPLES, type Limits, limitsBody, limitsDetails } from '../contract/limits.ts'
import { SITE_EXAMPLE, SiteAnswer, type SiteHealth } from '../contract/site.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import { getSite, healthContent, OPERATOR_TAG, SITE } from './sites.ts'

/** The operation that sets the limits of a site. */
export const siteLimits = ({ currencies }: Pick<Config, 'currencies'>) => [
  operation({
    operationId: 'putLimits',
    method: 'put',
    path: `${SITE}/limits`,
    tag: OPERATOR_TAG,
    summary: 'Set the limits of a site',
    description: `Replaces both limits: one that is absent limits nothing. A create or a sale above \`maxPayment\`, and a \
refund with which the accepted refunds of the day, of the deployment’s offset from UTC, would exceed \`maxRefundsPerDay\`, \
is 409 \`site.limit.exceeded\` from now on. Each limits the amounts of its own currency. What was created or accepted before \
stays as it is, and a payment or a refund that a bank reports is a fact.`,
    scopes: ['operator'],
    body: { schema: limitsBody(currencies), examples: LIMITS_EXAMPLES },
    answer: {
      schema: SiteAnswer,
      description: 'The site',
      headers: [],
      examples: { limited: SITE_EXAMPLE },
    },
    errors: ['payin.resource.not.found'],
    act: { name: 'site.limits', details: ({ body }) => limitsDetails(body) },
    handle: putLimits,
    toContent: healthContent,
  }),
]

async function putLimits(site: SiteContext, { body }: { body: Limits }): Promise<SiteHealth> {
  await callSite(site, (object) => object.setLimits(site.caller, body))
  return getSite(site)
}
