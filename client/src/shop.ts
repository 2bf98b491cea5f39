// The settings of a shop: its client of the service, and their check.
import type { CallOptions } from './client.ts'
import { FpsQr } from './client.ts'
import { AccessError, ApiError, ConnectionError, FpsQrError, NotFoundError } from './errors.ts'
import { type FpsQrOptions, globalFetch, Http } from './http.ts'
import { isNotificationKey } from './notifications.ts'

/** What a shop's admin asks for. */
export interface ShopSettings {
  baseUrl: string
  siteId: string
  token: string
  /** One key, `whsec_…`; while it is replaced two, with a comma between them. */
  notificationKey: string
  /** Whether the site is a test site of a service that takes money besides. */
  testSite: boolean
}

export interface SettingsFault {
  /** The setting that is wrong; `notifications` if the notifications of the site do not reach the shop. */
  setting: keyof ShopSettings | 'notifications'
  /** In English. It has no secret. */
  reason: string
}

/** Milliseconds: somebody waits for the answer. */
const PATIENCE = { attemptTimeoutMs: 15_000, timeLimitMs: 10_000 }

/** The keys of the setting. @throws RangeError naming it, without what it has */
export function notificationKeys(notificationKey: string): string[] {
  const keys = notificationKey.split(/[\s,]+/).filter((key) => key !== '')
  if (keys.length > 0 && keys.every(isNotificationKey)) return keys
  throw new RangeError(
    'notificationKey must be one key, or two with a comma between, each begins with whsec_',
  )
}

/**
 * The client of a shop. Where the settings and the service differ about a test site, every call throws
 * InvalidRequestError `shop.test.site`: no order is paid by a payment that no money made. The service may have done the
 * work of the call, so this is no refusal of it.
 */
export function shopClient(
  { baseUrl, siteId, token, testSite }: ShopSettings,
  { fetch = globalFetch, ...options }: Partial<FpsQrOptions> = {},
): FpsQr {
  return new FpsQr({
    ...{ ...options, baseUrl, siteId, token },
    async fetch(url, init) {
      const response = await fetch(url, init)
      const isTestSite = response.headers.get('Test-Site') === 'true'
      // The errors of a proxy have no such header, nor has a 401.
      if (isTestSite === testSite || !response.ok) return response
      const { reason: description } = wrongTestSite(siteId, isTestSite)
      return Response.json({ errorCode: 'shop.test.site', description }, { status: 400 })
    },
  })
}

/**
 * Makes a code of 1 RUB and cancels it, and has the service send its test notification, which the shop verifies by the
 * settings that it has stored.
 * @param options `notifications`: false leaves the test notification out, as before the settings are stored
 * @returns undefined if all is well; otherwise the first setting that is wrong
 */
export async function checkSettings(
  { baseUrl, siteId, token, notificationKey, testSite }: ShopSettings,
  options: CallOptions & Pick<FpsQrOptions, 'fetch'> & { notifications?: boolean } = {},
): Promise<SettingsFault | undefined> {
  const { fetch = globalFetch, notifications = true, signal } = options
  let isTestSite = false
  const site: FpsQrOptions = {
    ...{ baseUrl, siteId, token, ...PATIENCE },
    async fetch(url, init) {
      const response = await fetch(url, init)
      isTestSite = response.headers.get('Test-Site') === 'true'
      return response
    },
  }
  const ended = signal ? { signal } : {}
  try {
    notificationKeys(notificationKey)
    const fps = new FpsQr(site)
    const qrCodeUid = `check-${crypto.randomUUID()}`
    const qrCode = { type: 'DYNAMIC', ttl: 1 } as const
    await fps.createQrCode({ qrCodeUid, qrCode, amount: { value: '1.00' } }, ended)
    await fps.cancel(qrCodeUid, ended)
    if (isTestSite !== testSite) return wrongTestSite(siteId, isTestSite)
    return notifications ? await faultOfNotifications(new Http(site), signal) : undefined
  } catch (error) {
    signal?.throwIfAborted()
    return faultOf(error, baseUrl)
  }
}

const wrongTestSite = (siteId: string, isTestSite: boolean): SettingsFault => ({
  setting: 'testSite',
  reason: isTestSite
    ? `the site ${siteId} is a test site: no money moves, and the setting says that it is none`
    : `the site ${siteId} is no test site, and the setting says that it is one`,
})

/** The setting that an error is about. @throws what is no error of the service or of a setting */
function faultOf(error: unknown, baseUrl: string): SettingsFault {
  if (error instanceof RangeError) {
    const [, name] = /^(siteId|token|notificationKey)\b/.exec(error.message) ?? []
    const setting = name === 'siteId' || name === 'token' || name === 'notificationKey' ? name : 'baseUrl'
    return { setting, reason: error.message }
  }
  if (!(error instanceof FpsQrError)) throw error
  const reason = error.message
  // Only the service itself names an errorCode; anything else answers at a wrong address.
  if (error instanceof ConnectionError || !(error instanceof ApiError) || !error.errorCode)
    return { setting: 'baseUrl', reason }
  if (error instanceof AccessError) return { setting: 'token', reason }
  // A path after the service's address leads to no endpoint; without one the site is what is not there.
  const isOfPath = error instanceof NotFoundError && new URL(baseUrl).pathname !== '/'
  return { setting: isOfPath || error.httpStatus >= 429 ? 'baseUrl' : 'siteId', reason }
}

/** What the service says of its test notification. */
interface Told {
  httpStatus?: number
  error?: string
}

async function faultOfNotifications(
  http: Http,
  signal: AbortSignal | undefined,
): Promise<SettingsFault | undefined> {
  try {
    const { body } = await http.request<Told>({ method: 'POST', path: '/notifications/test', signal })
    const { httpStatus, error = `HTTP ${httpStatus}` } = body
    if (httpStatus !== undefined && httpStatus >= 200 && httpStatus < 300) return undefined
    if (httpStatus === 401)
      return {
        setting: 'notificationKey',
        reason: 'the test notification was answered 401: this is not the notification key of the site',
      }
    return { setting: 'notifications', reason: `the test notification did not arrive: ${error}` }
  } catch (error) {
    if (!(error instanceof ApiError) || error.httpStatus !== 409) throw error
    return { setting: 'notifications', reason: 'the site has no address for notifications, or no key for it' }
  }
}
