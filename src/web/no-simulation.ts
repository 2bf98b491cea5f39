// Why the pages of `wrangler dev` have no buttons that simulate a payment, for the developer who looks for them.
import { html } from 'hono/html'
import { isSandbox } from '../gateway/connection.ts'
import type { Service } from '../gateway/context.ts'
import type { Language } from '../http/negotiation.ts'
import type { Html } from './layout.ts'

const TEXTS = {
  ru: {
    why: 'Кнопки «Имитировать оплату» здесь нет: PAYMENT_NETWORK не sandbox, платежи сообщает платёжная сеть. С кнопкой:',
    or: 'или',
  },
  en: {
    why: 'There is no button “Simulate payment” here: PAYMENT_NETWORK is not sandbox, and the payment network reports payments. With the button:',
    or: 'or',
  },
}

/** The reason, on a page of a site; nothing in a deployment, and nothing where the buttons are. */
export function noSimulation(
  { config, isDevelopment }: Pick<Service, 'config' | 'isDevelopment'>,
  siteId: string,
  language: Language,
): Html | undefined {
  if (!isDevelopment || isSandbox(config, siteId)) return undefined
  const { why, or } = TEXTS[language]
  return html`<p><small>${why} <code>npx wrangler dev --var PAYMENT_NETWORK:sandbox</code> ${or} <code>npm start</code></small></p>`
}
