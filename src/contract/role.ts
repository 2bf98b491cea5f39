// The roles of people: a role is a scope (contract, section 2).
import type { Scope } from './access-token.ts'

/** The roles of the people of a site. */
export const SITE_ROLES = ['owner', 'manager', 'accountant', 'cashier'] as const
/** The roles of the people of the deployment. */
export const OPERATOR_ROLES = ['operator', 'support'] as const
export type SiteRole = (typeof SITE_ROLES)[number]
export type OperatorRole = (typeof OPERATOR_ROLES)[number]
export type Role = SiteRole | OperatorRole
export const ROLES: readonly Role[] = [...SITE_ROLES, ...OPERATOR_ROLES]

/** What a role allows: the same as an access token with this scope. */
export const SCOPE_OF = {
  owner: 'merchant:admin',
  manager: 'merchant',
  accountant: 'merchant:accounting',
  cashier: 'merchant:till',
  operator: 'operator',
  support: 'operator:read',
} as const satisfies Record<Role, Scope>
