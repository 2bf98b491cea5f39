// What the form of the settings has, and what of it is new: a person who confirms the form sees that.
import type { Settings } from '../../contract/settings.ts'
import { money } from '../../web/payer/formats.ts'
import { typedAmount } from '../../web/typed-amount.ts'
import { typed } from '../formats.ts'
import { textsOf } from '../parts.ts'
import { CONFIRMATION_TEXTS } from '../texts-confirmation.ts'
import { LIST_TEXTS } from '../texts-lists.ts'
import { SETTINGS_TEXTS } from '../texts-settings.ts'
import type { Confirmed, Visit } from '../visit.ts'

export const NAMES = [
  ...(['name', 'supportContact', 'legalName', 'taxId', 'logoUrl', 'color', 'callbackUrl'] as const),
]

export type Typed = Partial<Pick<Settings, (typeof NAMES)[number] | 'redirectSchemes' | 'payoutAccounts'>> & {
  notificationTypes: readonly string[]
  /** Undefined in a form of an earlier build, which changes none of these. */
  confirmAbove?: string | undefined
  tokenSignIn?: boolean | undefined
  digitalRouble?: boolean | undefined
}

const listIn = (form: URLSearchParams, name: string): string[] | undefined =>
  form
    .get(name)
    ?.split(/[\s,]+/)
    .filter(Boolean)

/** What was typed. */
export const typedIn = (form: URLSearchParams): Typed => ({
  ...Object.fromEntries(NAMES.map((name) => [name, form.get(name)?.trim() ?? ''])),
  redirectSchemes: listIn(form, 'redirectSchemes') ?? [],
  payoutAccounts: listIn(form, 'payoutAccounts'),
  notificationTypes: form.getAll('notificationTypes'),
  confirmAbove: form.get('confirmAbove')?.trim(),
  tokenSignIn: form.has('tokenSignIn') ? form.get('tokenSignIn') !== 'no' : undefined,
  digitalRouble: form.has('digitalRouble') ? form.get('digitalRouble') === 'yes' : undefined,
})

/** The settings as the form has them. */
export const typedOf = (present: Settings, { language }: Pick<Visit, 'language'>): Typed => ({
  ...present,
  confirmAbove: present.confirmRefundsAbove && typed(present.confirmRefundsAbove.minorUnits, language),
  tokenSignIn: present.tokenSignIn ?? true,
  digitalRouble: present.digitalRouble ?? false,
})

/** What the form changes. */
export async function changes(visit: Visit, form: URLSearchParams): Promise<Confirmed> {
  const texts = SETTINGS_TEXTS[visit.language]
  const { settings } = await visit.call('getSettings')
  const present = shown(typedOf(settings, visit), settings, visit)
  const next = shown(
    typedIn(form),
    { confirmRefundsAbove: { currency: form.get('confirmCurrency') ?? '' } },
    visit,
  )
  const { nothing } = CONFIRMATION_TEXTS[visit.language]
  const changed = Object.entries(next).filter(([label, value]) => value !== (present[label] ?? ''))
  return {
    title: textsOf(visit).nav.settings,
    back: 'settings',
    rows: [
      ...changed.map(([label, value]) => [label, value || nothing] as const),
      [texts.logo, form.get('logo') ? texts.newLogo : form.has('removeLogo') && texts.removeLogo],
    ],
  }
}

/** The values by their labels; what the form does not have is left out. */
function shown(
  { redirectSchemes = [], payoutAccounts, notificationTypes, confirmAbove, ...entered }: Typed,
  { confirmRefundsAbove }: { confirmRefundsAbove?: { currency: string } | undefined },
  visit: Visit,
): Record<string, string> {
  const { language, config } = visit
  const { tokenSignIn, digitalRouble, ...values } = entered
  const texts = SETTINGS_TEXTS[language]
  const { types } = LIST_TEXTS[language].notifications
  const sum = typedAmount(confirmAbove ?? '', confirmRefundsAbove?.currency ?? config.homeCurrency, 0)
  return {
    [texts.name]: values.name ?? '',
    [texts.contact]: values.supportContact ?? '',
    [texts.legalName]: values.legalName ?? '',
    [texts.taxId]: values.taxId ?? '',
    [texts.logoUrl]: values.logoUrl ?? '',
    [texts.color]: values.color ?? '',
    ...(digitalRouble !== undefined && {
      [texts.ways]: digitalRouble ? texts.withDigitalRoubles : texts.sbpAlone,
    }),
    [texts.schemes]: redirectSchemes.join(' '),
    ...(payoutAccounts && { [texts.accounts]: payoutAccounts.join(' ') }),
    [texts.callback]: values.callbackUrl ?? '',
    [texts.types]: Object.entries(types)
      .flatMap(([type, name]) => (notificationTypes.includes(type) ? [name] : []))
      .join(', '),
    ...(confirmAbove !== undefined && { [texts.confirmAbove]: sum ? money(sum, language) : confirmAbove }),
    ...(tokenSignIn !== undefined && {
      [texts.signIn]: tokenSignIn ? texts.signInByToken : texts.signInByPasskey,
    }),
  }
}
