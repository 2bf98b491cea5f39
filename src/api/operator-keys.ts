// The keys of operators: listed and revoked by operators (contract, section 16).
import * as z from 'zod/mini'
import { KeyId } from '../contract/access-token.ts'
import { OPERATOR_KEYS_EXAMPLE, OperatorKeysAnswer, operatorKeyAnswer } from '../contract/operator-key.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callRegistry, unwrap } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import { OPERATOR_TAG } from './sites.ts'

const COLLECTION = '/operator/v1/keys'
const Item = z.object({ keyId: KeyId })

/** The operations on the keys of operators. */
export const operatorKeys = () => [
  operation({
    operationId: 'listOperatorKeys',
    method: 'get',
    path: COLLECTION,
    tag: OPERATOR_TAG,
    summary: 'List the keys of operators',
    description:
      'The list has each key after its first use or its revocation. It does not show their tokens.',
    scopes: ['operator', 'operator:read'],
    answer: {
      schema: OperatorKeysAnswer,
      description: 'The keys, the oldest first',
      headers: [],
      examples: { keys: OPERATOR_KEYS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: ({ service }: SiteContext) => callRegistry(service, (registry) => registry.operatorKeys()),
    toContent: ({ service: { config } }, keys) => ({
      value: { keys: keys.map((key) => operatorKeyAnswer(key, config.utcOffset)) },
    }),
  }),
  operation({
    operationId: 'revokeOperatorKey',
    method: 'delete',
    path: `${COLLECTION}/{keyId}`,
    parameters: Item,
    tag: OPERATOR_TAG,
    summary: 'Revoke a key of an operator',
    description: `The next request with the key gets 401, and its sessions of the console end. You can revoke a key that was \
never used. The same request again changes nothing. The last key that is left cannot revoke itself: 409; \
\`REVOKED_KEYS\` ends it.`,
    scopes: ['operator'],
    answer: { description: 'The key is revoked', headers: [], status: 204 },
    errors: ['validation.error', 'payin.incorrect-method-invocation'],
    act: {
      name: 'key.revoke',
      details: ({ path }) => ({ revokedKeyId: path.keyId }),
      outcome: (revokedLabel) => ({ ...(revokedLabel !== undefined && { revokedLabel }) }),
    },
    handle: revokeOperatorKey,
    toContent: () => ({ status: 204 }),
  }),
]

/** @returns the label of the key */
async function revokeOperatorKey(
  { service, caller }: SiteContext,
  { path }: { path: z.output<typeof Item> },
): Promise<string | undefined> {
  const refused = [...service.config.revokedKeys]
  return unwrap(
    await callRegistry(service, (registry) => registry.revokeOperatorKey(caller.keyId, path.keyId, refused)),
  )
}
