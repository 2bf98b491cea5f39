// The payer's page at the link's own address: the page, its state for the script, and the sandbox bank's buttons.
import { type Context, type ErrorHandler, Hono } from 'hono'
import type { QrCode } from '../contract/qr-code.ts'
import { typedAmount } from '../contract/typed-amount.ts'
import { ApiError, ERRORS } from '../errors.ts'
import { answer, json, seeOther } from './answer.ts'
import { readForm } from './body.ts'
import { etagOf, hasIt } from './conditional.ts'
import { readHeld } from './held.ts'
import { linkOfPage } from './links.ts'
import { language } from './negotiation.ts'
import { page } from './page.ts'
import { payerPage, payerRefusal } from './payer-page.ts'
import { PAYER_TEXTS } from './payer-texts.ts'
import { pay } from './sandbox.ts'
import type { AppEnv, Service } from './service.ts'

/**
 * What stands below /pay, where links point that point here. Whoever has the link sees its page; nobody has a token.
 * @param onError notes a refusal for the log, before it is shown as a page
 */
export function payer(service: Service, onError: ErrorHandler<AppEnv>): Hono<AppEnv> {
  const { config } = service
  const [first = 'RUB'] = config.currencies
  /** What a sum is typed in where the link has none. */
  const currency = config.currencies.includes('RUB') ? 'RUB' : first
  const state = new Hono<AppEnv>()
  const pages = new Hono<AppEnv>()

  /** The QR code whose link the request names, and only where it names the whole link. */
  async function qrCodeOf(c: Context<AppEnv>): Promise<QrCode> {
    const { siteId = '', id = '' } = c.req.param()
    const link = linkOfPage(config, siteId, id, new URL(c.req.url))
    if (!link) throw notFound()
    c.set('siteId', siteId)
    const { qrCode } = await readHeld(c, service, siteId, { linkId: id })
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
        sandbox: config.sandbox ? { currency } : undefined,
        refused,
      }),
      { status: refused === undefined ? 200 : 422, forms: config.sandbox },
    )

  state.get('/:siteId/:id/state', async (c) => {
    const qrCode = await qrCodeOf(c)
    const ETag = stateTag(qrCode)
    return hasIt(c, ETag) ? answer(c, null, 304, { ETag }) : json(c, { status: qrCode.status }, { ETag })
  })

  pages.get('/:siteId/:id', async (c) => show(c, await qrCodeOf(c)))

  if (config.sandbox) {
    pages.post('/:siteId/:id', async (c) => {
      const qrCode = await qrCodeOf(c)
      const form = await readForm(c)
      const typed = form.get('amount') ?? ''
      const amount = qrCode.amount ?? typedAmount(typed, currency)
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

  pages.onError(async (error, c) => {
    await onError(error, c)
    const row = ERRORS[c.var.errorCode ?? 'internal.error']
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
