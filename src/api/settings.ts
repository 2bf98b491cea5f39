// The settings of a site, and the keys that sign its notifications (contract, section 12).
import * as z from 'zod/mini'
import { meta } from '../contract/meta.ts'
import {
  type Logo,
  NEW_NOTIFICATION_KEY_EXAMPLE,
  NewNotificationKeyAnswer,
  NOTIFICATION_KEY_EXAMPLE,
  NOTIFICATION_KEYS_EXAMPLE,
  NotificationKeyAnswer,
  NotificationKeysAnswer,
  notificationKeyAnswer,
  SETTINGS_EXAMPLE,
  SETTINGS_REQUEST_EXAMPLES,
  SettingsAnswer,
  SettingsRequest,
  settingsAnswer,
} from '../contract/settings.ts'
import { callbackUrlProblem } from '../gateway/callback-url.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callbackPolicy } from '../gateway/courier.ts'
import { fetchLogo, LOGO_RULE } from '../gateway/logo.ts'
import { callSite } from '../gateway/site-client.ts'
import { IfMatch, IfNoneMatch } from '../http/conditional.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { invalid, quote } from '../http/validate.ts'

const TAG = {
  name: 'Settings',
  description: 'What the payer’s page shows, where notifications go, and the keys that sign them',
}

const SETTINGS_PATH = '/payin/v1/sites/{siteId}/settings'
const KEYS_PATH = '/payin/v1/sites/{siteId}/settings/notificationKeys'
const Conditions = z.object({ 'If-None-Match': IfNoneMatch })
const Preconditions = z.object({ 'If-Match': IfMatch })
const Item = z.object({
  keyId: z.string().apply(meta, { description: 'Identifier of the notification key' }),
})

/** The operations on the settings. */
export const settings = () => [
  operation({
    operationId: 'getSettings',
    method: 'get',
    path: SETTINGS_PATH,
    headers: Conditions,
    tag: TAG,
    summary: 'Get the settings',
    description: 'A setting that was never set has its default.',
    scopes: ['merchant:admin'],
    answer: {
      schema: SettingsAnswer,
      description: 'The settings',
      headers: ['ETag'],
      examples: { settings: SETTINGS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: getSettings,
    toContent: settingsContent,
  }),
  operation({
    operationId: 'putSettings',
    method: 'put',
    path: SETTINGS_PATH,
    headers: Preconditions,
    tag: TAG,
    summary: 'Replace the settings',
    description: `An absent field gets its default. With \`If-Match\` the request gets 412 if somebody changed the \
settings after you read them.`,
    scopes: ['merchant:admin'],
    body: { schema: SettingsRequest, examples: SETTINGS_REQUEST_EXAMPLES },
    answer: {
      schema: SettingsAnswer,
      description: 'The new settings',
      headers: ['ETag'],
      examples: { settings: SETTINGS_EXAMPLE },
    },
    errors: ['http.precondition.failed'],
    handle: putSettings,
    toContent: settingsContent,
  }),
  operation({
    operationId: 'listNotificationKeys',
    method: 'get',
    path: KEYS_PATH,
    tag: TAG,
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
    tag: TAG,
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
    tag: TAG,
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

const getSettings = (site: SiteContext) => callSite(site, (object) => object.settings(site.caller))

function settingsContent(
  _: SiteContext,
  { settings, revision }: Awaited<ReturnType<typeof getSettings>>,
): ResponseContent<SettingsAnswer> {
  return { value: settingsAnswer(settings), headers: { ETag: `"${revision}"` } }
}

interface PutInput {
  headers: z.output<typeof Preconditions>
  body: z.output<typeof SettingsRequest>
}

async function putSettings(site: SiteContext, { headers, body }: PutInput) {
  requireCallable(site, 'callbackUrl', body.callbackUrl)
  const logo = await newLogo(site, body.logoUrl)
  return callSite(site, (object) =>
    object.replaceSettings(site.caller, { ...body, logo }, headers['If-Match']),
  )
}

/** @throws ApiError validation.error where the deployment does not call the URL */
function requireCallable(site: SiteContext, field: string, url: string | undefined): void {
  const policy = callbackPolicy(site.service.config, site.origin)
  const problem = url === undefined ? undefined : callbackUrlProblem(url, policy)
  if (problem) throw invalid({ [field]: [`is ${quote(url)}, must be ${problem}`] })
}

/** The picture that logoUrl leads to, unless it is the one that the site has. @throws ApiError validation.error */
async function newLogo(site: SiteContext, logoUrl: string | undefined): Promise<Logo | undefined> {
  if (logoUrl === undefined) return undefined
  requireCallable(site, 'logoUrl', logoUrl)
  const { settings } = await callSite(site, (object) => object.settings(site.caller))
  if (settings.logoUrl === logoUrl) return undefined
  const fetched = await fetchLogo(site.service, logoUrl)
  if ('problem' in fetched) {
    throw invalid({ logoUrl: [`is ${quote(logoUrl)}, must be ${LOGO_RULE}: ${fetched.problem}`] })
  }
  return fetched.logo
}

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
