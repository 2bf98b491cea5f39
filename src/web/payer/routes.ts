// The payer's page at the link's own address: the page, its list of banks, its state for the script, the sandbox's buttons.
import { type Context, Hono } from 'hono'
import { SITE_ID } from '../../contract/site-id.ts'
import { isPayable } from '../../contract/status.ts'
import { ApiError } from '../../errors.ts'
import { isRelativeLink } from '../../fps/link.ts'
import { isLinkId } from '../../fps/link-id.ts'
import { bankList } from '../../gateway/banks.ts'
import type { Service, SiteContext } from '../../gateway/context.ts'
import { pageUrl } from '../../gateway/links.ts'
import { pollQrCode } from '../../gateway/long-poll.ts'
import { bindInSandbox, payInSandbox } from '../../gateway/sandbox-bank.ts'
import { callSite } from '../../gateway/site-client.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { readForm } from '../../http/body.ts'
import { entityTags, isKnown, LongPollHeaders, preferenceApplied, waitOf } from '../../http/conditional.ts'
import type { ErrorHandlers } from '../../http/error-handler.ts'
import { requireHost } from '../../http/host.ts'
import { language } from '../../http/negotiation.ts'
import { originOf } from '../../http/path.ts'
import { json, respond, seeOther } from '../../http/response.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import type { QrCodeWithShop } from '../../site/payer.ts'
import type { QrCodeKey } from '../../site/qr-codes.ts'
import { errorPage } from '../error-page.ts'
import { page } from '../page.ts'
import { typedAmount } from '../typed-amount.ts'
import { formatAddress, type PageAddress, parseAddress } from './address.ts'
import { banksPage } from './banks-page.ts'
import { deviceOf } from './device.ts'
import { payerPage } from './page.ts'
import type { PayerView } from './parts.ts'
import { payerSite, stateTag } from './site.ts'

/** The routes below /pay. Everyone who has the link sees its page, without a token. */
export function payer(
  service: Service,
  { errorResponse }: Pick<ErrorHandlers, 'errorResponse'>,
): Hono<AppEnv> {
  const { config } = service
  const banks = bankList(service)
  const checkHost = requireHost(service)
  const state = new Hono<AppEnv>()
  const pages = new Hono<AppEnv>()

  /** The site and the link that the request names. @throws ApiError 404 unless the deployment issued its id, 429 */
  async function linkOf(
    c: Context<AppEnv>,
  ): Promise<{ site: SiteContext; key: QrCodeKey; address: PageAddress }> {
    const { siteId = '', id = '' } = c.req.param()
    const address = parseAddress(new URL(c.req.url).search)
    // The parameters are compared by the site: the checksum covers the base, which may be the network's.
    const link = `${id}${address.query}`
    if (!isRelativeLink(link) || !SITE_ID.test(siteId) || !isLinkId(config.secrets, siteId, id)) {
      throw new ApiError('payin.resource.not.found', 'there is no such link')
    }
    return { site: await payerSite(c, service, siteId, id), key: { link }, address }
  }

  const read = (site: SiteContext, key: QrCodeKey) => callSite(site, (object) => object.readForPayer(key))

  /** @param invalidAmount what the payer typed, if it is not an amount */
  const viewOf = (
    c: Context<AppEnv>,
    address: PageAddress,
    { qrCode, shop }: QrCodeWithShop,
    invalidAmount?: string,
  ): PayerView => ({
    qrCode,
    id: c.req.param('id') ?? '',
    shop: { name: shop.name ?? c.var.siteId ?? '', supportContact: shop.supportContact },
    language: address.language ?? language(c.req.header('Accept-Language')),
    device: deviceOf(c),
    address,
    now: Math.floor(service.now() / 1000),
    utcOffset: config.utcOffset,
    etag: stateTag(qrCode),
    sandbox: config.sandbox ? { currency: config.homeCurrency } : undefined,
    isOwnLink: pageUrl(config, c.var.siteId ?? '', originOf(c), qrCode) === qrCode.payload,
    hasBanks: !config.sandbox && banks.isOffered(),
    invalidAmount,
  })

  state.get('/:siteId/:id/state', checkHost, async (c) => {
    const { site, key } = await linkOf(c)
    const known = c.req.header('If-None-Match')
    const headers = LongPollHeaders.parse({ 'If-None-Match': known, Prefer: c.req.header('Prefer') })
    const { value: qrCode, waited } = await pollQrCode(site, key, waitOf(headers))
    const ETag = stateTag(qrCode)
    const answered = { ETag, 'Preference-Applied': preferenceApplied(waited, headers.Prefer) }
    if (isKnown(entityTags(known), ETag)) return respond(c, null, 304, answered)
    return json(c, { status: qrCode.status }, answered)
  })

  pages.use(checkHost)
  pages.get('/:siteId/:id', async (c) => {
    const { site, key, address } = await linkOf(c)
    const view = viewOf(c, address, await read(site, key))
    return page(c, payerPage(view), { forms: config.sandbox })
  })

  pages.get('/:siteId/:id/banks', async (c) => {
    const { site, key, address } = await linkOf(c)
    const view = viewOf(c, address, await read(site, key))
    // An old list still has its links.
    if (!view.hasBanks || !isPayable(view.qrCode.status)) {
      return seeOther(c, `../${view.id}${formatAddress(address)}`)
    }
    return page(c, banksPage(view, await banks.list()))
  })

  if (config.sandbox) {
    pages.post('/:siteId/:id', async (c) => {
      requireSameOrigin(c, config)
      const { site, key, address } = await linkOf(c)
      const current = await read(site, key)
      const { qrCode } = current
      const back = formatAddress(address)
      // An old page still has its buttons.
      if (!isPayable(qrCode.status)) return seeOther(c, back)
      const form = await readForm(c, service)
      const agrees = form.get('action') === 'pay'
      if (qrCode.type === 'TOKEN') {
        await bindInSandbox(site, key, agrees ? 'CREATED' : 'REJECTED')
        return seeOther(c, back)
      }
      const typed = form.get('amount') ?? ''
      const amount = qrCode.amount ?? typedAmount(typed, config.homeCurrency)
      if (!amount) {
        return page(c, payerPage(viewOf(c, address, current, typed)), { status: 422, forms: true })
      }
      const binding =
        agrees && qrCode.createToken ? (form.has('remember') ? 'CREATED' : 'REJECTED') : undefined
      await payInSandbox(site, key, { status: agrees ? 'COMPLETED' : 'DECLINED', amount, binding })
      return seeOther(c, back)
    })
  }

  pages.onError((error, c) => errorResponse(c, error, errorPage))

  return new Hono<AppEnv>().route('/', state).route('/', pages)
}
