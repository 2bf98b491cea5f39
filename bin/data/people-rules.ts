// Invariants of the people of a site: roles, passkeys, sessions and invitations.
import { ROLES } from '../../src/contract/role.ts'
import type { SiteRule } from './site-rule.ts'

export const PEOPLE_RULES: readonly SiteRule[] = [
  {
    rule: 'a person has a known role, and tills only as a cashier',
    violations: `SELECT id FROM people WHERE role NOT IN (${ROLES.map((role) => `'${role}'`)})
      OR tills IS NOT NULL AND (role <> 'cashier' OR NOT json_valid(tills))`,
  },
  {
    rule: 'a passkey has a person, who is not removed, and so has a session, of a passkey of the same person',
    violations: `SELECT 'a passkey of ' || person FROM passkeys
        WHERE person NOT IN (SELECT id FROM people WHERE removed_at IS NULL)
      UNION ALL SELECT 'a session of ' || person FROM person_sessions
        WHERE NOT EXISTS (SELECT 1 FROM passkeys WHERE id = passkey AND passkeys.person = person_sessions.person)`,
  },
  {
    rule: 'an invitation has an end, and its person is not removed',
    violations: `SELECT id FROM people WHERE (invitation IS NULL) <> (invited_until IS NULL)
      OR invitation IS NOT NULL AND removed_at IS NOT NULL`,
  },
]
