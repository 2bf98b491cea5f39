// Says who can sign in to the sites that were restored.
import { OPERATOR } from '../../src/contract/access-token.ts'
import type { Person } from '../../src/contract/person.ts'

/** Sites that are named: a data directory can have thousands. */
const MAX_NAMED = 20

/**
 * The people with their passkeys, a line for each site. Who was removed after the backup is removed again; a passkey that was removed, or a role
 * that was changed after it is as it was.
 */
export function peopleText(people: ReadonlyMap<string, readonly Person[]>): string {
  const sites = [...people].map(
    ([siteId, of]) =>
      `  ${siteId === OPERATOR ? 'the deployment' : siteId}: ${of.length > 0 ? of.map(named).join('; ') : 'nobody, invite somebody'}`,
  )
  const more = sites.length - MAX_NAMED
  return [
    'These people can sign in by a passkey. People who were removed since are removed again. But a passkey that was removed',
    'since works again, and a role that was changed since is as it was: ask an owner of each site to check these.',
    ...sites.slice(0, MAX_NAMED),
    ...(more > 0 ? [`  and ${more} more sites`] : []),
  ].join('\n')
}

const named = ({ name, role, passkeys }: Person): string =>
  `${name} (${role}): ${passkeys.map(({ label }) => label).join(', ')}`
