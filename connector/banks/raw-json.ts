// Parses JSON and keeps its numbers as they are written, for signatures over text: `10.00` stays `10.00`.

/** The third argument that Node 22 passes to a reviver: the text of a primitive value. */
interface Context {
  source?: string
}
type Reviver = (key: string, value: unknown, context?: Context) => unknown

/** @returns the fields of the object, each number as its text; undefined if the text is no JSON object */
export function rawFieldsOf(text: string): Record<string, unknown> | undefined {
  const keepNumbers: Reviver = (_, value, context) => (typeof value === 'number' ? context?.source : value)
  try {
    const value: unknown = JSON.parse(text, keepNumbers)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
