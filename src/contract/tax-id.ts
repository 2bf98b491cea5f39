// The identifier of a Russian taxpayer (INN): of an organisation 10 digits, of a person 12; the last one or two check the others.

/** The weights of the digits before each check digit. */
const OF_PERSON = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]
const OF_ORGANISATION = OF_PERSON.slice(2)

/** Whether a text is such an identifier. Zeros alone would satisfy the check, and are nobody's. */
export function isTaxId(text: string): boolean {
  if (!/^(?:\d{10}|\d{12})$/.test(text) || /^0+$/.test(text)) return false
  const digits = [...text].map(Number)
  const checks = (weights: readonly number[]): boolean => {
    const sum = weights.reduce((total, weight, i) => total + weight * (digits[i] ?? 0), 0)
    return (sum % 11) % 10 === digits[weights.length]
  }
  return text.length === 10 ? checks(OF_ORGANISATION) : checks(OF_PERSON.slice(1)) && checks(OF_PERSON)
}
