// The audit: who may read it (contract, section 16).
import type * as z from 'zod/mini'
import { AUDIT_EXAMPLE, AuditAnswer, AuditQuery, auditRowAnswer } from '../contract/audit.ts'
import { cursorOf } from '../contract/query.ts'
import { listAudit } from '../gateway/audit.ts'
import type { SiteContext } from '../gateway/context.ts'
import { operation } from '../http/operation.ts'
import { OPERATOR_TAG } from './sites.ts'

/** The operation on the audit. */
export const audit = () => [
  operation({
    operationId: 'listAudit',
    method: 'get',
    path: '/operator/v1/audit',
    query: AuditQuery,
    tag: OPERATOR_TAG,
    summary: 'Read the audit',
    description: `What operators did, and commands on the machine, newest first. Each act has a row of its intent before it, and \
one of its result after it. An intent without a result: the service ended in between, and the act may have happened. \
No row is ever changed or deleted.`,
    scopes: ['operator', 'operator:read'],
    answer: {
      schema: AuditAnswer,
      description: 'A page of rows',
      headers: [],
      examples: { page: AUDIT_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: ({ service }: SiteContext, { query }: { query: z.output<typeof AuditQuery> }) =>
      listAudit(service, query),
    toContent: ({ service: { config } }, { rows, next }) => ({
      value: {
        rows: rows.map((row) => auditRowAnswer(row, config.utcOffset)),
        ...(next !== undefined && { nextCursor: cursorOf(next) }),
      },
    }),
  }),
]
