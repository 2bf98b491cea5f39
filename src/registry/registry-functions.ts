// What the registry does: a module, loaded with its first call, because few instances of the Worker have the registry (docs/decisions/0158-objects-load-what-few-calls-need.md).
import { endSession, openSession, readSession } from '../site/access/sessions.ts'
import { useOperatorsConfirmation } from '../site/people/confirmation.ts'
import { passkeyOfHandle } from '../site/people/passkeys.ts'
import { addPerson, listPeople } from '../site/people/people.ts'
import { endPersonSession, sessionOfPerson, touchSession } from '../site/people/sessions.ts'
import { recordHandle, siteOfHandle } from './handles.ts'
import { admitOperator, isRevoked, listOperatorKeys, revokeOperatorKey } from './keys.ts'
import { recordBackup, recordStart, recordStop } from './machine.ts'
import {
  addOwnPasskey,
  change,
  endSessionsBy,
  inviteAgain,
  invitedBy,
  joinBy,
  personSessions,
  remove,
  removePasskeyBy,
  signInBy,
} from './people.ts'
import { REGISTRY_SCHEMA } from './schema.ts'
import { recordSettlements, settlementsOf } from './settlements.ts'
import { listSites } from './site-list.ts'
import { recordSite, totalsOf } from './sites.ts'

export const FUNCTIONS = {
  ...{ REGISTRY_SCHEMA, recordBackup, recordStart, recordStop },
  ...{ recordSettlements, settlementsOf, recordSite, totalsOf },
  ...{ endSession, openSession, readSession, useOperatorsConfirmation, passkeyOfHandle },
  ...{ addPerson, listPeople, endPersonSession, sessionOfPerson, touchSession, recordHandle },
  ...{ siteOfHandle, admitOperator, isRevoked, listOperatorKeys, revokeOperatorKey },
  ...{ addOwnPasskey, change, endSessionsBy, inviteAgain, invitedBy, joinBy, personSessions },
  ...{ remove, removePasskeyBy, signInBy, listSites },
}

/** These functions, which a call awaits before it reads or writes. */
export type Functions = typeof FUNCTIONS
