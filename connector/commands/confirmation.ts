// A decision about money is confirmed by typing what it is about.
import type { Print } from './options.ts'

/** The next line that the operator types; undefined at the end of the input. */
export type TypedLine = () => Promise<string | undefined>

/**
 * @param what is typed, such as `the amount`
 * @param expected its text
 * @throws Error where something else is typed, or nothing
 */
export async function confirmed(
  what: string,
  expected: string,
  print: Print,
  typedLine: TypedLine,
): Promise<void> {
  print(`type ${what}, ${expected}, to decide this:`)
  const typed = (await typedLine())?.trim() ?? ''
  if (typed === expected) return
  const found = typed === '' ? 'nothing was typed' : `${typed} was typed`
  throw new Error(`${found}, must be ${expected}: nothing is decided; --yes decides without this question`)
}
