// Parses JSON without loss of digits.

/**
 * Parses a JSON text.
 * A member that is null is dropped, because null means absent (contract, section 3), unless null has a meaning of its own.
 * A number that a double cannot represent as written becomes NaN, which every schema refuses: `1.00000000000000001` is not 1.
 * @throws SyntaxError where the text is not JSON, RangeError where it is nested too deep
 */
export function parseJson(text: string, keepsNull = false): unknown {
  return NEEDS_CARE.test(text) ? JSON.parse(text, keepsNull ? exact : careful) : JSON.parse(text)
}

/** A double keeps any 15 digits, so only longer numbers, exponents and nulls need care. */
const NEEDS_CARE = /(?:^|[:,[])\s*(?:null|-?[\d.]{16}|-?[\d.]+[eE])/

function careful(key: string, value: unknown, context?: { source?: string }): unknown {
  return value === null ? undefined : exact(key, value, context)
}

function exact(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === 'number' && !isExact(value, context?.source ?? '')) return Number.NaN
  return value
}

const isExact = (value: number, literal: string): boolean =>
  String(value) === literal || normalForm(String(value)) === normalForm(literal)

/** The significant digits and the power of ten: `10.50`, `10.5` and `105e-1` are all `105e-1`. */
function normalForm(literal: string): string | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal)
  if (!parts) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}
