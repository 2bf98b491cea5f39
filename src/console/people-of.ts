// Whose people the pages are about: those of a site, or of the deployment, each by operations of its own.
import { OPERATOR_ROLES, type Role, SITE_ROLES } from '../contract/role.ts'
import { ADMINS, OPERATORS, type Visit } from './visit.ts'

/** The people of a site. */
export const OF_SITE = {
  path: 'people',
  scopes: ADMINS,
  roles: SITE_ROLES as readonly Role[],
  /** Who is invited first, and then. */
  invited: ['owner', 'cashier'],
  list: 'listPeople',
  add: 'addPerson',
  change: 'changePerson',
  remove: 'removePerson',
  invite: 'invitePerson',
  removePasskey: 'removePasskey',
  endSessions: 'endPersonSessions',
} as const

/** The people of the deployment. */
export const OF_DEPLOYMENT = {
  path: 'operator/people',
  scopes: OPERATORS,
  roles: OPERATOR_ROLES as readonly Role[],
  invited: ['operator', 'operator'],
  list: 'listOperators',
  add: 'addOperator',
  change: 'changeOperator',
  remove: 'removeOperator',
  invite: 'inviteOperator',
  removePasskey: 'removeOperatorPasskey',
  endSessions: 'endOperatorSessions',
} as const

/** Those of the signed-in user. */
export const peopleOf = ({ siteId }: Pick<Visit, 'siteId'>) => (siteId === '' ? OF_DEPLOYMENT : OF_SITE)

/** The address of the list. */
export const peopleAddress = (visit: Pick<Visit, 'siteId' | 'base'>): string =>
  `${visit.base}${peopleOf(visit).path}`

/** The address of a person's page. */
export const personAddress = (visit: Pick<Visit, 'siteId' | 'base'>, id: string): string =>
  `${peopleAddress(visit)}/${encodeURIComponent(id)}`
