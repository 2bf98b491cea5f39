// The settings of a site: what its payers see, and where notifications go.
import { html } from 'hono/html'
import { ApiError } from '../../errors.ts'
import { InvalidLogo } from '../../gateway/logo.ts'
import { logoPath } from '../../gateway/logo-path.ts'
import { seeOther } from '../../http/response.ts'
import { invalid } from '../../http/validate.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { markOf } from '../../web/payer/parts.ts'
import { currencySign, typedValue } from '../formats.ts'
import { consolePage } from '../page.ts'
import { type FormError, field, formError, notice, select, textsOf } from '../parts.ts'
import { logoProblemRu, SETTINGS_TEXTS } from '../texts-settings.ts'
import { ADMINS, type Route, type Visit } from '../visit.ts'
import { otherAddresses, typesField } from './address-list.ts'
import { changes, NAMES, type Typed, typedIn, typedOf } from './settings-form.ts'

/** Bytes of the form: a logo of 256 KiB in Base64, whose signs are escaped, and the fields. */
const MAX_FORM = 1024 * 1024
/** The sum that the preview shows, in hundredths. */
const SAMPLE = 150_000

export const SETTINGS: readonly Route[] = [
  { method: 'get', path: '/settings', scopes: ADMINS, handle: (visit) => settings(visit) },
  { method: 'post', path: '/settings', scopes: ADMINS, maxForm: MAX_FORM, handle: save, confirms: changes },
]

interface Tried extends FormError {
  /** What was typed, unless somebody else changed the settings meanwhile. */
  typed?: Typed
  /** The logo that was chosen, in Base64: it is not stored. */
  chosen?: string
}

async function settings(visit: Visit, tried?: Tried): Promise<Response> {
  const { config, siteId, root, language } = visit
  const [{ settings: present, revision, logo: hash }, { callbacks }] = await Promise.all([
    visit.call('getSettings'),
    visit.call('listCallbacks'),
  ])
  const { confirmRefundsAbove } = present
  const known = tried?.typed ?? typedOf(present, visit)
  const currency = confirmRefundsAbove?.currency ?? config.homeCurrency
  const texts = SETTINGS_TEXTS[language]
  const title = textsOf(visit).nav.settings
  const logo = hash && root + logoPath(config.secrets, siteId, hash)
  const fieldOf = (name: (typeof NAMES)[number], label: string, hint: string, maxLength: number) =>
    field({ name, label, value: known[name], hint, maxLength, fault: tried?.fields[name] })
  const done = { ...textsOf(visit).done, addressRemoved: texts.addresses.removed }
  const main = html`<h1>${title}</h1>${notice(visit, done)}
    <div class="columns even"><form class="card" method="post" data-settings="${siteId}">${tried?.alert}
      <input type="hidden" name="etag" value="${`"${revision}"`}">
      <h2>${texts.shop}</h2>
      ${fieldOf('name', texts.name, texts.nameHint, 60)}
      ${logoFields(visit, logo, fieldOf('logoUrl', texts.logoUrl, texts.logoUrlHint, 500), tried)}
      <div class="picked">${fieldOf('color', texts.color, texts.colorHint, 7)}
        <input type="color" class="scripted" aria-label="${texts.pickColor}" data-picker></div>
      ${fieldOf('supportContact', texts.contact, texts.contactHint, 100)}
      ${fieldOf('legalName', texts.legalName, texts.legalNameHint, 160)}
      ${fieldOf('taxId', texts.taxId, texts.taxIdHint, 12)}
      ${select('digitalRouble', texts.ways, waysOptions(visit), known.digitalRouble ? 'yes' : 'no')}
      <p class="hint">${texts.waysHint}</p>
      ${field({
        name: 'redirectSchemes',
        label: texts.schemes,
        value: known.redirectSchemes?.join(' '),
        hint: texts.schemesHint,
        maxLength: 200,
        fault: listFault(tried, 'redirectSchemes'),
      })}
      ${field({
        name: 'payoutAccounts',
        label: texts.accounts,
        value: known.payoutAccounts?.join(' '),
        hint: texts.accountsHint,
        maxLength: 300,
        fault: listFault(tried, 'payoutAccounts'),
      })}
      <h2>${texts.server}</h2>
      ${fieldOf('callbackUrl', texts.callback, texts.callbackHint, 500)}
      ${typesField(visit, 'notificationTypes', known.notificationTypes)}
      <h2>${texts.people}</h2>
      ${field({
        name: 'confirmAbove',
        label: `${texts.confirmAbove}, ${currencySign(currency, language)}`,
        value: known.confirmAbove,
        hint: texts.confirmAboveHint,
        isAmount: true,
        maxLength: 20,
        fault: tried?.fields['confirmRefundsAbove.value'],
      })}<input type="hidden" name="confirmCurrency" value="${currency}">
      ${select('tokenSignIn', texts.signIn, signInOptions(visit), known.tokenSignIn === false ? 'no' : 'yes')}
      <p class="hint">${texts.signInHint}</p>
      <div class="actions"><button class="primary">${texts.save}</button><a href="${visit.base}notification-keys">${texts.keys}</a></div></form>
    ${preview(visit, known, logo)}</div>${otherAddresses(visit, callbacks)}
    <script src="${root}console-settings.js" type="module"></script>`
  return consolePage(visit, {
    title,
    main,
    active: 'settings',
    theme: visit.previewTheme,
    status: tried?.status ?? 200,
  })
}

const waysOptions = ({ language }: Visit) => {
  const { sbpAlone, withDigitalRoubles } = SETTINGS_TEXTS[language]
  return [
    { value: 'no', text: sbpAlone },
    { value: 'yes', text: withDigitalRoubles },
  ]
}

const signInOptions = ({ language }: Visit) => {
  const { signInByToken, signInByPasskey } = SETTINGS_TEXTS[language]
  return [
    { value: 'yes', text: signInByToken },
    { value: 'no', text: signInByPasskey },
  ]
}

/** What is wrong with a list, or with the first of it that breaks its rule. */
const listFault = (tried: Tried | undefined, list: string): string | undefined =>
  Object.entries(tried?.fields ?? {}).find(([name]) => name.startsWith(list))?.[1]

/** A picture is chosen or dropped; public/console-settings.js makes it small, and puts it into the form. */
function logoFields(
  { language }: Visit,
  logo: string | undefined,
  byAddress: Html,
  tried: Tried | undefined,
): Html {
  const texts = SETTINGS_TEXTS[language]
  const fault = tried?.fields.logo
  const hint = html`<small id="logo-hint" role="status">${fault ?? texts.logoHint}</small>`
  return html`<label class="scripted">${texts.logo}
        <input type="file" class="drop" accept="image/*" data-file data-unreadable="${texts.noPicture}" data-large="${texts.largePicture}"
          aria-describedby="logo-hint"${fault && html` aria-invalid="true"`}>${hint}</label>
      <input type="hidden" name="logo" value="${fault ? '' : tried?.chosen}">
      ${
        logo &&
        html`<div class="present"><img class="mark" src="${logo}" width="40" height="40" alt="${texts.presentLogo}">
        <label class="check"><input type="checkbox" name="removeLogo" value="yes">${texts.removeLogo}</label></div>`
      }
      <details${tried?.fields.logoUrl && html` open`}><summary>${texts.byAddress}</summary>${byAddress}</details>`
}

/** The payer's page with these settings; the script keeps it up to date. */
function preview({ language, config, siteId }: Visit, known: Typed, logo: string | undefined): Html {
  const texts = SETTINGS_TEXTS[language]
  const { name, legalName, taxId, supportContact } = known
  const seller = [legalName, taxId && `${texts.taxId} ${taxId}`].filter(Boolean).join(', ')
  const shop = html`<strong><bdi data-shown="name">${name || siteId}</bdi></strong>`
  const law = html`data-shown="seller" data-seller="${texts.seller}" data-tax="${texts.taxId}"`
  return html`<figure class="preview later"><figcaption>${texts.preview}</figcaption>
      <p class="brand"><span data-shown="logo">${markOf(name || siteId, logo)}</span>${shop}</p>
      <p class="amount">${money({ minorUnits: SAMPLE, currency: config.homeCurrency }, language)}</p>
      <p class="pay" data-shown="pay">${texts.pay}</p>
      <p class="hint" data-shown="contact"><bdi>${supportContact}</bdi></p>
      <p class="hint" ${law}>${seller && `${texts.seller}: ${seller}`}</p></figure>`
}

async function save(visit: Visit): Promise<Response> {
  const form = await visit.form()
  const entered = typedIn(form)
  const { confirmAbove, tokenSignIn, digitalRouble } = entered
  const logo = form.get('logo') ?? ''
  try {
    // A field that was not changed is not sent: an empty `logoUrl` would remove an uploaded logo.
    const { settings: present } = await visit.call('getSettings')
    const changed = NAMES.filter((name) => (entered[name] ?? '') !== (present[name] ?? ''))
    const body = {
      ...Object.fromEntries(changed.map((name) => [name, entered[name] || null])),
      redirectSchemes: entered.redirectSchemes,
      ...(entered.payoutAccounts && { payoutAccounts: entered.payoutAccounts }),
      notificationTypes: entered.notificationTypes,
      ...(confirmAbove !== undefined && {
        confirmRefundsAbove:
          confirmAbove === ''
            ? null
            : { value: typedValue(confirmAbove, 0), currency: form.get('confirmCurrency') ?? '' },
      }),
      tokenSignIn,
      digitalRouble,
      ...(form.has('removeLogo') && { logoUrl: null }),
      ...(logo !== '' && { logo: bytesOf(logo) }),
    }
    await visit.call('saveSettings', { body, headers: { 'If-Match': form.get('etag') ?? '' } })
  } catch (error) {
    const isStale = error instanceof ApiError && error.code === 'http.precondition.failed'
    return settings(visit, {
      ...formError(error, visit, rulesOf(error, entered, visit)),
      ...(!isStale && { typed: entered, chosen: logo }),
    })
  }
  return seeOther(visit.c, '?done=saved')
}

/** @throws ApiError validation.error for a text that is not Base64 */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.fromBase64(base64)
  } catch {
    throw invalid({ logo: ['must be Base64'] })
  }
}

/** Which rule each field breaks, in the page's language. */
function rulesOf(
  error: unknown,
  { redirectSchemes = [], payoutAccounts = [] }: Typed,
  { language }: Visit,
): Record<string, string> {
  const texts = SETTINGS_TEXTS[language]
  return {
    name: texts.nameHint,
    supportContact: texts.contactHint,
    legalName: texts.legalNameHint,
    taxId: texts.taxIdRule,
    color: texts.colorRule,
    redirectSchemes: texts.schemesHint,
    ...Object.fromEntries(
      redirectSchemes.map((scheme, i) => [`redirectSchemes.${i}`, texts.schemeRule(scheme)]),
    ),
    payoutAccounts: texts.accountsHint,
    ...Object.fromEntries(
      payoutAccounts.map((account, i) => [`payoutAccounts.${i}`, texts.accountRule(account)]),
    ),
    logo: texts.pictureRule,
    callbackUrl: texts.urlRule,
    'confirmRefundsAbove.value': texts.confirmAboveRule,
    'payin.incorrect-method-invocation': texts.addresses.full,
    // English is the API's own language.
    ...(language === 'ru' && {
      logoUrl:
        error instanceof InvalidLogo
          ? `${texts.logoUrlRule}: ${logoProblemRu(error.problem)}`
          : `${texts.logoUrlRule}. ${texts.urlRule}`,
    }),
  }
}
