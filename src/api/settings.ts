// The settings of a site (contract, section 12).
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { type Logo, SETTINGS_EXAMPLE, SettingsAnswer, settingsAnswer } from '../contract/settings.ts'
import {
  SETTINGS_PATCH_EXAMPLES,
  SETTINGS_REQUEST_EXAMPLES,
  type SettingsPatch,
  settingsPatch,
  settingsRequest,
} from '../contract/settings-request.ts'
import { callbackUrlProblem } from '../gateway/callback-url.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callbackPolicy } from '../gateway/courier.ts'
import { fetchLogo, InvalidLogo, logoProblemText, PICTURE_RULE, uploadedLogo } from '../gateway/logo.ts'
import { logoPath } from '../gateway/logo-path.ts'
import { callSite } from '../gateway/site-client.ts'
import { IfMatch, IfNoneMatch } from '../http/conditional.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { invalid, quote } from '../http/validate.ts'

/** The tag of the settings and of the keys that sign notifications. */
export const SETTINGS_TAG = {
  name: 'Settings',
  description: 'What the payer’s page shows, where notifications go, and the keys that sign them',
}

export const SETTINGS_PATH = '/payin/v1/sites/{siteId}/settings'
export const Conditions = z.object({ 'If-None-Match': IfNoneMatch })
export const Preconditions = z.object({ 'If-Match': IfMatch })

export const SETTINGS = {
  schema: SettingsAnswer,
  description: 'The settings',
  headers: ['ETag', 'Link'] as const,
  examples: { settings: SETTINGS_EXAMPLE },
}

/** The operations on the settings. */
export const settings = ({ currencies }: Pick<Config, 'currencies'>) => [
  operation({
    operationId: 'getSettings',
    method: 'get',
    path: SETTINGS_PATH,
    headers: Conditions,
    tag: SETTINGS_TAG,
    summary: 'Get the settings',
    description: 'A setting that was never set has its default.',
    scopes: ['merchant:admin'],
    answer: SETTINGS,
    errors: ['validation.error'],
    handle: getSettings,
    toContent: settingsContent,
  }),
  operation({
    operationId: 'putSettings',
    method: 'put',
    path: SETTINGS_PATH,
    headers: Preconditions,
    tag: SETTINGS_TAG,
    summary: 'Replace the settings',
    description: `An absent field gets its default, but \`redirectSchemes\`, \`confirmRefundsAbove\`, \`tokenSignIn\`, \`digitalRouble\`, \`receipts\` and \`payoutAccounts\` stay as they are. With \`If-Match\` the request gets 412 if somebody changed the \
settings after you read them.`,
    scopes: ['merchant:admin'],
    body: { schema: settingsRequest(currencies), examples: SETTINGS_REQUEST_EXAMPLES },
    answer: SETTINGS,
    errors: ['http.precondition.failed', 'payin.incorrect-method-invocation'],
    handle: putSettings,
    toContent: settingsContent,
  }),
  operation({
    operationId: 'patchSettings',
    method: 'patch',
    path: SETTINGS_PATH,
    headers: Preconditions,
    tag: SETTINGS_TAG,
    summary: 'Change some settings',
    description: `A JSON Merge Patch (RFC 7396): an absent field stays, \`null\` removes it. With \`If-Match\` the request gets 412 if \
somebody changed the settings after you read them; without it simultaneous changes of different fields both hold.`,
    scopes: ['merchant:admin'],
    body: {
      schema: settingsPatch(currencies),
      examples: SETTINGS_PATCH_EXAMPLES,
      mediaTypes: ['application/merge-patch+json', 'application/json'],
    },
    answer: SETTINGS,
    errors: ['http.precondition.failed', 'payin.incorrect-method-invocation'],
    handle: patchSettings,
    toContent: settingsContent,
  }),
]

/** The operation behind the console's form, which has no route: settings and logo are one write; a refused logo changes nothing. */
export const savedSettings = ({ currencies }: Pick<Config, 'currencies'>) =>
  operation({
    operationId: 'saveSettings',
    method: 'patch',
    path: SETTINGS_PATH,
    headers: Preconditions,
    tag: SETTINGS_TAG,
    summary: 'Change some settings, and the logo',
    description: '',
    scopes: ['merchant:admin'],
    body: {
      schema: z.extend(settingsPatch(currencies), {
        logo: z.optional(z.instanceof(Uint8Array<ArrayBuffer>)),
      }),
      examples: {},
    },
    answer: SETTINGS,
    errors: ['http.precondition.failed'],
    handle: saveSettings,
    toContent: settingsContent,
  })

const getSettings = (site: SiteContext) => callSite(site, (object) => object.settings(site.caller))

export function settingsContent(
  { service: { config }, siteId, origin }: SiteContext,
  { settings, revision, logo }: Awaited<ReturnType<typeof getSettings>>,
): ResponseContent<SettingsAnswer> {
  const picture = logo && `<${origin}/${logoPath(config.secrets, siteId, logo)}>; rel="icon"`
  return { value: settingsAnswer(settings), headers: { ETag: `"${revision}"`, Link: picture } }
}

interface PutInput {
  headers: z.output<typeof Preconditions>
  body: z.output<ReturnType<typeof settingsRequest>>
}

async function putSettings(site: SiteContext, { headers, body }: PutInput) {
  requireCallable(site, 'callbackUrl', body.callbackUrl)
  const logo = await newLogo(site, body.logoUrl)
  return callSite(site, (object) =>
    object.replaceSettings(site.caller, { ...body, logo }, headers['If-Match']),
  )
}

interface PatchInput {
  headers: z.output<typeof Preconditions>
  body: SettingsPatch
}

const patchSettings = (site: SiteContext, { headers, body }: PatchInput) =>
  patchWith(site, body, headers, undefined)

interface SaveInput {
  headers: z.output<typeof Preconditions>
  body: SettingsPatch & { logo?: Uint8Array<ArrayBuffer> | undefined }
}

function saveSettings(site: SiteContext, { headers, body: { logo, ...patch } }: SaveInput) {
  if (!logo) return patchWith(site, patch, headers, undefined)
  return patchWith(site, { ...patch, logoUrl: null }, headers, uploadOf(logo, 'logo'))
}

async function patchWith(
  site: SiteContext,
  patch: SettingsPatch,
  headers: z.output<typeof Preconditions>,
  uploaded: Logo | undefined,
) {
  requireCallable(site, 'callbackUrl', patch.callbackUrl ?? undefined)
  const logo = uploaded ?? (await newLogo(site, patch.logoUrl ?? undefined))
  return callSite(site, (object) => object.patchSettings(site.caller, patch, logo, headers['If-Match']))
}

/** @throws ApiError validation.error for what is no logo */
export function uploadOf(content: Uint8Array<ArrayBuffer>, field: 'body' | 'logo'): Logo {
  const uploaded = uploadedLogo(content)
  if ('problem' in uploaded)
    throw invalid({ [field]: [`must be ${PICTURE_RULE}: ${logoProblemText(uploaded.problem)}`] })
  return uploaded.logo
}

/** @throws ApiError validation.error where the deployment does not call the URL */
export function requireCallable(site: SiteContext, field: string, url: string | undefined): void {
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
  if ('problem' in fetched) throw new InvalidLogo(quote(logoUrl), fetched.problem)
  return fetched.logo
}
