// The keys of operators, without their tokens (contract, section 16).
import * as z from 'zod/mini'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'

/** A key of an operator as the registry keeps it; `id` is the token's `jti`, times are Unix seconds. */
export interface OperatorKey {
  id: string
  label?: string | undefined
  /** Absent, like `expiresAt` and `lastUsedAt`, where the key was revoked before its first use. */
  createdAt?: number | undefined
  expiresAt?: number | undefined
  /** The beginning of the hour of its latest use. */
  lastUsedAt?: number | undefined
  revokedAt?: number | undefined
}

const DateTime = z.iso.datetime({ offset: true })

const OperatorKeyAnswer = z
  .object({
    id: z.string().apply(meta, { description: '`jti` of the access token' }),
    label: z.optional(z.string()).apply(meta, { description: 'The claim `label` of the access token' }),
    createdOn: z.optional(DateTime).apply(meta, {
      description: 'Absent, like `expiresOn` and `lastUsedOn`, if the key was revoked before its first use',
    }),
    expiresOn: z.optional(DateTime),
    lastUsedOn: z.optional(DateTime).apply(meta, { description: 'The hour of its latest use' }),
    revokedOn: z.optional(DateTime).apply(meta, { description: 'When it was revoked' }),
  })
  .apply(meta, { id: 'OperatorKey' })

export const OperatorKeysAnswer = z
  .object({ keys: z.array(OperatorKeyAnswer) })
  .apply(meta, { id: 'OperatorKeys' })

/** The answer that shows a key. @param offset the deployment's offset from UTC */
export function operatorKeyAnswer(key: OperatorKey, offset: string): z.infer<typeof OperatorKeyAnswer> {
  const at = (time: number | undefined) => (time === undefined ? undefined : formatDateTime(time, offset))
  return {
    id: key.id,
    label: key.label,
    createdOn: at(key.createdAt),
    expiresOn: at(key.expiresAt),
    lastUsedOn: at(key.lastUsedAt),
    revokedOn: at(key.revokedAt),
  }
}

const anna = {
  id: '3f1b1a52-6c1f-4c44-9a53-1f0a5d1c2f77',
  label: 'anna',
  createdOn: '2026-11-20T20:10:32+03:00',
  expiresOn: '2027-11-20T20:10:32+03:00',
  lastUsedOn: '2026-11-23T09:00:00+03:00',
}

export const OPERATOR_KEYS_EXAMPLE: Example = {
  summary: 'A key that works, and a revoked one',
  value: {
    keys: [
      anna,
      {
        ...anna,
        id: '7d1e2f3a-4b5c-4d7e-8f90-a1b2c3d4e5f6',
        label: 'boris',
        revokedOn: '2026-11-22T18:00:00+03:00',
      },
    ],
  },
}
