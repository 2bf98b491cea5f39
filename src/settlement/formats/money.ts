// Kopecks, from the digits of a file: nothing is rounded.

/** How a format writes roubles: what is before the digits of kopecks, and how many of these there can be. */
export type MoneyForm = 'point' | 'comma or whole' | 'point or stripped' | 'point or whole'

const FORMS: Record<MoneyForm, { pattern: RegExp; rule: string }> = {
  point: { pattern: /^(-?)(\d{1,13})\.(\d\d)$/, rule: 'two digits behind a point' },
  'comma or whole': { pattern: /^(-?)(\d{1,13})(?:,(\d\d))?$/, rule: 'two digits' },
  'point or stripped': {
    pattern: /^(-?)(\d{1,13})(?:\.(\d\d?))?$/,
    rule: 'at most two digits behind a point',
  },
  'point or whole': { pattern: /^(-?)(\d{1,13})(?:\.(\d\d))?$/, rule: 'two digits behind a point' },
}

/** The kopecks of an amount; undefined where it has another form. */
export function kopecksIn(text: string, form: MoneyForm): number | undefined {
  const parts = FORMS[form].pattern.exec(text)
  if (!parts) return undefined
  const [, minus, whole, fraction = ''] = parts
  const kopecks = Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  return minus && kopecks !== 0 ? -kopecks : kopecks
}

/** What a fault says of an amount of another form. */
export const moneyRule = (form: MoneyForm): string => `must have ${FORMS[form].rule}`

/** `-10.50` for -1050. */
export function roubles(kopecks: number | bigint): string {
  const digits = String(kopecks).replace('-', '').padStart(3, '0')
  return `${kopecks < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
