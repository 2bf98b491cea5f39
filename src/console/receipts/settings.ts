// The settings of receipts, with the receipt as it will be printed.
import { html } from 'hono/html'
import { capabilitiesOf } from '../../contract/receipts/cash-register.ts'
import { MAX_NAME, METHODS, OBJECTS } from '../../contract/receipts/item.ts'
import type { ReceiptSettings } from '../../contract/receipts/receipt.ts'
import { ApiError } from '../../errors.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { RECEIPT_WORDS } from '../../web/receipts/words.ts'
import { consolePage } from '../page.ts'
import { type FormError, field, formError, notice, select, textsOf } from '../parts.ts'
import { RECEIPT_SETTINGS_TEXTS } from '../texts-receipt-settings.ts'
import { RECEIPT_TEXTS } from '../texts-receipts.ts'
import type { Visit } from '../visit.ts'
import { taxationField, vatField } from './fields.ts'
import { sample, type TypedSettings } from './sample.ts'

const TEXTS_OF = ['itemName', 'place', 'email'] as const
const CHOICES = ['taxation', 'vat', 'method', 'object'] as const
const FLAGS = ['askContact', 'default'] as const

interface Tried {
  typed: TypedSettings
  refused?: FormError
}

export const settings = (visit: Visit): Promise<Response> => show(visit)

async function show(visit: Visit, tried?: Tried): Promise<Response> {
  const { language, root } = visit
  const texts = RECEIPT_SETTINGS_TEXTS[language]
  const { settings: present, revision } = await visit.call('getSettings')
  const typed = tried?.typed ?? typedOf(present.receipts)
  const register = visit.receipts?.register
  const { refused } = tried ?? {}
  return consolePage(visit, {
    title: texts.title,
    active: 'receipts',
    status: refused?.status ?? 200,
    main: html`<link rel="stylesheet" href="${root}paper.css"><a class="back" href="${visit.base}receipts">← ${textsOf(visit).nav.receipts}</a>
      <h1>${texts.title}</h1>${notice(visit)}
      <p class="${register ? 'hint' : 'warn'}">${register ? `${texts.register(texts.registers[register.kind])}. ${texts.lead}` : texts.noRegister}</p>
      <div class="columns even"><form class="card" method="post" data-receipts>${refused?.alert}
      <input type="hidden" name="etag" value="${`"${revision}"`}">
      ${fields(typed, visit, refused)}
      <div class="actions"><button class="primary">${texts.save}</button><noscript><button name="preview" value="yes" formnovalidate>${texts.show}</button></noscript></div></form>
      ${sample(typed, present, visit)}</div>
      <script src="${root}console-receipts.js" type="module"></script>`,
  })
}

function fields(typed: TypedSettings, visit: Visit, refused: FormError | undefined): Html {
  const { language } = visit
  const texts = RECEIPT_SETTINGS_TEXTS[language]
  const words = RECEIPT_WORDS[language]
  const options = <Value extends string>(values: readonly Value[], names: Record<Value, string>) =>
    values.map((value) => ({ value, text: names[value] }))
  const flag = (name: (typeof FLAGS)[number], label: string, hint: string) =>
    html`<label class="check explained"><input type="checkbox" name="${name}" value="yes"${typed[name] === 'yes' && html` checked`}> <span>${label} <small>${
      refused?.fields[`receipts.${name}`] ?? hint
    }</small></span></label>`
  const text = (name: (typeof TEXTS_OF)[number], label: string, hint: string, maxLength: number) =>
    field({ name, label, value: typed[name], hint, maxLength, fault: refused?.fields[`receipts.${name}`] })
  return html`${flag('default', texts.default, texts.defaultHint)}
      ${canAsk(visit) && flag('askContact', texts.askContact, texts.askContactHint)}
      <div class="choices">${taxationField(visit, typed.taxation, texts.none)}
      ${vatField(visit, { name: 'vat', label: texts.vat, chosen: typed.vat, none: texts.none })}
      ${select('object', texts.object, options(OBJECTS, words.objects), typed.object || 'commodity')}
      ${select('method', texts.method, options(METHODS, words.methods), typed.method || 'fullPayment')}</div>
      ${text('itemName', texts.itemName, texts.itemNameHint, MAX_NAME)}
      ${text('place', texts.place, texts.placeHint, 256)}
      ${text('email', texts.email, texts.emailHint, 64)}`
}

/** Whether the payer can be asked: a register that takes the contact with the QR code cannot wait for one. */
const canAsk = ({ receipts }: Visit): boolean =>
  !receipts?.register || !capabilitiesOf(receipts.register).rides

const typedOf = (present: ReceiptSettings = {}): TypedSettings => ({
  taxation: present.taxation ?? '',
  vat: present.vat ?? '',
  method: present.method ?? '',
  object: present.object ?? '',
  itemName: present.itemName ?? '',
  place: present.place ?? '',
  email: present.email ?? '',
  askContact: present.askContact ? 'yes' : '',
  default: present.default ? 'yes' : '',
})

function typedIn(form: URLSearchParams): TypedSettings {
  const of = (name: keyof TypedSettings) => form.get(name)?.trim() ?? ''
  return {
    taxation: of('taxation'),
    vat: of('vat'),
    method: of('method'),
    object: of('object'),
    itemName: of('itemName'),
    place: of('place'),
    email: of('email'),
    askContact: of('askContact'),
    default: of('default'),
  }
}

/** What the form does: it shows what is typed, or saves it. */
export async function saveSettings(visit: Visit): Promise<Response> {
  const sent = await visit.form()
  const typed = typedIn(sent)
  if (sent.has('preview')) return show(visit, { typed })
  const body = {
    receipts: {
      ...Object.fromEntries([...TEXTS_OF, ...CHOICES].map((name) => [name, typed[name] || null])),
      ...Object.fromEntries(FLAGS.map((name) => [name, typed[name] === 'yes'])),
    },
  }
  try {
    await visit.call('patchSettings', { body, headers: { 'If-Match': sent.get('etag') ?? '' } })
  } catch (error) {
    const refused = refusedBy(error, visit)
    const isStale = error instanceof ApiError && error.code === 'http.precondition.failed'
    return isStale ? stale(visit, refused) : show(visit, { typed, refused })
  }
  return seeOther(visit.c, '?done=saved')
}

/** Somebody else changed the settings meanwhile: the form has what is saved now. */
async function stale(visit: Visit, refused: FormError): Promise<Response> {
  const { settings: present } = await visit.call('getSettings')
  return show(visit, { typed: typedOf(present.receipts), refused })
}

function refusedBy(error: unknown, visit: Visit): FormError {
  const texts = RECEIPT_SETTINGS_TEXTS[visit.language]
  return formError(error, visit, {
    'receipts.itemName': RECEIPT_TEXTS[visit.language].badName,
    'receipts.place': texts.placeRule,
    'receipts.email': texts.emailRule,
    'receipts.vat': texts.badVat,
    'receipts.default': texts.badDefault,
    'receipts.askContact': texts.badAskContact,
    ...Object.fromEntries(
      ['taxation', 'method', 'object'].map((name) => [`receipts.${name}`, texts.refused]),
    ),
  })
}
