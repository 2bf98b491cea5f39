// The settings of the provider, as medusa-config has them, and a client for each.
import { type FpsQr, notificationKeys, type ShopSettings, shopClient } from '@fps-qr/client'
import type { MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys, MedusaError, Modules } from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'

/** What the options of the provider are. */
export interface Settings extends ShopSettings {
  /** A page of the shop to which the payment page leads after the payment; `payment_session` is added. */
  returnUrl?: string
  /** Minutes for which a code can be paid; by default 60. */
  ttl: number
  /** Whether a receipt with the lines of the cart goes along; by default it does, and a site without a cash register ignores it. */
  receipts: boolean
  /** Whether the taxes of Medusa say the rate of VAT of each line; by default the setting of the site does. */
  vatFromTaxes: boolean
}

const Options = z.strictObject({
  baseUrl: z.string(),
  siteId: z.string(),
  token: z.string(),
  notificationKey: z.string(),
  testSite: z.boolean().default(false),
  returnUrl: z.url({ protocol: /^https?$/ }).optional(),
  ttl: z.int().min(1).max(129_600).default(60),
  receipts: z.boolean().default(true),
  vatFromTaxes: z.boolean().default(false),
})

/** The options, checked. @throws MedusaError naming each wrong one and its rule, without what it has: that can be a secret */
export function settingsOf(options: unknown): Settings {
  const { success, data, error } = Options.safeParse(options)
  if (!success)
    throw invalid(
      error.issues.map(({ path, message }) => `${path.join('.') || 'options'}: ${message}`).join('; '),
    )
  const { returnUrl, ...settings } = data
  try {
    clientOf(data)
    notificationKeys(data.notificationKey)
  } catch (cause) {
    throw invalid(cause instanceof Error ? cause.message : String(cause))
  }
  return { ...settings, ...(returnUrl !== undefined && { returnUrl }) }
}

const invalid = (reason: string) => new MedusaError(MedusaError.Types.INVALID_DATA, `fps-qr: ${reason}`)

/** The service waits 10 seconds for the answer to a notification, and a customer for a page no longer. */
const clientOf = (settings: ShopSettings): FpsQr =>
  shopClient(settings, { attemptTimeoutMs: 8_000, timeLimitMs: 8_000 })

/** A site of the service that the shop takes payments through. */
export interface Shop {
  /** As Medusa names it: `pp_fps-qr_sbp`. */
  providerId: string
  settings: Settings
  fps: FpsQr
}

export const IDENTIFIER = 'fps-qr'

/** The payment module as medusa-config has it, with the providers of this package. */
const PaymentModule = z.object({
  options: z.object({
    providers: z.array(z.object({ resolve: z.unknown(), id: z.string().optional(), options: z.unknown() })),
  }),
})

const shops = new WeakMap<object, Shop[]>()

/** The sites that medusa-config has. */
export function shopsOf(container: MedusaContainer): Shop[] {
  const config = container.resolve(ContainerRegistrationKeys.CONFIG_MODULE)
  const known = shops.get(config)
  if (known) return known
  const { data } = PaymentModule.safeParse(config.modules?.[Modules.PAYMENT])
  const all = (data?.options.providers ?? [])
    .filter(({ resolve }) => typeof resolve === 'string' && resolve.endsWith(`/providers/${IDENTIFIER}`))
    .map(({ id, options }): Shop => {
      const settings = settingsOf(options)
      return { providerId: `pp_${IDENTIFIER}${id ? `_${id}` : ''}`, settings, fps: clientOf(settings) }
    })
  shops.set(config, all)
  return all
}

/** The site of a provider; undefined if another module made it. */
export const shopOf = (container: MedusaContainer, providerId: string): Shop | undefined =>
  shopsOf(container).find((shop) => shop.providerId === providerId)

/** A client for a provider's own options. */
export const fpsOf = clientOf
