// The reference of a link: what the service keeps for the connector, and gives back in every instruction.

/**
 * A reference is the bank's name, a colon, and the suffix that the bank's adapter adds. Where an account is to be bound, or is
 * bound, the bank's id of that request follows behind `#`. The name is enough: its credentials can be gone.
 */
export const referenceOf = (bank: { name: string }, rest: string, request?: string): string =>
  `${bank.name}:${rest}${request === undefined ? '' : `#${request}`}`

/** The parts of a reference. */
export interface ReferenceParts {
  name: string
  rest: string
  /** The bank's id of the request to bind an account. */
  request: string | undefined
}

/** @returns undefined if the reference is missing */
export function partsOf(reference: string | null | undefined): ReferenceParts | undefined {
  const [, name, rest, request] = /^([^:]+):([^#]*)(?:#(.*))?$/.exec(reference ?? '') ?? []
  return name === undefined || rest === undefined ? undefined : { name, rest, request }
}
