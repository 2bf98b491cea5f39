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
import { requireHost } from './host.ts'
import { linkOfPage } from './links.ts'
import { readWhenChanged } from './long-poll.ts'
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

  /** The site and the link that the request names; 404 where this deployment did not issue the link's id. */
  async function linked(c: Context<AppEnv>): Promise<{ siteId: string; key: QrCodeKey }> {
    const { siteId = '', id = '' } = c.req.param()
    const link = linkOfPage(config, siteId, id, new URL(c.req.url).search)
    if (!link) throw new ApiError('payin.resource.not.found', 'there is no such link')
    c.set('siteId', siteId)
    await limitRate(service.limiter, `pay:${siteId}`)
    return { siteId, key: { link } }
  }

  const read = (siteId: string, key: QrCodeKey) => callSite(service, siteId, (site) => site.read(key))

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
    const { siteId, key } = await linked(c)
    const { qrCode, headers } = await readWhenChanged(c, service, siteId, key)
    const ETag = stateTag(qrCode)
    if (hasIt(c, ETag)) return answer(c, null, 304, { ETag, ...headers })
    return json(c, { status: qrCode.status }, { ETag, ...headers })
  })

  pages.use('/:siteId/:id', requireHost(service))
  pages.get('/:siteId/:id', async (c) => {
    const { siteId, key } = await linked(c)
    return show(c, await read(siteId, key))
  })

  if (config.sandbox) {
    pages.post('/:siteId/:id', async (c) => {
      requireSameOrigin(c, config)
      const { siteId, key } = await linked(c)
      const qrCode = await read(siteId, key)
      const form = await readForm(c, service)
      const typed = form.get('amount') ?? ''
      const amount = qrCode.amount ?? typedAmount(typed, config.homeCurrency)
      if (!amount) return show(c, qrCode, typed)
      const status = form.get('action') === 'pay' ? 'COMPLETED' : 'DECLINED'
      await pay(service, siteId, key, { status, amount }, 'payer').catch((error: unknown) => {
        // Somebody was faster: the page shows by what.
        if (!(error instanceof ApiError && error.code === 'payin.incorrect-method-invocation')) throw error
      })
      return seeOther(c, new URL(c.req.url).search)
    })
  }

  pages.onError((error, c) => {
    const { code, retryAfter } = note(c, error)
    const { status, userMessage } = ERRORS[code]
    const spoken = language(c.req.header('Accept-Language'))
    const texts = PAYER_TEXTS[spoken]
    const shown = status === 404 ? texts.notFound : { title: texts.trouble, advice: userMessage[spoken] }
    const headers = { 'Retry-After': retryAfter?.toString() }
    return page(c, payerRefusal(shown, spoken), { status, headers })
  })

  return new Hono<AppEnv>().route('/', state).route('/', pages)
}

const stateTag = ({ version, status }: QrCode): string => etagOf(version, status)
