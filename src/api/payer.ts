// The payer's page at the link's own address: the page, its state for the script, and the sandbox bank's buttons.
import { type Context, Hono } from 'hono'
import type { QrCode } from '../contract/qr-code.ts'
import { typedAmount } from '../contract/typed-amount.ts'
import { ApiError, ERRORS } from '../errors.ts'
import type { QrCodeKey } from '../site/qr-codes.ts'
import { answer, json, seeOther } from './answer.ts'
import { limitRate } from './auth.ts'
import { readForm } from './body.ts'
import { etagOf, hasIt } from './conditional.ts'
import { readHeld } from './held.ts'
import { requireHost } from './host.ts'
import { linkOfPage } from './links.ts'
import { language } from './negotiation.ts'
import { page } from './page.ts'
import { payerPage, payerRefusal } from './payer-page.ts'
import { PAYER_TEXTS } from './payer-texts.ts'
import { note } from './refusals.ts'
import { requireSameOrigin } from './same-origin.ts'
import { pay } from './sandbox.ts'
import type { AppEnv, Service } from './service.ts'
import { callSite } from './sites.ts'

/**
 * What stands below /pay, where links point that point here. Whoever has the link sees its page; nobody has a token.
 */
export function payer(service: Service): Hono<AppEnv> {
  const { config } = service
  const state = new Hono<AppEnv>()
  const pages = new Hono<AppEnv>()

  const readNow = (_: Context<AppEnv>, siteId: string, key: QrCodeKey) =>
    callSite(service, siteId, (site) => site.read(key))
  const readWhenChanged = async (c: Context<AppEnv>, siteId: string, key: QrCodeKey) =>
    (await readHeld(c, service, siteId, key)).qrCode

  /** The QR code whose link the request names, and only where it names the whole link. */
  async function linked(c: Context<AppEnv>, read = readNow): Promise<QrCode> {
    const { siteId = '', id = '' } = c.req.param()
    const link = linkOfPage(config, siteId, id, new URL(c.req.url))
    if (!link) throw notFound()
    c.set('siteId', siteId)
    await limitRate(service.limiter, `pay:${siteId}`)
    const qrCode = await read(c, siteId, { linkId: id })
    if (qrCode.payload !== link) throw notFound()
    return qrCode
  }

  const show = (c: Context<AppEnv>, qrCode: QrCode, refused?: string) =>
    page(
      c,
      payerPage({
        qrCode,
        siteId: c.var.siteId ?? '',
        language: language(c.req.header('Accept-Language')),
        now: Math.floor(service.now() / 1000),
        etag: stateTag(qrCode),
        sandbox: config.sandbox ? { currency: config.homeCurrency } : undefined,
        refused,
      }),
      { status: refused === undefined ? 200 : 422, forms: config.sandbox },
    )

  state.get('/:siteId/:id/state', requireHost(service), async (c) => {
    const qrCode = await linked(c, readWhenChanged)
    const ETag = stateTag(qrCode)
    return hasIt(c, ETag) ? answer(c, null, 304, { ETag }) : json(c, { status: qrCode.status }, { ETag })
  })

  pages.use('/:siteId/:id', requireHost(service))
  pages.get('/:siteId/:id', async (c) => show(c, await linked(c)))

  if (config.sandbox) {
    pages.post('/:siteId/:id', async (c) => {
      requireSameOrigin(c, config)
      const qrCode = await linked(c)
      const form = await readForm(c, service)
      const typed = form.get('amount') ?? ''
      const amount = qrCode.amount ?? typedAmount(typed, config.homeCurrency)
      if (!amount) return show(c, qrCode, typed)
      const status = form.get('action') === 'pay' ? 'COMPLETED' : 'DECLINED'
      const key = { linkId: c.req.param('id') }
      await pay(service, c.req.param('siteId'), key, { status, amount }, 'payer').catch((error: unknown) => {
        // Somebody was faster: the page shows by what.
        if (!(error instanceof ApiError && error.code === 'payin.incorrect-method-invocation')) throw error
      })
      return seeOther(c, new URL(c.req.url).search)
    })
  }

  pages.onError((error, c) => {
    const row = ERRORS[note(c, error).code]
    const spoken = language(c.req.header('Accept-Language'))
    const texts = PAYER_TEXTS[spoken]
    const shown =
      row.status === 404 ? texts.notFound : { title: texts.trouble, advice: row.userMessage[spoken] }
    const headers = { 'Retry-After': row.retryAfter?.toString() }
    return page(c, payerRefusal(shown, spoken), { status: row.status, headers })
  })

  return new Hono<AppEnv>().route('/', state).route('/', pages)
}

const stateTag = ({ version, status }: QrCode): string => etagOf(version, status)

const notFound = () => new ApiError('payin.resource.not.found', 'there is no such link')
