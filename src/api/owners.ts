// The owners of a site, whom the operator invites: how a merchant is brought in, and what helps the last owner (contract, section 16).
import * as z from 'zod/mini'
import {
  INVITATION_EXAMPLE,
  InvitationAnswer,
  invitationAnswer,
  NEW_OWNER_EXAMPLE,
  NewPersonAnswer,
  OWNER_REQUEST_EXAMPLES,
  OWNERS_EXAMPLE,
  OwnerRequest,
  OwnersAnswer,
  PersonId,
  personAnswer,
} from '../contract/people.ts'
import { ApiError } from '../errors.ts'
import { networkOf } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { NO_TEST_SITES } from '../http/auth.ts'
import { operation } from '../http/operation.ts'
import { quote } from '../http/validate.ts'
import { newHandle, newInvitation, newPersonContent, shown } from './people.ts'
import { OPERATOR_TAG, SITE } from './sites.ts'

const COLLECTION = `${SITE}/owners` as const
const Item = z.object({ personId: PersonId })

/** The operations on the owners of a site. */
export const owners = () => [
  operation({
    operationId: 'listOwners',
    method: 'get',
    path: COLLECTION,
    tag: OPERATOR_TAG,
    summary: 'List the owners of a site',
    description: 'The people of the site who are owners, the oldest first; not those who were removed.',
    scopes: ['operator', 'operator:read'],
    answer: {
      schema: OwnersAnswer,
      description: 'The owners',
      headers: [],
      examples: { owners: OWNERS_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: listOwners,
    toContent: ({ service: { config } }, all) => ({
      value: { owners: all.map((person) => personAnswer(person, config.utcOffset)) },
    }),
  }),
  operation({
    operationId: 'inviteOwner',
    method: 'post',
    path: COLLECTION,
    tag: OPERATOR_TAG,
    summary: 'Invite an owner',
    description: `Adds an owner, also to a site that nobody has written to, which exists from now on. The answer has an \
invitation: the owner opens its address within 72 hours, makes a passkey, and is signed in. The same request again gives the \
person alone.`,
    scopes: ['operator'],
    body: { schema: OwnerRequest, examples: OWNER_REQUEST_EXAMPLES },
    answer: {
      schema: NewPersonAnswer,
      description: 'The person, and the invitation. Only this response shows the address',
      headers: ['Idempotent-Replayed'],
      examples: { owner: NEW_OWNER_EXAMPLE },
    },
    errors: ['payin.resource.already.exists', 'payin.incorrect-method-invocation'],
    act: { name: 'owner.invite', details: ({ body }) => ({ personId: body.id, person: body.name }) },
    handle: inviteOwner,
    toContent: newPersonContent,
  }),
  operation({
    operationId: 'inviteOwnerAgain',
    method: 'post',
    path: `${COLLECTION}/{personId}/invitations`,
    parameters: Item,
    tag: OPERATOR_TAG,
    summary: 'Invite an owner again',
    description:
      'For an owner whose invitation has expired, or who has lost the passkey. It ends the earlier invitation. When the owner joins, the earlier passkeys and sessions of this person end.',
    scopes: ['operator'],
    answer: {
      schema: InvitationAnswer,
      description: 'The invitation. Only this response shows the address',
      headers: [],
      examples: { invitation: INVITATION_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    act: { name: 'owner.invite', details: ({ path }) => ({ personId: path.personId }) },
    handle: inviteOwnerAgain,
    toContent: ({ service: { config } }, invitation) => ({
      value: invitationAnswer(invitation, config.utcOffset),
    }),
  }),
]

/** @throws ApiError 404 for the name of a test site where the deployment has none */
function requireServed({ service: { config }, siteId }: SiteContext): void {
  if (networkOf(config, siteId).isServed) return
  throw new ApiError(
    'http.url.not.found',
    `siteId is ${quote(siteId)}, must not end with -test: ${NO_TEST_SITES}`,
  )
}

const listOwners = async (site: SiteContext) =>
  (await callSite(site, (object) => object.people(site.caller))).filter(
    ({ role, removedAt }) => role === 'owner' && removedAt === undefined,
  )

async function inviteOwner(site: SiteContext, { body }: { body: z.output<typeof OwnerRequest> }) {
  requireServed(site)
  const invitation = newInvitation(site)
  const handle = newHandle(site)
  const added = await callSite(site, (object) =>
    object.addOwner(site.caller, { ...body, role: 'owner', handle, invitation }),
  )
  return { ...added, invitation: added.isReplayed ? undefined : await shown(site, invitation) }
}

async function inviteOwnerAgain(site: SiteContext, { path }: { path: z.output<typeof Item> }) {
  const invitation = { ...newInvitation(site), replaces: true }
  await callSite(site, (object) => object.inviteOwner(site.caller, path.personId, invitation))
  return shown(site, invitation)
}
