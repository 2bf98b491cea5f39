// The people of a site: added, invited, changed and removed by an owner (contract, section 12).
import * as z from 'zod/mini'
import {
  INVITATION_EXAMPLE,
  InvitationAnswer,
  invitationAnswer,
  NEW_PERSON_EXAMPLE,
  type NewInvitation,
  NewPersonAnswer,
  PasskeyId,
  PEOPLE_EXAMPLE,
  PERSON_EXAMPLE,
  PERSON_PATCH_EXAMPLES,
  PERSON_REQUEST_EXAMPLES,
  PeopleAnswer,
  PersonAnswer,
  PersonId,
  PersonPatch,
  PersonRequest,
  personAnswer,
} from '../contract/people.ts'
import {
  INVITATION_SECONDS,
  type Invitation,
  MAX_PASSKEYS,
  MAX_PEOPLE,
  type Person,
} from '../contract/person.ts'
import type { SiteContext } from '../gateway/context.ts'
import { removePerson } from '../gateway/removed-person.ts'
import { callSite } from '../gateway/site-client.ts'
import { invitationUrl } from '../http/invitations.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { replayed } from './answer.ts'

const TAG = { name: 'People', description: 'Who can sign in to the console of the site, by a passkey' }

const COLLECTION = '/payin/v1/sites/{siteId}/people'
const ITEM = `${COLLECTION}/{personId}` as const
const Item = z.object({ personId: PersonId })
const PasskeyItem = z.object({ personId: PersonId, passkeyId: PasskeyId })

type OfItem<Path extends z.ZodMiniObject = typeof Item> = { path: z.output<Path> }

/** The operations on people. */
export const people = () => [
  operation({
    operationId: 'listPeople',
    method: 'get',
    path: COLLECTION,
    tag: TAG,
    summary: 'List people',
    description: 'The oldest first, also those who were removed.',
    scopes: ['merchant:admin'],
    answer: {
      schema: PeopleAnswer,
      description: 'The people',
      headers: [],
      examples: { people: PEOPLE_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: (site) => callSite(site, (object) => object.people(site.caller)),
    toContent: ({ service: { config } }, all) => ({
      value: { people: all.map((person) => personAnswer(person, config.utcOffset)) },
    }),
  }),
  operation({
    operationId: 'addPerson',
    method: 'post',
    path: COLLECTION,
    tag: TAG,
    summary: 'Add a person',
    description: `The answer has an invitation: the person opens its address within 72 hours, makes a passkey, and is signed in. \
The same request again gives the person alone. The \`id\` of a person who was removed cannot be used again. A site has at most ${MAX_PEOPLE} \
people.`,
    scopes: ['merchant:admin'],
    body: { schema: PersonRequest, examples: PERSON_REQUEST_EXAMPLES },
    answer: {
      schema: NewPersonAnswer,
      description: 'The person, and the invitation. Only this response shows the address',
      headers: ['Idempotent-Replayed'],
      examples: { cashier: NEW_PERSON_EXAMPLE },
    },
    errors: ['payin.resource.already.exists', 'payin.incorrect-method-invocation'],
    handle: addPerson,
    toContent: newPersonContent,
  }),
  operation({
    operationId: 'changePerson',
    method: 'patch',
    path: ITEM,
    parameters: Item,
    tag: TAG,
    summary: 'Change a person',
    description:
      'Changes the fields that the body has, from the next request of the person on. Only a cashier has `tills`: with another role they end. The last owner with a passkey keeps the role: 409.',
    scopes: ['merchant:admin'],
    body: {
      schema: PersonPatch,
      examples: PERSON_PATCH_EXAMPLES,
      mediaTypes: ['application/merge-patch+json', 'application/json'],
    },
    answer: {
      schema: PersonAnswer,
      description: 'The person',
      headers: [],
      examples: { manager: PERSON_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'payin.incorrect-method-invocation'],
    handle: (site, { path, body }) =>
      callSite(site, (object) => object.changePerson(site.caller, path.personId, body)),
    toContent: ({ service: { config } }, person) => ({ value: personAnswer(person, config.utcOffset) }),
  }),
  operation({
    operationId: 'removePerson',
    method: 'delete',
    path: ITEM,
    parameters: Item,
    tag: TAG,
    summary: 'Remove a person',
    description:
      'The sessions, the passkeys and the invitation of the person end: the next request is refused. The name stays for events. The last owner with a passkey stays: 409. The same request again changes nothing.',
    scopes: ['merchant:admin'],
    answer: { description: 'The person is removed', headers: [], status: 204 },
    errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
    handle: (site, { path }) => done(removePerson(site, path.personId)),
  }),
  operation({
    operationId: 'invitePerson',
    method: 'post',
    path: `${ITEM}/invitations`,
    parameters: Item,
    tag: TAG,
    summary: 'Invite a person again',
    description: `Ends the earlier invitation. A person who joins again has one passkey more, of at most ${MAX_PASSKEYS}.`,
    scopes: ['merchant:admin'],
    answer: {
      schema: InvitationAnswer,
      description: 'The invitation. Only this response shows the address',
      headers: [],
      examples: { invitation: INVITATION_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: invitePerson,
    toContent: ({ service: { config } }, invitation) => ({
      value: invitationAnswer(invitation, config.utcOffset),
    }),
  }),
  operation({
    operationId: 'removePasskey',
    method: 'delete',
    path: `${ITEM}/passkeys/{passkeyId}`,
    parameters: PasskeyItem,
    tag: TAG,
    summary: 'Remove a passkey',
    description:
      'Its sessions end. The last owner with a passkey keeps the last one: 409. The same request again changes nothing.',
    scopes: ['merchant:admin'],
    answer: { description: 'There is no such passkey any more', headers: [], status: 204 },
    errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
    handle: (site, { path }) =>
      done(callSite(site, (object) => object.removePasskey(site.caller, path.personId, path.passkeyId))),
  }),
  operation({
    operationId: 'endPersonSessions',
    method: 'delete',
    path: `${ITEM}/sessions`,
    parameters: Item,
    tag: TAG,
    summary: 'Sign a person out everywhere',
    description: 'All sessions of the person end; the passkeys stay. The same request again changes nothing.',
    scopes: ['merchant:admin'],
    answer: { description: 'The sessions have ended', headers: [], status: 204 },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: (site, { path }) =>
      done(callSite(site, (object) => object.endPersonSessions(site.caller, path.personId))),
  }),
]

async function addPerson(site: SiteContext, { body }: { body: PersonRequest }) {
  const { caller } = site
  const invitation = newInvitation(site)
  const handle = newHandle(site)
  const added = await callSite(site, (object) => object.addPerson(caller, { ...body, handle, invitation }))
  return { ...added, invitation: added.isReplayed ? undefined : await shown(site, invitation) }
}

async function invitePerson(site: SiteContext, { path }: OfItem) {
  const invitation = newInvitation(site)
  await callSite(site, (object) => object.invite(site.caller, path.personId, invitation))
  return shown(site, invitation)
}

/** What answers that a person is added. @param invitation undefined where the same request came before */
export const newPersonContent = (
  { service: { config } }: SiteContext,
  {
    person,
    isReplayed,
    invitation,
  }: { person: Person; isReplayed: boolean; invitation: NewInvitation | undefined },
): ResponseContent<z.output<typeof NewPersonAnswer>> => ({
  value: {
    ...personAnswer(person, config.utcOffset),
    ...(invitation && { invitation: invitationAnswer(invitation, config.utcOffset) }),
  },
  headers: replayed(isReplayed),
})

/** A WebAuthn user handle. */
export const newHandle = ({ service }: SiteContext): string =>
  service.random(16).toBase64({ alphabet: 'base64url', omitPadding: true })

export const newInvitation = ({ service }: SiteContext): Invitation => ({
  id: service.random(16).toHex(),
  expiresAt: Math.floor(service.now() / 1000) + INVITATION_SECONDS,
})

/** An invitation with its address. @param of the siteId, or OPERATOR */
export async function shown(
  { service: { config }, origin, siteId }: SiteContext,
  invitation: Invitation,
  of = siteId,
): Promise<NewInvitation> {
  const url = await invitationUrl(config, origin, of, invitation)
  return { url, expiresAt: invitation.expiresAt }
}

async function done(call: Promise<void>): Promise<ResponseContent<never>> {
  await call
  return { status: 204 }
}
