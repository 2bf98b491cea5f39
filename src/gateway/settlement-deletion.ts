// Deletes a settlement file of a site: in as many calls as the site needs.
import type { Platform, SiteContext } from './context.ts'
import { callSite } from './site-client.ts'
import { toEnd } from './to-end.ts'
import { turn } from './turn.ts'

interface DeletingSite extends Pick<SiteContext, 'siteId' | 'caller'> {
  service: Pick<Platform, 'site' | 'sleep' | 'random' | 'limited' | 'waitUntil'>
}

/** Deletes a file; one that does not exist is deleted already. @throws ApiError the site's refusal */
export const removeSettlement = (site: DeletingSite, settlementUid: string): Promise<void> =>
  toEnd(site.service, removed(site, settlementUid))

async function removed(site: DeletingSite, settlementUid: string): Promise<void> {
  // The first call is repeated too where its answer is lost: the site knows the deletion by this token.
  const newToken = site.service.random(16).toHex()
  const remove = (token?: string) =>
    callSite(site, (object) => object.deleteSettlement(site.caller, settlementUid, token, newToken))
  try {
    let step = await remove()
    while (!step.isDone) {
      await turn(site.service)
      step = await remove(step.token)
    }
  } catch (error) {
    // The deletion ends by itself in a minute where the site is not reached.
    await callSite(site, (object) => object.abandonImport(site.caller, newToken)).catch(() => {})
    throw error
  }
}
