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
import { CALLBACK_PATH, CallbackPath } from './callbacks.ts'
import { SETTINGS_PATH, SETTINGS_TAG } from './settings.ts'

const KEYS_PATH = `${SETTINGS_PATH}/notificationKeys` as const
const Item = z.object({
  keyId: z.string().apply(meta, { description: 'Identifier of the notification key' }),
})

const LIST = {
  method: 'get',
  tag: SETTINGS_TAG,
  scopes: ['merchant:admin'],
  answer: {
    schema: NotificationKeysAnswer,
    description: 'The keys, the active one first',
    headers: [],
    examples: { rotation: NOTIFICATION_KEYS_EXAMPLE },
  },
} as const

const CREATE = {
  method: 'post',
  tag: SETTINGS_TAG,
  scopes: ['merchant:admin'],
  answer: {
    schema: NewNotificationKeyAnswer,
    description: 'The key. Only this response shows its secret text',
    headers: [],
    examples: { first: NEW_NOTIFICATION_KEY_EXAMPLE },
  },
} as const

const ACTIVATE = {
  method: 'post',
  tag: SETTINGS_TAG,
  scopes: ['merchant:admin'],
  description: 'The key that was active ends. The same request again changes nothing.',
  answer: {
    schema: NotificationKeyAnswer,
    description: 'The active key',
    headers: [],
    examples: { active: NOTIFICATION_KEY_EXAMPLE },
  },
  errors: ['validation.error', 'payin.resource.not.found'],
} as const

/** The operations on the keys of `callbackUrl`. */
export const notificationKeys = () => [
  operation({
    ...LIST,
    operationId: 'listNotificationKeys',
    path: KEYS_PATH,
    summary: 'List notification keys',
    description:
      'The active key and, during a rotation, the next key. The response does not have the secret texts of the keys.',
    errors: ['validation.error'],
    handle: (site) => listKeys(site),
    toContent: keysContent,
  }),
  operation({
    ...CREATE,
    operationId: 'createNotificationKey',
    path: KEYS_PATH,
    summary: 'Create a notification key',
    description: `The first key is active at once. A later key is inactive until you activate it. While a site has two \
keys, \`webhook-signature\` has a signature of each. To replace a key, create a new one, let your receiver accept both, \
and activate the new one. A site has at most one inactive key.`,
    errors: ['validation.error', 'payin.incorrect-method-invocation'],
    handle: (site) => createKey(site),
    toContent: newKeyContent,
  }),
  operation({
    ...ACTIVATE,
    operationId: 'activateNotificationKey',
    path: `${KEYS_PATH}/{keyId}/activate`,
    parameters: Item,
    summary: 'Activate a notification key',
    handle: (site, { path }) => activateKey(site, path.keyId),
  }),
]

const CALLBACK_KEYS_PATH = `${CALLBACK_PATH}/notificationKeys` as const

/** The same operations on the keys of an address. */
export const callbackKeys = () => [
  operation({
    ...LIST,
    operationId: 'listCallbackKeys',
    path: CALLBACK_KEYS_PATH,
    parameters: CallbackPath,
    summary: 'List the notification keys of an address',
    description: 'The active key and, during a rotation, the next key, without their secret texts.',
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: (site, { path }) => listKeys(site, path.callbackId),
    toContent: keysContent,
  }),
  operation({
    ...CREATE,
    operationId: 'createCallbackKey',
    path: CALLBACK_KEYS_PATH,
    parameters: CallbackPath,
    summary: 'Create a notification key of an address',
    description: 'As of the settings: the first key is active at once, a later key when you activate it.',
    errors: ['validation.error', 'payin.resource.not.found', 'payin.incorrect-method-invocation'],
    handle: (site, { path }) => createKey(site, path.callbackId),
    toContent: newKeyContent,
  }),
  operation({
    ...ACTIVATE,
    operationId: 'activateCallbackKey',
    path: `${CALLBACK_KEYS_PATH}/{keyId}/activate`,
    parameters: z.extend(CallbackPath, Item.shape),
    summary: 'Activate a notification key of an address',
    handle: (site, { path }) => activateKey(site, path.keyId, path.callbackId),
  }),
]

const listKeys = (site: SiteContext, callbackId?: string) =>
  callSite(site, (object) => object.notificationKeys(site.caller, callbackId))

const keysContent = (
  { service: { config } }: SiteContext,
  keys: Awaited<ReturnType<typeof listKeys>>,
): ResponseContent<z.input<typeof NotificationKeysAnswer>> => ({
  value: { notificationKeys: keys.map((key) => notificationKeyAnswer(key, config.utcOffset)) },
})

async function createKey(site: SiteContext, callbackId?: string) {
  const { random } = site.service
  const id = random(8).toHex()
  const key = `whsec_${random(32).toBase64()}`
  const made = await callSite(site, (object) =>
    object.addNotificationKey(site.caller, { id, key }, callbackId),
  )
  return { made, key }
}

const newKeyContent = (
  { service: { config } }: SiteContext,
  { made, key }: Awaited<ReturnType<typeof createKey>>,
): ResponseContent<NewNotificationKeyAnswer> => ({
  value: { ...notificationKeyAnswer(made, config.utcOffset), key },
})

async function activateKey(
  site: SiteContext,
  keyId: string,
  callbackId?: string,
): Promise<ResponseContent<NotificationKeyAnswer>> {
  const key = await callSite(site, (object) => object.activateNotificationKey(site.caller, keyId, callbackId))
  return { value: notificationKeyAnswer(key, site.service.config.utcOffset) }
}
