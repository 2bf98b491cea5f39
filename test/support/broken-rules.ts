// The rules of `npm run verify`, asked of the database of a site that runs in this workerd.
import { runInDurableObject } from 'cloudflare:test'
import { RULES } from '../../bin/data/site-rules.ts'
import type { FreshSite } from './admin.ts'

/** The rules that a site's database breaks, each with what breaks it. */
export const brokenRules = ({ stub }: Pick<FreshSite, 'stub'>): Promise<unknown[]> =>
  runInDurableObject(stub, (_, { storage }) =>
    RULES.map(({ rule, violations }) => [rule, storage.sql.exec(violations).toArray()] as const).filter(
      ([, found]) => found.length > 0,
    ),
  )
