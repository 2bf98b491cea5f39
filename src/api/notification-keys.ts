// The keys that sign the notifications of a site (contract, section 12).
import * as z from 'zod/mini'
import { meta } from '../contract/meta.ts'
import {
  NEW_NOTIFICATION_KEY_EXAMPLE,
  NewNotificationKeyAnswer,
  NOTIFICATION_KEY_EXAMPLE,
  NOTIFICATION_KEYS_EXAMPLE,
  NotificationKeyAnswer,
  NotificationKeysAnswer,
  notificationKeyAnswer,
} from '../contract/notification-key.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { SETTINGS_PATH, SETTINGS_TAG } from './settings.ts'

const KEYS_PATH = `${SETTINGS_PATH}/notificationKeys` as const
const Item = z.object({
  keyId: z.string().apply(meta, { description: 'Identifier of the notification key' }),
})

/** The operations on the keys. */
export const notificationKeys = () => [
  operation({
    operationId: 'listNotificationKeys',
    method: 'get',
    path: KEYS_PATH,
    tag: SETTINGS_TAG,
    summary: 'List notification keys',
    description:
      'The active key and, during a rotation, the next key. The response does not have the secret texts of the keys.',
    scopes: ['merchant:admin'],
    answer: {
      schema: NotificationKeysAnswer,
      description: 'The keys, the active one first',
      headers: [],
      examples: { rotation: NOTIFICATION_KEYS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: listNotificationKeys,
    toContent: ({ service: { config } }, keys) => ({
      value: { notificationKeys: keys.map((key) => notificationKeyAnswer(key, config.utcOffset)) },
    }),
  }),
  operation({
    operationId: 'createNotificationKey',
    method: 'post',
    path: KEYS_PATH,
    tag: SETTINGS_TAG,
    summary: 'Create a notification key',
    description: `The first key is active at once. A later key is inactive until you activate it. While a site has two \
keys, \`webhook-signature\` has a signature of each. To replace a key, create a new one, let your receiver accept both, \
and activate the new one. A site has at most one inactive key.`,
    scopes: ['merchant:admin'],
    answer: {
      schema: NewNotificationKeyAnswer,
      description: 'The key. Only this response shows its secret text',
      headers: [],
      examples: { first: NEW_NOTIFICATION_KEY_EXAMPLE },
    },
    errors: ['validation.error', 'payin.incorrect-method-invocation'],
    handle: createNotificationKey,
    toContent: ({ service: { config } }, { made, key }) => ({
      value: { ...notificationKeyAnswer(made, config.utcOffset), key },
    }),
  }),
  operation({
    operationId: 'activateNotificationKey',
    method: 'post',
    path: `${KEYS_PATH}/{keyId}/activate`,
    parameters: Item,
    tag: SETTINGS_TAG,
    summary: 'Activate a notification key',
    description: 'The key that was active ends. The same request again changes nothing.',
    scopes: ['merchant:admin'],
    answer: {
      schema: NotificationKeyAnswer,
      description: 'The active key',
      headers: [],
      examples: { active: NOTIFICATION_KEY_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: activateNotificationKey,
  }),
]

const listNotificationKeys = (site: SiteContext) =>
  callSite(site, (object) => object.notificationKeys(site.caller))

async function createNotificationKey(site: SiteContext) {
  const { random } = site.service
  const id = random(8).toHex()
  const key = `whsec_${random(32).toBase64()}`
  const made = await callSite(site, (object) => object.addNotificationKey(site.caller, { id, key }))
  return { made, key }
}

async function activateNotificationKey(
  site: SiteContext,
  { path }: { path: z.output<typeof Item> },
): Promise<ResponseContent<NotificationKeyAnswer>> {
  const key = await callSite(site, (object) => object.activateNotificationKey(site.caller, path.keyId))
  return { value: notificationKeyAnswer(key, site.service.config.utcOffset) }
}
