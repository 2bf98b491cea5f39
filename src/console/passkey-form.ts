// The form that asks a browser for a passkey; public/passkeys.js runs it.
import { html } from 'hono/html'
import type { Language } from '../http/negotiation.ts'
import type { Html } from '../web/layout.ts'
import { PEOPLE_TEXTS } from './texts-people.ts'

interface PasskeyForm {
  language: Language
  /** From the page to the root of the service: where the script is. */
  root: string
  method: 'create' | 'get'
  /** JSON for PublicKeyCredential.parse…OptionsFromJSON. */
  options: object
  action: string
  button: string
  /** Fields that are sent besides `response`. */
  fields?: Record<string, string>
  /** Content between the fields and the button. */
  content?: Html | string
  exists?: string
}

/** The name of the field with the JSON of the credential. */
export const RESPONSE = 'response'

export function passkeyForm({ language, root, method, options, action, button, ...more }: PasskeyForm): Html {
  const texts = PEOPLE_TEXTS[language].passkey
  return html`<form method="post" action="${action}" data-passkey="${method}" data-options="${JSON.stringify(options)}">
      ${Object.entries(more.fields ?? {}).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
      <input type="hidden" name="${RESPONSE}" data-response>
      <p class="alert" role="alert" data-failed hidden><strong>${texts.failed}</strong></p>
      ${more.exists && html`<p class="alert" role="alert" data-exists hidden><strong>${more.exists}</strong></p>`}
      <p class="warn" data-unsupported hidden>${texts.unsupported}</p>
      <noscript><p class="warn">${texts.noScript}</p></noscript>
      ${more.content}
      <button class="button primary" hidden>${button}</button>
    </form>
    <script src="${root}passkeys.js" type="module"></script>`
}
