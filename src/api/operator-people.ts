// The people of the deployment: added, invited, changed and removed by an operator (contract, section 16).
import * as z from 'zod/mini'
import { OPERATOR } from '../contract/access-token.ts'
import type { ActDetails } from '../contract/audit.ts'
import {
  INVITATION_EXAMPLE,
  InvitationAnswer,
  invitationAnswer,
  NEW_OPERATOR_EXAMPLE,
  NewPersonAnswer,
  OPERATOR_PATCH_EXAMPLES,
  OPERATOR_REQUEST_EXAMPLES,
  OPERATORS_EXAMPLE,
  OperatorPatch,
  OperatorRequest,
  PasskeyId,
  PeopleAnswer,
  PersonAnswer,
  PersonId,
  personAnswer,
  SUPPORT_EXAMPLE,
} from '../contract/people.ts'
import type { Outcome } from '../errors.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callRegistry, unwrap } from '../gateway/site-client.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { newHandle, newInvitation, newPersonContent, shown } from './people.ts'
import { OPERATOR_TAG } from './sites.ts'

const COLLECTION = '/operator/v1/people'
const ITEM = `${COLLECTION}/{personId}` as const
const Item = z.object({ personId: PersonId })
const PasskeyItem = z.object({ personId: PersonId, passkeyId: PasskeyId })

type Path<Parameters extends z.ZodMiniObject = typeof Item> = { path: z.output<Parameters> }
const ofPerson = ({ path }: Path): ActDetails => ({ personId: path.personId })

/** The operations on the people of the deployment. */
export const operatorPeople = () => [
  operation({
    operationId: 'listOperators',
    method: 'get',
    path: COLLECTION,
    tag: OPERATOR_TAG,
    summary: 'List the people of the deployment',
    description: 'The oldest first, also those who were removed.',
    scopes: ['operator', 'operator:read'],
    answer: {
      schema: PeopleAnswer,
      description: 'The people',
      headers: [],
      examples: { people: OPERATORS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: async ({ service, caller }: SiteContext) =>
      unwrap(await callRegistry(service, (registry) => registry.people(caller))),
    toContent: ({ service: { config } }, all) => ({
      value: { people: all.map((person) => personAnswer(person, config.utcOffset)) },
    }),
  }),
  operation({
    operationId: 'addOperator',
    method: 'post',
    path: COLLECTION,
    tag: OPERATOR_TAG,
    summary: 'Add a person of the deployment',
    description: `The answer has an invitation: the person opens its address within 72 hours, makes a passkey, and is signed in. \
The same request again gives the person alone.`,
    scopes: ['operator'],
    body: { schema: OperatorRequest, examples: OPERATOR_REQUEST_EXAMPLES },
    answer: {
      schema: NewPersonAnswer,
      description: 'The person, and the invitation. Only this response shows the address',
      headers: ['Idempotent-Replayed'],
      examples: { operator: NEW_OPERATOR_EXAMPLE },
    },
    errors: ['payin.resource.already.exists', 'payin.incorrect-method-invocation'],
    act: {
      name: 'person.invite',
      details: ({ body }) => ({ personId: body.id, person: body.name, role: body.role }),
    },
    handle: addOperator,
    toContent: newPersonContent,
  }),
  operation({
    operationId: 'changeOperator',
    method: 'patch',
    path: ITEM,
    parameters: Item,
    tag: OPERATOR_TAG,
    summary: 'Change a person of the deployment',
    description:
      'Changes the fields that the body has, from the next request of the person on. The last operator with a passkey keeps the role: 409.',
    scopes: ['operator'],
    body: {
      schema: OperatorPatch,
      examples: OPERATOR_PATCH_EXAMPLES,
      mediaTypes: ['application/merge-patch+json', 'application/json'],
    },
    answer: {
      schema: PersonAnswer,
      description: 'The person',
      headers: [],
      examples: { support: SUPPORT_EXAMPLE },
    },
    errors: ['payin.resource.not.found', 'payin.incorrect-method-invocation'],
    act: {
      name: 'person.change',
      details: ({ path, body: { role } }) => ({ personId: path.personId, ...(role && { role }) }),
    },
    handle: async ({ service, caller }: SiteContext, { path, body }) =>
      unwrap(await callRegistry(service, (registry) => registry.changePerson(caller, path.personId, body))),
    toContent: ({ service: { config } }, person) => ({ value: personAnswer(person, config.utcOffset) }),
  }),
  operation({
    operationId: 'removeOperator',
    method: 'delete',
    path: ITEM,
    parameters: Item,
    tag: OPERATOR_TAG,
    summary: 'Remove a person of the deployment',
    description:
      'The sessions, the passkeys and the invitation of the person end: the next request is refused. The last operator with a passkey stays: 409. The same request again changes nothing.',
    scopes: ['operator'],
    answer: { description: 'The person is removed', headers: [], status: 204 },
    errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
    act: { name: 'person.remove', details: ofPerson },
    handle: ({ service, caller }: SiteContext, { path }: Path) =>
      done(callRegistry(service, (registry) => registry.removePerson(caller, path.personId))),
  }),
  operation({
    operationId: 'inviteOperator',
    method: 'post',
    path: `${ITEM}/invitations`,
    parameters: Item,
    tag: OPERATOR_TAG,
    summary: 'Invite a person of the deployment again',
    description: 'Ends the earlier invitation. A person who joins again has one passkey more.',
    scopes: ['operator'],
    answer: {
      schema: InvitationAnswer,
      description: 'The invitation. Only this response shows the address',
      headers: [],
      examples: { invitation: INVITATION_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    act: { name: 'person.invite', details: ofPerson },
    handle: inviteOperator,
    toContent: ({ service: { config } }, invitation) => ({
      value: invitationAnswer(invitation, config.utcOffset),
    }),
  }),
  operation({
    operationId: 'removeOperatorPasskey',
    method: 'delete',
    path: `${ITEM}/passkeys/{passkeyId}`,
    parameters: PasskeyItem,
    tag: OPERATOR_TAG,
    summary: 'Remove a passkey of a person of the deployment',
    description:
      'Its sessions end. The last operator with a passkey keeps the last one: 409. The same request again changes nothing.',
    scopes: ['operator'],
    answer: { description: 'There is no such passkey any more', headers: [], status: 204 },
    errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
    act: {
      name: 'person.change',
      details: ({ path }) => ({ personId: path.personId, removedPasskey: path.passkeyId }),
    },
    handle: ({ service, caller }: SiteContext, { path }: Path<typeof PasskeyItem>) =>
      done(
        callRegistry(service, (registry) => registry.removePasskey(caller, path.personId, path.passkeyId)),
      ),
  }),
  operation({
    operationId: 'endOperatorSessions',
    method: 'delete',
    path: `${ITEM}/sessions`,
    parameters: Item,
    tag: OPERATOR_TAG,
    summary: 'Sign a person of the deployment out everywhere',
    description: 'All sessions of the person end; the passkeys stay. The same request again changes nothing.',
    scopes: ['operator'],
    answer: { description: 'The sessions have ended', headers: [], status: 204 },
    errors: ['validation.error', 'payin.resource.not.found'],
    act: { name: 'person.change', details: ({ path }) => ({ ...ofPerson({ path }), endedSessions: true }) },
    handle: ({ service, caller }: SiteContext, { path }: Path) =>
      done(callRegistry(service, (registry) => registry.endPersonSessions(caller, path.personId))),
  }),
]

async function addOperator(site: SiteContext, { body }: { body: z.output<typeof OperatorRequest> }) {
  const invitation = newInvitation(site)
  const person = { ...body, handle: newHandle(site), invitation }
  const added = unwrap(
    await callRegistry(site.service, (registry) => registry.addPerson(site.caller, person)),
  )
  return { ...added, invitation: added.isReplayed ? undefined : await shown(site, invitation, OPERATOR) }
}

async function inviteOperator(site: SiteContext, { path }: Path) {
  const invitation = newInvitation(site)
  unwrap(
    await callRegistry(site.service, (registry) => registry.invite(site.caller, path.personId, invitation)),
  )
  return shown(site, invitation, OPERATOR)
}

async function done(call: Promise<Outcome<void>>): Promise<ResponseContent<never>> {
  unwrap(await call)
  return { status: 204 }
}
