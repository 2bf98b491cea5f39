// Removes a person of a site (contract, section 12).
import { recordIntent } from './audit.ts'
import type { SiteContext } from './context.ts'
import { callSite } from './site-client.ts'

/**
 * Removes a person. The audit has it, because a restore of the site does not rewind the audit: who was removed stays removed.
 * @throws ApiError the site's refusal; service.unavailable where it cannot be recorded
 */
export async function removePerson(site: SiteContext, personId: string): Promise<void> {
  const remove = () => callSite(site, (object) => object.removePerson(site.caller, personId))
  const people = await callSite({ ...site, isRead: true }, (object) => object.people(site.caller))
  const person = people.find(({ id, removedAt }) => id === personId && removedAt === undefined)
  // Nothing will change: a merchant's repeated requests do not fill the audit.
  if (!person) return remove()
  const act = await recordIntent(site, 'person.remove', { personId, person: person.name })
  try {
    await remove()
  } catch (error) {
    await act.failed(error)
    throw error
  }
  await act.done()
}
