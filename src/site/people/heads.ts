// The last person who can let others in keeps the role and a passkey (contract, section 12).
import type { Role } from '../../contract/role.ts'
import type { Refusal } from '../../errors.ts'
import { notAllowed } from '../outcomes.ts'
import type { Sql } from '../rows/sql.ts'
import { type PersonRow, personRows } from './rows.ts'

/** Who can let others in: of a site, of the deployment. */
const HEADS: readonly Role[] = ['owner', 'operator']

/** Whether nobody else could let others in: no other person with the role has a passkey. */
export function isLastHead(sql: Sql, { id, role }: Pick<PersonRow, 'id' | 'role'>): boolean {
  if (!HEADS.includes(role)) return false
  const able = ableTo(sql, role)
  return able.length === 1 && able[0]?.id === id
}

/** The people with a role who can sign in. */
export const ableTo = (sql: Sql, role: Role): PersonRow[] =>
  personRows(
    sql,
    'WHERE role = ? AND removed_at IS NULL AND EXISTS (SELECT 1 FROM passkeys WHERE person = people.id)',
    role,
  )

export const lastHead = ({ role }: Pick<PersonRow, 'role'>, rule: string): Refusal =>
  notAllowed(`the person is the last ${role} with a passkey, ${rule}`)
