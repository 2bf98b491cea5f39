// The API keys of a site: listed, made and revoked by the merchant (contract, section 12).
import * as z from 'zod/mini'
import { KeyId } from '../contract/access-token.ts'
import {
  API_KEY_REQUEST_EXAMPLES,
  API_KEYS_EXAMPLE,
  ApiKeyRequest,
  ApiKeysAnswer,
  apiKeyAnswer,
  NEW_API_KEY_EXAMPLE,
  NewApiKeyAnswer,
} from '../contract/api-key.ts'
import { ApiError } from '../errors.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { signToken } from '../http/access-tokens.ts'
import { operation, type ResponseContent } from '../http/operation.ts'

const TAG = { name: 'API keys', description: 'The access tokens of the site' }

const COLLECTION = '/payin/v1/sites/{siteId}/apiKeys'
const Item = z.object({ keyId: KeyId })

/** The operations on API keys. */
export const apiKeys = () => [
  operation({
    operationId: 'listApiKeys',
    method: 'get',
    path: COLLECTION,
    tag: TAG,
    summary: 'List API keys',
    description:
      'The list has the keys that were created by the API, and each key of the command line after its first use. It does not show their tokens.',
    scopes: ['merchant:admin'],
    answer: {
      schema: ApiKeysAnswer,
      description: 'The keys',
      headers: [],
      examples: { keys: API_KEYS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: listApiKeys,
    toContent: ({ service: { config } }, keys) => ({
      value: { apiKeys: keys.map((key) => apiKeyAnswer(key, config.utcOffset)) },
    }),
  }),
  operation({
    operationId: 'createApiKey',
    method: 'post',
    path: COLLECTION,
    tag: TAG,
    summary: 'Create an API key',
    description:
      'A key with the scope `network` is refused with 403: only the operator of the deployment creates such keys.',
    scopes: ['merchant:admin'],
    body: { schema: ApiKeyRequest, examples: API_KEY_REQUEST_EXAMPLES },
    answer: {
      schema: NewApiKeyAnswer,
      description: 'The key and its access token. Only this response shows the token',
      headers: [],
      examples: { key: NEW_API_KEY_EXAMPLE },
    },
    errors: [],
    handle: createApiKey,
    toContent: ({ service: { config } }, { key, token }) => ({
      value: { ...apiKeyAnswer(key, config.utcOffset), token },
    }),
  }),
  operation({
    operationId: 'revokeApiKey',
    method: 'delete',
    path: `${COLLECTION}/{keyId}`,
    parameters: Item,
    tag: TAG,
    summary: 'Revoke an API key',
    description: `The next request with the key gets 401. You can revoke a token of the command line that was never \
used. The same request again changes nothing. A key that was used with the scope \`network\` \
cannot be revoked: 403.`,
    scopes: ['merchant:admin'],
    answer: { description: 'The key is revoked', headers: [], status: 204 },
    errors: ['validation.error'],
    handle: revokeApiKey,
  }),
]

const listApiKeys = (site: SiteContext) => callSite(site, (object) => object.apiKeys(site.caller))

const SECONDS_A_DAY = 86_400

async function createApiKey(
  site: SiteContext,
  { body: { label, scope, tills, days } }: { body: z.output<typeof ApiKeyRequest> },
) {
  const { siteId, caller, service } = site
  if (scope.split(' ').includes('network')) {
    throw new ApiError('auth.forbidden', 'scope has network, must be made by the deployment', {
      headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
    })
  }
  const id = service.random(16).toHex()
  const issuedAt = Math.floor(service.now() / 1000)
  const key = { id, label, scope, tills, createdAt: issuedAt, expiresAt: issuedAt + days * SECONDS_A_DAY }
  await callSite(site, (object) => object.addApiKey(caller, key))
  const token = await signToken(service.config.secrets[0], {
    siteId,
    keyId: id,
    scope,
    tills,
    issuedAt,
    expiresAt: key.expiresAt,
    label,
  })
  return { key, token }
}

async function revokeApiKey(
  site: SiteContext,
  { path }: { path: z.output<typeof Item> },
): Promise<ResponseContent<never>> {
  await callSite(site, (object) => object.revokeApiKey(site.caller, path.keyId))
  return { status: 204 }
}
