// The addresses that the notifications of a site go to (contract, section 12).
import * as z from 'zod/mini'
import {
  CALLBACK_EXAMPLE,
  CALLBACK_REQUEST_EXAMPLES,
  CALLBACKS_EXAMPLE,
  CallbackAnswer,
  CallbackId,
  CallbackRequest,
  CallbacksAnswer,
  callbackAnswer,
  DEFAULT_CALLBACK,
  MAX_CALLBACKS,
} from '../contract/callback.ts'
import type { SiteContext } from '../gateway/context.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation, type ResponseContent } from '../http/operation.ts'
import { Conditions, Preconditions, requireCallable, SETTINGS_PATH, SETTINGS_TAG } from './settings.ts'

const COLLECTION = `${SETTINGS_PATH}/callbacks` as const
export const CALLBACK_PATH = `${COLLECTION}/{callbackId}` as const
export const CallbackPath = z.object({ callbackId: CallbackId })

const CALLBACK = {
  schema: CallbackAnswer,
  description: 'The address',
  headers: ['ETag'] as const,
  examples: { second: CALLBACK_EXAMPLE },
}

/** The operations on the addresses. */
export const callbacks = () => [
  operation({
    operationId: 'listCallbacks',
    method: 'get',
    path: COLLECTION,
    headers: Conditions,
    tag: SETTINGS_TAG,
    summary: 'List the addresses for notifications',
    description: `At most ${MAX_CALLBACKS}. \`${DEFAULT_CALLBACK}\` is \`callbackUrl\` of the settings with \`notificationTypes\`. \
The \`ETag\` is that of the settings.`,
    scopes: ['merchant:admin'],
    answer: {
      schema: CallbacksAnswer,
      description: 'The addresses',
      headers: ['ETag'],
      examples: { two: CALLBACKS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: (site) => callSite(site, (object) => object.callbacks(site.caller)),
    toContent: (_, { callbacks: all, revision }) => ({
      value: { callbacks: all.map(callbackAnswer) },
      headers: { ETag: `"${revision}"` },
    }),
  }),
  operation({
    operationId: 'getCallback',
    method: 'get',
    path: CALLBACK_PATH,
    parameters: CallbackPath,
    headers: Conditions,
    tag: SETTINGS_TAG,
    summary: 'Get an address for notifications',
    description: `\`${DEFAULT_CALLBACK}\` is \`callbackUrl\` of the settings with \`notificationTypes\`.`,
    scopes: ['merchant:admin'],
    answer: CALLBACK,
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: (site, { path }) => callSite(site, (object) => object.callback(site.caller, path.callbackId)),
    toContent: callbackContent,
  }),
  operation({
    operationId: 'putCallback',
    method: 'put',
    path: CALLBACK_PATH,
    parameters: CallbackPath,
    headers: Preconditions,
    tag: SETTINGS_TAG,
    summary: 'Set an address for notifications',
    description: `Adds the address, or replaces it. Each address gets the notifications of its types, with keys, attempts and a \
log of its own: one that fails delays no other. A new address needs a notification key of its own before anything is sent \
to it. A site has at most ${MAX_CALLBACKS}. The \`If-Match\` is that of the settings.`,
    scopes: ['merchant:admin'],
    body: { schema: CallbackRequest, examples: CALLBACK_REQUEST_EXAMPLES },
    answer: CALLBACK,
    errors: ['http.precondition.failed', 'payin.incorrect-method-invocation'],
    handle: putCallback,
    toContent: callbackContent,
  }),
  operation({
    operationId: 'deleteCallback',
    method: 'delete',
    path: CALLBACK_PATH,
    parameters: CallbackPath,
    headers: Preconditions,
    tag: SETTINGS_TAG,
    summary: 'Remove an address for notifications',
    description: `The keys of the address end, and its PENDING notifications become FAILED: \`address removed\`. Those of \
\`${DEFAULT_CALLBACK}\` stay PENDING until there is another \`callbackUrl\`, and its keys stay. The same request again changes nothing.`,
    scopes: ['merchant:admin'],
    answer: { description: 'There is no such address any more', headers: [], status: 204 },
    errors: ['validation.error', 'http.precondition.failed'],
    handle: deleteCallback,
  }),
]

interface OfItem {
  path: z.output<typeof CallbackPath>
  headers: z.output<typeof Preconditions>
}

function putCallback(site: SiteContext, { path, headers, body }: OfItem & { body: CallbackRequest }) {
  requireCallable(site, 'url', body.url)
  return callSite(site, (object) =>
    object.putCallback(site.caller, { id: path.callbackId, ...body }, headers['If-Match']),
  )
}

async function deleteCallback(site: SiteContext, { path, headers }: OfItem): Promise<ResponseContent<never>> {
  await callSite(site, (object) => object.deleteCallback(site.caller, path.callbackId, headers['If-Match']))
  return { status: 204 }
}

function callbackContent(
  _: SiteContext,
  { callback, revision }: Awaited<ReturnType<typeof putCallback>>,
): ResponseContent<CallbackAnswer> {
  return { value: callbackAnswer(callback), headers: { ETag: `"${revision}"` } }
}
