// The logo of a site, uploaded and removed (contract, section 12).
import * as z from 'zod/mini'
import type { SiteContext } from '../gateway/context.ts'
import { MAX_BYTES } from '../gateway/logo.ts'
import { callSite } from '../gateway/site-client.ts'
import { operation } from '../http/operation.ts'
import {
  Preconditions,
  SETTINGS,
  SETTINGS_PATH,
  SETTINGS_TAG,
  settingsContent,
  uploadOf,
} from './settings.ts'

const LOGO_PATH = `${SETTINGS_PATH}/logo` as const

/** The operations on the logo. */
export const logo = () => [
  operation({
    operationId: 'putLogo',
    method: 'put',
    path: LOGO_PATH,
    headers: Preconditions,
    tag: SETTINGS_TAG,
    summary: 'Upload the logo',
    description: `A still PNG, JPEG or WebP of at most 256 KiB and 1,024 pixels a side, without EXIF, by its bytes. It takes the place \
of \`logoUrl\`. The answer is the settings; its header \`Link\` leads to the picture.`,
    scopes: ['merchant:admin'],
    body: {
      schema: z.instanceof(Uint8Array<ArrayBuffer>),
      examples: {},
      mediaTypes: ['image/png', 'image/jpeg', 'image/webp'],
      maxSize: MAX_BYTES,
    },
    answer: SETTINGS,
    errors: ['http.precondition.failed'],
    handle: putLogo,
    toContent: settingsContent,
  }),
  operation({
    operationId: 'deleteLogo',
    method: 'delete',
    path: LOGO_PATH,
    headers: Preconditions,
    tag: SETTINGS_TAG,
    summary: 'Remove the logo',
    description:
      'An uploaded one, or the one of `logoUrl`, with that setting. The answer is the settings. Again: the same.',
    scopes: ['merchant:admin'],
    answer: SETTINGS,
    errors: ['validation.error', 'http.precondition.failed'],
    handle: deleteLogo,
    toContent: settingsContent,
  }),
]

interface LogoInput {
  headers: z.output<typeof Preconditions>
  body: Uint8Array<ArrayBuffer>
}

async function putLogo(site: SiteContext, { headers, body }: LogoInput) {
  const logo = uploadOf(body, 'body')
  return callSite(site, (object) => object.replaceLogo(site.caller, logo, headers['If-Match']))
}

const deleteLogo = (site: SiteContext, { headers }: Omit<LogoInput, 'body'>) =>
  callSite(site, (object) => object.replaceLogo(site.caller, undefined, headers['If-Match']))
