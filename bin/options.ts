// What the options of several commands have in common.

/** @throws RangeError naming the option and its rule */
export function portOption(name: string, text: string): number {
  const port = Number(text)
  if (!/^[1-9]\d{0,4}$/.test(text) || port > 65_535) {
    throw new RangeError(`${name} is ${text}, must be a number from 1 to 65535`)
  }
  return port
}

/** @throws Error naming an option that is required and not given */
export function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`${name} is not given, must be a directory`)
  return value
}
