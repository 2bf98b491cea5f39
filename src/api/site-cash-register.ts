// The cash register that the operator sets for a site (contract, section 16).
import type { ActDetails } from '../contract/audit.ts'
import type { CashRegister } from '../contract/receipts/cash-register.ts'
import { CASH_REGISTER_EXAMPLES, CashRegisterRequest } from '../contract/receipts/register-request.ts'
import { SITE_EXAMPLE, SiteAnswer, type SiteHealth } from '../contract/site.ts'
import { isSandbox } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import { invalid } from '../http/validate.ts'
import { getSite, healthContent, OPERATOR_TAG, SITE } from './sites.ts'

const PATH = `${SITE}/cashRegister` as const

const ANSWER = {
  schema: SiteAnswer,
  description: 'The site',
  headers: [],
  examples: { site: SITE_EXAMPLE },
}

/** The operations that set the cash register of a site, and remove it. */
export const siteCashRegister = () => [
  operation({
    operationId: 'setCashRegister',
    method: 'put',
    path: PATH,
    tag: OPERATOR_TAG,
    summary: 'Set the cash register of a site',
    description: `Receipts are checked against what it can do: \`kind\` and \`ffd\`, and \`maxItems\` where it takes fewer than \
its kind, \`vats\` are rates that the document of its kind does not state yet. The connector has its address and password, and must name the same one. QR codes and sales that exist keep the one \
that they were made with. A site of the sandbox has one of the service's own until another kind is set, whose rules then \
hold: nothing leaves the sandbox.`,
    scopes: ['operator'],
    body: { schema: CashRegisterRequest, examples: CASH_REGISTER_EXAMPLES },
    answer: ANSWER,
    errors: ['payin.resource.not.found'],
    act: { name: 'site.cashRegister', details: ({ body }) => detailsOf(body) },
    handle: set,
    toContent: healthContent,
  }),
  operation({
    operationId: 'removeCashRegister',
    method: 'delete',
    path: PATH,
    tag: OPERATOR_TAG,
    summary: 'Remove the cash register of a site',
    description: `New QR codes and sales have no receipts; a site of the sandbox has the service's own again. QR codes and \
sales that exist keep the one that they were made with.`,
    scopes: ['operator'],
    answer: ANSWER,
    errors: ['validation.error', 'payin.resource.not.found'],
    act: { name: 'site.cashRegister' },
    handle: remove,
    toContent: healthContent,
  }),
]

const detailsOf = ({ kind, ffd, maxItems, decimals, vats }: CashRegister): ActDetails => ({
  kind,
  ffd,
  ...(maxItems !== undefined && { maxItems }),
  ...(decimals !== undefined && { decimals }),
  ...(vats && { vats: vats.join(', ') }),
})

async function set(site: SiteContext, { body }: { body: CashRegister }): Promise<SiteHealth> {
  // It makes receipts up, and no tax service hears of them.
  if (body.kind === 'sandbox' && !isSandbox(site.service.config, site.siteId)) {
    throw invalid({ kind: ['is "sandbox", must be another one: the site is not of the sandbox'] })
  }
  await callSite(site, (object) => object.setCashRegister(site.caller, body))
  return getSite(site)
}

async function remove(site: SiteContext): Promise<SiteHealth> {
  await callSite(site, (object) => object.setCashRegister(site.caller, undefined))
  return getSite(site)
}
