// API keys: the access tokens of a site, without the tokens themselves (contract, section 12).
import * as z from 'zod/mini'
import { isScopeList, isTillScope, Label, SCOPE_LIST_RULE } from './access-token.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { Tills } from './tills.ts'

/** An API key as its site keeps it; `id` is the token's `jti`, times are Unix seconds. */
export interface ApiKey {
  id: string
  /** Empty for a key of the command line whose token has none. */
  label: string
  /** Separated by spaces. */
  scope: string
  /** Of the scope merchant:till: the COUNTER codes that exist for it. */
  tills?: readonly string[] | undefined
  /** Absent, like `expiresAt`, where the key was revoked before its first use. */
  createdAt?: number | undefined
  expiresAt?: number | undefined
  /** The beginning of the hour of its latest use. */
  lastUsedAt?: number | undefined
  revokedAt?: number | undefined
  /** Who created it in the console. */
  personId?: string | undefined
}

const DAYS_RULE = 'a whole number from 1 to 3650'

export const ApiKeyRequest = strictObject({
  label: Label.apply(meta, { description: 'A name by which you recognise the key' }),
  scope: z.string(SCOPE_LIST_RULE).check(z.refine(isScopeList, SCOPE_LIST_RULE)).apply(meta, {
    description:
      'One or more of `merchant`, `merchant:read`, `merchant:accounting`, `merchant:till` and `merchant:admin`, separated by spaces',
  }),
  tills: z.optional(Tills).apply(meta, {
    description:
      'Of `merchant:till` alone: the `qrCodeUid`s of the `COUNTER` codes that exist for the key. Without it, all',
  }),
  days: z
    .int(DAYS_RULE)
    .check(z.minimum(1), z.maximum(3650))
    .apply(meta, { description: 'Lifetime in days' }),
})
  .check(
    z.check(({ value: { scope, tills }, issues }) => {
      if (tills === undefined || isTillScope(scope)) return
      issues.push({
        code: 'custom',
        input: tills,
        path: ['tills'],
        message: 'absent for a scope that is not merchant:till',
      })
    }),
  )
  .apply(meta, { id: 'ApiKeyRequest' })

const DateTime = z.iso.datetime({ offset: true })

const ApiKeyAnswer = z
  .object({
    id: z.string().apply(meta, { description: '`jti` of the access token' }),
    label: z
      .string()
      .apply(meta, { description: 'Its name; empty where the token of the command line has none' }),
    scope: z.string(),
    tills: z.optional(z.array(z.string())),
    created: z.optional(DateTime).apply(meta, {
      description: 'Absent, like `expires`, if the key was revoked before its first use',
    }),
    expires: z.optional(DateTime),
    lastUsed: z.optional(DateTime).apply(meta, { description: 'The hour of its latest use' }),
    revoked: z.optional(DateTime).apply(meta, { description: 'When it was revoked' }),
    personId: z.optional(z.string()).apply(meta, { description: 'The person who created it in the console' }),
  })
  .apply(meta, { id: 'ApiKey' })
type ApiKeyAnswer = z.infer<typeof ApiKeyAnswer>

export const NewApiKeyAnswer = z
  .extend(ApiKeyAnswer, {
    token: z.string().apply(meta, { description: 'The access token. Only this response shows it' }),
  })
  .apply(meta, { id: 'NewApiKey' })
export type NewApiKeyAnswer = z.infer<typeof NewApiKeyAnswer>

export const ApiKeysAnswer = z.object({ apiKeys: z.array(ApiKeyAnswer) }).apply(meta, { id: 'ApiKeys' })

/** The answer that shows an API key. @param offset the deployment's offset from UTC */
export function apiKeyAnswer(key: ApiKey, offset: string): ApiKeyAnswer {
  const at = (time: number | undefined) => (time === undefined ? undefined : formatDateTime(time, offset))
  const times = {
    created: at(key.createdAt),
    expires: at(key.expiresAt),
    lastUsed: at(key.lastUsedAt),
    revoked: at(key.revokedAt),
  }
  const { id, label, scope, tills, personId } = key
  return { id, label, scope, ...(tills && { tills: [...tills] }), ...times, personId }
}

const apiKey = {
  id: '0f3b6c1d8a724e5f9b0c1d2e3f4a5b6c',
  label: 'Till 3',
  scope: 'merchant',
  created: '2026-11-20T20:10:32+03:00',
  expires: '2027-11-20T20:10:32+03:00',
}

/** Requests for API keys. */
export const API_KEY_REQUEST_EXAMPLES = {
  till: { summary: 'A key for a year', value: { label: 'Till 3', scope: 'merchant', days: 365 } },
} satisfies Record<string, Example>

export const API_KEYS_EXAMPLE: Example = {
  summary: 'A key that is used, and a revoked one',
  value: {
    apiKeys: [
      { ...apiKey, lastUsed: '2026-11-21T09:00:00+03:00' },
      { ...apiKey, id: '7d1e2f3a4b5c6d7e8f90a1b2c3d4e5f6', revoked: '2026-11-20T21:00:00+03:00' },
    ],
  },
}

export const NEW_API_KEY_EXAMPLE: Example = {
  summary: 'A key for a year',
  value: { ...apiKey, token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.signature' },
}
