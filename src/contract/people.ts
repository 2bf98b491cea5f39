// The people of a site as the API takes and shows them (contract, section 12).
import * as z from 'zod/mini'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { type Invitation, MAX_PASSKEYS, type Person } from './person.ts'
import { OPERATOR_ROLES, ROLES, SITE_ROLES } from './role.ts'
import { line } from './text.ts'
import { Tills } from './tills.ts'

const ID_RULE = '1 to 64 of A-Z a-z 0-9 . _ -, not . or ..'

export const PersonId = z
  .string(ID_RULE)
  .check(z.regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/, ID_RULE))
  .apply(meta, { description: 'Your identifier of the person', examples: ['anna'] })

/** The id of a passkey as the browser gave it, base64url. */
const PASSKEY_ID_RULE = '1 to 1400 of A-Z a-z 0-9 - _'
export const PasskeyId = z
  .string(PASSKEY_ID_RULE)
  .check(z.regex(/^[A-Za-z0-9_-]{1,1400}$/, PASSKEY_ID_RULE))
  .apply(meta, { description: 'The identifier of the passkey, as the list of people shows it' })

const ROLE_RULE = `one of ${SITE_ROLES.join(', ')}`
const SiteRoleName = z.enum(SITE_ROLES, ROLE_RULE).apply(meta, {
  description:
    'What the person may do: `owner` as the scope `merchant:admin`, `manager` as `merchant`, `accountant` as `merchant:accounting`, `cashier` as `merchant:till`',
})

const TILLS =
  'Of a cashier: the `qrCodeUid`s of the `COUNTER` codes that exist for this person. Without it, all'
const OF_CASHIER = 'absent for a role that is not cashier'

const Name = line(60).apply(meta, { description: 'The name of the person, as events and lists show it' })

export const PersonRequest = strictObject({
  id: PersonId,
  name: Name,
  role: SiteRoleName,
  tills: z.optional(Tills).apply(meta, { description: TILLS }),
})
  .check(
    z.check(({ value: { role, tills }, issues }) => {
      if (tills === undefined || role === 'cashier') return
      issues.push({ code: 'custom', input: tills, path: ['tills'], message: OF_CASHIER })
    }),
  )
  .apply(meta, { id: 'PersonRequest' })
export type PersonRequest = z.output<typeof PersonRequest>

export const OwnerRequest = strictObject({ id: PersonId, name: Name }).apply(meta, { id: 'OwnerRequest' })

const OPERATOR_ROLE_RULE = `one of ${OPERATOR_ROLES.join(', ')}`
const OperatorRoleName = z.enum(OPERATOR_ROLES, OPERATOR_ROLE_RULE).apply(meta, {
  description: 'What the person may do: `operator` as the scope `operator`, `support` as `operator:read`',
})

export const OperatorRequest = strictObject({ id: PersonId, name: Name, role: OperatorRoleName }).apply(
  meta,
  {
    id: 'OperatorRequest',
  },
)

export const OperatorPatch = strictObject({
  name: z.optional(Name),
  role: z.optional(OperatorRoleName),
}).apply(meta, { id: 'OperatorPatch' })

export const PersonPatch = strictObject({
  name: z.optional(Name),
  role: z.optional(SiteRoleName),
  tills: z.optional(z.nullable(Tills)).apply(meta, { description: `${TILLS}: null` }),
}).apply(meta, { id: 'PersonPatch' })
export type PersonPatch = z.output<typeof PersonPatch>

const DateTime = z.iso.datetime({ offset: true })

const PasskeyAnswer = z
  .object({
    id: z.string(),
    label: z.string().apply(meta, { description: 'A name by which the person recognises it' }),
    createdOn: DateTime,
    lastUsedOn: z.optional(DateTime),
  })
  .apply(meta, { id: 'Passkey' })

const PERSON_SHAPE = {
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  tills: z.optional(z.array(z.string())).apply(meta, { description: TILLS }),
  createdOn: DateTime,
  lastUsedOn: z.optional(DateTime).apply(meta, { description: 'The latest use, to the day' }),
  removedOn: z.optional(DateTime).apply(meta, { description: 'When the person was removed' }),
  passkeys: z.array(PasskeyAnswer).apply(meta, { description: `At most ${MAX_PASSKEYS}` }),
  invitedUntil: z
    .optional(DateTime)
    .apply(meta, { description: 'Until when the invitation can be used; absent where there is none' }),
}

export const PersonAnswer = z.object(PERSON_SHAPE).apply(meta, { id: 'Person' })
export type PersonAnswer = z.infer<typeof PersonAnswer>

export const PeopleAnswer = z.object({ people: z.array(PersonAnswer) }).apply(meta, { id: 'People' })

export const OwnersAnswer = z.object({ owners: z.array(PersonAnswer) }).apply(meta, { id: 'Owners' })

export const InvitationAnswer = z
  .object({
    url: z.string().apply(meta, {
      description: 'Where the person makes a passkey, once. Only this response shows it',
    }),
    expiresOn: DateTime,
  })
  .apply(meta, { id: 'Invitation' })
export type InvitationAnswer = z.infer<typeof InvitationAnswer>

export const NewPersonAnswer = z
  .object({
    ...PERSON_SHAPE,
    invitation: z
      .optional(InvitationAnswer)
      .apply(meta, { description: 'Absent where the person was added by an earlier request' }),
  })
  .apply(meta, { id: 'NewPerson' })

/** The answer that shows a person. @param offset the deployment's offset from UTC */
export function personAnswer(person: Person, offset: string): PersonAnswer {
  const at = (time: number | undefined) => (time === undefined ? undefined : formatDateTime(time, offset))
  return {
    id: person.id,
    name: person.name,
    role: person.role,
    ...(person.tills && { tills: [...person.tills] }),
    createdOn: formatDateTime(person.createdAt, offset),
    ...present({ lastUsedOn: at(person.lastUsedAt), removedOn: at(person.removedAt) }),
    passkeys: person.passkeys.map(({ id, label, createdAt, lastUsedAt }) => ({
      id,
      label,
      createdOn: formatDateTime(createdAt, offset),
      ...present({ lastUsedOn: at(lastUsedAt) }),
    })),
    ...present({ invitedUntil: at(person.invitedUntil) }),
  }
}

/** An invitation as it is shown once; `expiresAt` is Unix seconds. */
export interface NewInvitation extends Pick<Invitation, 'expiresAt'> {
  url: string
}

/** The answer that shows an invitation. */
export const invitationAnswer = ({ url, expiresAt }: NewInvitation, offset: string): InvitationAnswer => ({
  url,
  expiresOn: formatDateTime(expiresAt, offset),
})

/** The fields that have a value. */
const present = <Fields extends Record<string, string | undefined>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const CASHIER = { id: 'anna', name: 'Anna Petrova', role: 'cashier', tills: ['till-1'] }

export const PERSON_REQUEST_EXAMPLES = {
  cashier: { summary: 'A cashier of one till', value: CASHIER },
  owner: { summary: 'An owner', value: { id: 'boris', name: 'Boris Smirnov', role: 'owner' } },
} satisfies Record<string, Example>

export const PERSON_PATCH_EXAMPLES = {
  role: { summary: 'A cashier becomes a manager', value: { role: 'manager' } },
  tills: { summary: 'A cashier of all tills', value: { tills: null } },
} satisfies Record<string, Example>

const createdOn = '2026-11-20T20:10:32+03:00'
const expiresOn = '2026-11-23T20:10:32+03:00'
const url = 'https://qr.example/console/join?code=…'
const passkey = { id: 'Vd3oXBCcQ0Gg', label: 'Phone', createdOn: '2026-11-20T20:12:05+03:00' }

export const NEW_PERSON_EXAMPLE: Example = {
  summary: 'A cashier, and the invitation',
  value: { ...CASHIER, createdOn, passkeys: [], invitedUntil: expiresOn, invitation: { url, expiresOn } },
}

export const PERSON_EXAMPLE: Example = {
  summary: 'The cashier is a manager now',
  value: { id: 'anna', name: 'Anna Petrova', role: 'manager', createdOn, passkeys: [passkey] },
}

export const PEOPLE_EXAMPLE: Example = {
  summary: 'A cashier who has joined',
  value: { people: [{ ...CASHIER, createdOn, passkeys: [passkey] }] },
}

const OWNER = { id: 'boris', name: 'Boris Smirnov' }

export const OWNER_REQUEST_EXAMPLES = {
  owner: { summary: 'The first owner', value: OWNER },
} satisfies Record<string, Example>

export const NEW_OWNER_EXAMPLE: Example = {
  summary: 'An owner, and the invitation',
  value: {
    ...OWNER,
    role: 'owner',
    createdOn,
    passkeys: [],
    invitedUntil: expiresOn,
    invitation: { url, expiresOn },
  },
}

const OLGA = { id: 'olga', name: 'Olga Orlova', role: 'operator' }

export const OPERATOR_REQUEST_EXAMPLES = {
  operator: { summary: 'An operator', value: OLGA },
} satisfies Record<string, Example>

export const OPERATOR_PATCH_EXAMPLES = {
  role: { summary: 'Reads alone from now on', value: { role: 'support' } },
} satisfies Record<string, Example>

export const NEW_OPERATOR_EXAMPLE: Example = {
  summary: 'An operator, and the invitation',
  value: { ...OLGA, createdOn, passkeys: [], invitedUntil: expiresOn, invitation: { url, expiresOn } },
}

export const SUPPORT_EXAMPLE: Example = {
  summary: 'The person reads alone now',
  value: { ...OLGA, role: 'support', createdOn, passkeys: [passkey] },
}

export const OPERATORS_EXAMPLE: Example = {
  summary: 'An operator who has joined',
  value: { people: [{ ...OLGA, createdOn, passkeys: [passkey] }] },
}

export const OWNERS_EXAMPLE: Example = {
  summary: 'An owner who has joined',
  value: { owners: [{ ...OWNER, role: 'owner', createdOn, passkeys: [passkey] }] },
}

export const INVITATION_EXAMPLE: Example = { summary: 'Another invitation', value: { url, expiresOn } }
