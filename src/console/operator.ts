// The operator's pages, in the order of the navigation.
import { AUDIT } from './operator/audit.ts'
import { OPERATOR_KEYS } from './operator/keys.ts'
import { NEW_SITE } from './operator/new-site.ts'
import { SETTLEMENT } from './operator/settlement.ts'
import { SITE } from './operator/site.ts'
import { SITES } from './operator/sites.ts'
import type { Route } from './visit.ts'

export const OPERATOR_ROUTES: readonly Route[] = [
  ...SITES,
  ...NEW_SITE,
  ...SITE,
  SETTLEMENT,
  ...OPERATOR_KEYS,
  AUDIT,
]
