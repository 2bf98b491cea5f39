// The cash register of a site, on the operator's page: its part is loaded with the pages of receipts.
import type { SiteHealth } from '../../contract/site.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { type FormError, formError } from '../parts.ts'
import { receiptPages } from '../receipts/load.ts'
import type { TypedRegister } from '../receipts/register.ts'
import type { Visit } from '../visit.ts'
import { siteAddress } from './sites.ts'

export type { TypedRegister }

/** The part of the page. */
export const registerOf = async (site: SiteHealth, visit: Visit, tried?: TypedRegister): Promise<Html> =>
  (await receiptPages()).registerPart(site, visit, tried)

/** Sets the cash register, or removes it. @param show the page with what was refused */
export async function setCashRegister(
  visit: Visit,
  siteId: string,
  show: (refused: FormError & { register: TypedRegister }) => Promise<Response>,
): Promise<Response> {
  const { typedRegister, registerRules } = await receiptPages()
  const { values, body } = typedRegister(await visit.form())
  try {
    if (body) await visit.call('setCashRegister', { path: { siteId }, body })
    else await visit.call('removeCashRegister', { path: { siteId } })
    return seeOther(visit.c, `${siteAddress(visit, siteId)}?done=registerSet#cash-register`)
  } catch (error) {
    const refused = formError(error, visit, registerRules(visit))
    return show({ ...refused, register: { values, faults: refused.fields } })
  }
}
