// The text of an error, for a log and for a person.

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
