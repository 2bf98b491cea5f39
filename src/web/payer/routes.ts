// The payer's page at the link's own address: the page, its list of banks, its state for the script, the sandbox's buttons.

import { type Context, Hono } from 'hono'
import { PAYER_OF_ACCOUNT } from '../../contract/caller.ts'
import { isReusable, type QrCode } from '../../contract/qr-code.ts'
import { isPayable } from '../../contract/status.ts'
import { ApiError } from '../../errors.ts'
import { isRelativeLink } from '../../fps/link.ts'
import { isLinkId } from '../../fps/link-id.ts'
import { bankList } from '../../gateway/banks.ts'
import { isSandbox, servesSite } from '../../gateway/connection.ts'
import type { Service, SiteContext } from '../../gateway/context.ts'
import { FOLLOWED_SALE, followedSale } from '../../gateway/followed-sale.ts'
import { ownPayment, paymentMark } from '../../gateway/own-payment.ts'
import { endSavedAccount } from '../../gateway/saved-account.ts'
import { callSite } from '../../gateway/site-client.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { readForm } from '../../http/body.ts'
import { entityTags, isKnown, LongPollHeaders, preferenceApplied } from '../../http/conditional.ts'
import type { ErrorHandlers } from '../../http/error-handler.ts'
import { requireHost } from '../../http/host.ts'
import { json, respond, seeOther } from '../../http/response.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import type { QrCodeKey } from '../../site/qr-codes/rows.ts'
import { pages as load } from '../load-pages.ts'
import { page } from '../page.ts'
import { formatAddress, type PageAddress, parseAddress } from './address.ts'
import { CONTACT, GIVES_CONTACT, SALE_MARK } from './contact-form.ts'
import { DECLINED, forgetResult, ownResult, resultCookie } from './own-result.ts'
import { simulate } from './simulate.ts'
import { payerSite, pollState } from './site.ts'
import { stateOf } from './state.ts'
import { paperThemeOf } from './theme.ts'

const canBePaid = (qrCode: QrCode): boolean => isPayable(qrCode.status) && stateOf(qrCode) === qrCode.status

const FORM = 'application/x-www-form-urlencoded'

/** The routes below /pay. Everyone who has the link sees its page, without a token. */
export function payer(
  service: Service,
  { errorResponse, methodNotAllowed }: Pick<ErrorHandlers, 'errorResponse' | 'methodNotAllowed'>,
): Hono<AppEnv> {
  const { config } = service
  const banks = bankList(service)
  /** The pages, and what they show of a code and its shop. */
  const views = async () => {
    const { payerViews, ...made } = await load()
    return { ...made, ...payerViews(service, banks) }
  }
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
    if (!servesSite(config, siteId) || !isRelativeLink(link) || !isLinkId(config.secrets, siteId, id)) {
      throw new ApiError('payin.resource.not.found', 'there is no such link')
    }
    return { site: await payerSite(c, service, siteId, id), key: { link }, address }
  }

  const read = (site: SiteContext, key: QrCodeKey) => callSite(site, (object) => object.readForPayer(key))

  /** The same, also of a site that the operator has deleted, where the link saved an account. */
  const readAccount = (site: SiteContext, key: QrCodeKey) =>
    callSite(site, (object) => object.readForPayer(key, PAYER_OF_ACCOUNT))

  /** The sale of a COUNTER code that the tab of the request followed, once it is paid. */
  const followed = (c: Context<AppEnv>, site: SiteContext, key: QrCodeKey) =>
    followedSale(site, key, c.req.param('id') ?? '', c.req.header(FOLLOWED_SALE))

  /** The payment by which this browser has paid a code that is paid many times; outside the sandbox it cannot be known. */
  const ownReceipt = async (c: Context<AppEnv>, site: SiteContext, key: QrCodeKey, qrCode: QrCode) => {
    const mark = isReusable(qrCode) && isSandbox(config, site.siteId) ? ownResult(c) : undefined
    return mark === undefined ? undefined : ownPayment(site, key, c.req.param('id') ?? '', mark)
  }

  /** From an address below the page to the page itself. */
  const toPage = (c: Context<AppEnv>, address: PageAddress): Response =>
    seeOther(c, `../${c.req.param('id')}${formatAddress(address)}`)

  state.get('/:siteId/:id/state', checkHost, async (c) => {
    const { site, key } = await linkOf(c)
    const known = c.req.header('If-None-Match')
    const headers = LongPollHeaders.parse({ 'If-None-Match': known, Prefer: c.req.header('Prefer') })
    const link = { linkId: c.req.param('id') ?? '', mark: c.req.header(FOLLOWED_SALE) }
    const { qrCode, etag, paid, waited } = await pollState(site, key, link, headers)
    const answered = { ETag: etag, 'Preference-Applied': preferenceApplied(waited, headers.Prefer) }
    if (isKnown(entityTags(known), etag)) return respond(c, null, 304, answered)
    return json(c, { status: paid ? 'PAYED' : qrCode.status }, answered)
  })

  pages.use(checkHost)
  pages.get('/:siteId/:id', async (c) => {
    const { site, key, address } = await linkOf(c)
    const current = await readAccount(site, key)
    const paid = current.isDeleted
      ? undefined
      : ((await followed(c, site, key)) ?? (await ownReceipt(c, site, key, current.qrCode)))
    const { payerPage, viewOf } = await views()
    const view = await viewOf(c, address, current, { paid })
    return page(c, payerPage(view), {
      forms: view.sandbox !== undefined || address.end === true || view.receipt?.contact !== undefined,
      theme: view.shop.theme,
      ...(view.isDeclined && { headers: forgetResult(c) }),
    })
  })

  pages.get('/:siteId/:id/print', async (c) => {
    const { site, key, address } = await linkOf(c)
    const current = await read(site, key)
    if (!isReusable(current.qrCode)) {
      throw new ApiError('payin.resource.not.found', 'only a QR code that is paid many times is printed')
    }
    // A sheet of it could not be paid: the page says so.
    if (!isPayable(current.qrCode.status)) return toPage(c, address)
    // The sheet outlives the sale of the moment.
    const qrCode = { ...current.qrCode, sale: undefined }
    const { color } = current.shop
    const theme = color && paperThemeOf(color)
    const { printView, viewOf } = await views()
    return page(c, printView(await viewOf(c, address, { ...current, qrCode }), theme), { theme })
  })

  pages.get('/:siteId/:id/banks', async (c) => {
    const { site, key, address } = await linkOf(c)
    const { banksPage, viewOf } = await views()
    const view = await viewOf(c, address, await read(site, key))
    // An old list still has its links.
    if ((await followed(c, site, key)) || !view.hasBanks || !canBePaid(view.qrCode)) return toPage(c, address)
    return page(c, banksPage(view, await banks.list()), { theme: view.shop.theme })
  })

  pages.post('/:siteId/:id', async (c) => {
    // Outside the sandbox the page has only the forms that end a saved account, and that say where the receipt goes.
    const isOther = !config.hasSandbox || !isSandbox(config, c.req.param('siteId'))
    if (isOther && !c.req.header('Content-Type')?.startsWith(FORM))
      return methodNotAllowed(c, ['GET', 'HEAD'])
    const form = await readForm(c, service)
    const isEnd = form.get('action') === 'end'
    const isContact = form.get('action') === GIVES_CONTACT
    if (isOther && !isEnd && !isContact) return methodNotAllowed(c, ['GET', 'HEAD'])
    requireSameOrigin(c, config)
    const { site, key, address } = await linkOf(c)
    if (isContact) return contactGiven(c, { site, key, address }, form)
    if (!isEnd) return pressed(c, { site, key, address }, form)
    await endSavedAccount(site, key, await readAccount(site, key))
    // The page stays: it names the charges that the bank has already.
    return seeOther(c, formatAddress({ ...address, end: undefined, until: 0 }))
  })

  /** Where the receipt goes. What was typed is on no page: not where it is refused either. */
  async function contactGiven(
    c: Context<AppEnv>,
    { site, key, address }: Awaited<ReturnType<typeof linkOf>>,
    form: URLSearchParams,
  ): Promise<Response> {
    const current = await read(site, key)
    const given = { text: form.get(CONTACT) ?? '', mark: form.get(SALE_MARK) ?? undefined }
    const { takeContact, payerPage, viewOf } = await views()
    const { isInvalid, paid } = await takeContact(site, { key, id: c.req.param('id') ?? '', current }, given)
    if (!isInvalid) return seeOther(c, formatAddress({ ...address, end: undefined }))
    const view = await viewOf(c, address, current, { paid, hasInvalidContact: true })
    return page(c, payerPage(view), { status: 422, forms: true, theme: view.shop.theme })
  }

  /** What the sandbox bank's buttons do. */
  async function pressed(
    c: Context<AppEnv>,
    { site, key, address }: Awaited<ReturnType<typeof linkOf>>,
    form: URLSearchParams,
  ): Promise<Response> {
    const current = await read(site, key)
    const { qrCode } = current
    const back = formatAddress({ ...address, end: undefined })
    if (form.get('action') === 'again') return seeOther(c, back, forgetResult(c))
    // An old page still has its buttons.
    if (!canBePaid(qrCode)) return seeOther(c, back)
    const done = await simulate({ site, key, qrCode }, form, config.homeCurrency)
    if ('invalidAmount' in done) {
      const { payerPage, viewOf } = await views()
      const view = await viewOf(c, address, current, done)
      return page(c, payerPage(view), { status: 422, forms: true, theme: view.shop.theme })
    }
    if (!isReusable(qrCode)) return seeOther(c, back)
    const { paymentUid } = done
    return seeOther(
      c,
      back,
      resultCookie(c, paymentUid ? paymentMark(site, c.req.param('id') ?? '', paymentUid) : DECLINED),
    )
  }

  /** The page of an error. A link of a site that leads to no QR code says whom to ask: the site's shop. */
  const failurePage = async (c: Context<AppEnv>, error: ApiError): Promise<Response> => {
    const { siteId } = c.var
    const { errorPage, notFoundPage, shopSeen } = await views()
    if (siteId === undefined) return errorPage(c, error)
    const inSandbox = isSandbox(config, siteId)
    if (error.code !== 'payin.resource.not.found') return errorPage(c, error, inSandbox)
    const site = await payerSite(c, service, siteId, c.req.param('id') ?? '')
    const shop = shopSeen(siteId, await callSite(site, (object) => object.shopForPayer()))
    return notFoundPage(c, shop, inSandbox)
  }

  pages.onError((error, c) => errorResponse(c, error, failurePage))

  return new Hono<AppEnv>().route('/', state).route('/', pages)
}
