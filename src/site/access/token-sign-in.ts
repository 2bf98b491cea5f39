// Whether an access token begins a session of the console (contract, section 17).
import type { NewSession } from '../../contract/session.ts'
import type { Refusal } from '../../errors.ts'
import { ableTo } from '../people/heads.ts'
import { settingsRow } from '../settings/rows.ts'

/** Refuses a session by a token where the settings say so, as soon as an owner can sign in by passkey. A one-time link works always. */
export function refuseTokenSignIn(sql: SqlStorage, { link }: NewSession): Refusal | undefined {
  if (link !== undefined || settingsRow(sql).settings.tokenSignIn !== false) return undefined
  return ableTo(sql, 'owner').length > 0 ? BY_PASSKEY_ALONE : undefined
}

const BY_PASSKEY_ALONE: Refusal = {
  ok: false,
  code: 'auth.forbidden',
  description:
    'the settings have tokenSignIn false, must be signed in by passkey or by a link of the operator',
}
