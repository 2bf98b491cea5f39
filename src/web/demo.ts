// The demonstration on /, in the sandbox only: a QR code of the site demo, created by a form.
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { Caller } from '../contract/caller.ts'
import { qrCodeRequest, specOf } from '../contract/qr-code.ts'
import { parseLink } from '../fps/link.ts'
import type { Service } from '../gateway/context.ts'
import { isOwnLinkId, linkBase, pageUrl } from '../gateway/links.ts'
import { drawnImage } from '../gateway/render.ts'
import type { AppEnv } from '../http/app-env.ts'
import { limitRate } from '../http/auth.ts'
import { readForm } from '../http/body.ts'
import { originOf } from '../http/path.ts'
import { seeOther } from '../http/response.ts'
import { requireSameOrigin } from '../http/same-origin.ts'
import { validate } from '../http/validate.ts'

const SITE_ID = 'demo'
const VISITOR: Caller = { actor: 'merchant', scopes: [] }
const PICTURE = { mediaType: 'image/svg+xml', width: 240, height: 240 } as const

/** POST /: creates a QR code and redirects to the page that shows it. */
export const createDemo = (service: Service) => {
  const { currencies, homeCurrency } = service.config
  const schema = qrCodeRequest(currencies)
  return async (c: Context<AppEnv>) => {
    requireSameOrigin(c, service.config)
    c.set('siteId', SITE_ID)
    await limitRate(service.limiter, SITE_ID)
    const origin = originOf(c)
    const form = await readForm(c, service)
    const spec = specOf(
      validate(schema, {
        qrCodeUid: `demo-${service.random(8).toHex()}`,
        qrCode: { type: 'DYNAMIC' },
        amount: form.get('amount') ? { value: form.get('amount'), currency: homeCurrency } : undefined,
        paymentPurpose: form.get('purpose') || undefined,
        redirectUrl: `${service.config.publicUrl ?? origin}/`,
      }),
    )
    const { qrCode } = await service.createQrCode({ siteId: SITE_ID, caller: VISITOR, origin }, spec)
    return seeOther(c, `/?link=${encodeURIComponent(qrCode.payload)}`)
  }
}

/** The form, and the QR code of the link in the address, if this deployment made that link. */
export function demo(
  { config }: Service,
  { link = '', origin }: { link?: string | undefined; origin: string },
) {
  const { base, id = '', type = 'DYNAMIC' } = parseLink(link) ?? {}
  const isOwn = base === linkBase(config, SITE_ID, type, origin) && isOwnLinkId(config, SITE_ID, id)
  return html`<h2>Try it</h2>
      <p>This is a sandbox: payments are made up, and no money moves.</p>
      ${isOwn && pictureOf(link, pageUrl(config, SITE_ID, origin, { payload: link }))}
      <form method="post" action="/">
        <label>Amount in ${config.homeCurrency}; if empty, the payer types it
          <input name="amount" type="number" min="0.01" max="999999999.99" step="0.01" value="100.00"></label>
        <label>Purpose <input name="purpose" maxlength="140" value="Two cups of tea"></label>
        <button>Create a QR code</button>
      </form>`
}

function pictureOf(link: string, page: string) {
  const { mediaType, width, height, content } = drawnImage(PICTURE, link)
  return html`<figure>
        <a href="${page}"><img src="data:${mediaType};base64,${content}" width="${width}" height="${height}"
          alt="The QR code: open the payer’s page"></a>
        <figcaption>Scan it, or open <a href="${page}">the payer’s page</a> and pay.</figcaption>
      </figure>`
}
