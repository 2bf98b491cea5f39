// The demonstration on the front door, in the sandbox only: a QR code of site demo, made and shown with the mouse.
import type { Context } from 'hono'
import { html } from 'hono/html'
import { orderOf, qrCodeRequest } from '../contract/qr-code.ts'
import { parseLink } from '../fps/link.ts'
import { isLinkId } from '../fps/link-id.ts'
import { seeOther } from './answer.ts'
import { limitRate } from './auth.ts'
import { readForm, validate } from './body.ts'
import { creation } from './creation.ts'
import { linkBase } from './links.ts'
import { originOf } from './path.ts'
import { drawnImage } from './pictures.ts'
import { requireSameOrigin } from './same-origin.ts'
import type { AppEnv, Service } from './service.ts'

const SITE = 'demo'
const PICTURE = { mediaType: 'image/svg+xml', width: 240, height: 240 } as const

/** POST /: creates a QR code and shows it on the front door. */
export const createDemo = (service: Service) => {
  const { currencies, homeCurrency } = service.config
  const schema = qrCodeRequest(currencies)
  const createAtSite = creation(service)
  return async (c: Context<AppEnv>) => {
    requireSameOrigin(c, service.config)
    c.set('siteId', SITE)
    await limitRate(service.limiter, SITE)
    const origin = originOf(c)
    const form = await readForm(c, service)
    const order = orderOf(
      validate(schema, {
        qrCodeUid: `demo-${service.random(8).toHex()}`,
        qrCode: { type: 'DYNAMIC' },
        amount: form.get('amount') ? { value: form.get('amount'), currency: homeCurrency } : undefined,
        paymentPurpose: form.get('purpose') || undefined,
        redirectUrl: `${service.config.publicUrl ?? origin}/`,
      }),
    )
    const { qrCode } = await createAtSite(SITE, { order, origin })
    return seeOther(c, `/?link=${encodeURIComponent(qrCode.payload)}`)
  }
}

/** The form, and the QR code of the link in the address, where this deployment made that link. */
export function demo(
  { config }: Service,
  { link = '', origin }: { link?: string | undefined; origin: string },
) {
  const { base, id = '', type = 'DYNAMIC' } = parseLink(link) ?? {}
  const isOwn = base === linkBase(config, SITE, type, origin) && isLinkId(config.secrets, SITE, id)
  return html`<h2>Try it</h2>
      <p>This is a sandbox: payments are made up, and no money moves.</p>
      ${isOwn && shown(link)}
      <form method="post" action="/">
        <label>Sum in ${config.homeCurrency}, or nothing: then the payer types it
          <input name="amount" type="number" min="0.01" max="999999999.99" step="0.01" value="100.00"></label>
        <label>Purpose <input name="purpose" maxlength="140" value="Two cups of tea"></label>
        <button>Create a QR code</button>
      </form>`
}

function shown(link: string) {
  const { mediaType, width, height, content } = drawnImage(PICTURE, link)
  return html`<figure>
        <a href="${link}"><img src="data:${mediaType};base64,${content}" width="${width}" height="${height}"
          alt="The QR code: open the payer’s page"></a>
        <figcaption>Scan it, or open <a href="${link}">the payer’s page</a> and pay.</figcaption>
      </figure>`
}
