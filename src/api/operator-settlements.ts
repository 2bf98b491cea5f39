// The settlement of all sites, for the operator (contract, section 16).
import {
  ALL_SETTLEMENTS_EXAMPLE,
  AllSettlementsAnswer,
  allSettlementsAnswer,
} from '../contract/settlements/figures.ts'
import { MonthQuery } from '../contract/settlements/month.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callRegistry } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import { OPERATOR_TAG } from './sites.ts'

export const operatorSettlements = () => [
  operation({
    operationId: 'listSettlementsOfSites',
    method: 'get',
    path: '/operator/v1/settlements',
    query: MonthQuery,
    tag: OPERATOR_TAG,
    summary: 'Get the settlement of all sites',
    description: `The figures of each site that has imported a file of its bank, by \`siteId\`, and their sums. They are at most a \
minute old, but for \`expected\`, which can be as of the day before. A site tells them of the last 36 months.`,
    scopes: ['operator', 'operator:read'],
    answer: {
      schema: AllSettlementsAnswer,
      description: 'The month',
      headers: [],
      examples: { month: ALL_SETTLEMENTS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: ({ service }: SiteContext, { query: { month } }: { query: MonthQuery }) =>
      callRegistry(service, async (registry) => ({ month, sites: await registry.settlements(month) })),
    toContent: (_, { month, sites }) => ({ value: allSettlementsAnswer(month, sites) }),
  }),
]
