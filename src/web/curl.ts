// Requests of the API as commands of a shell, for people to copy.

/** A text as one word of a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The options that send a JSON text. */
export const jsonBody = (text: string): string[] => [
  "-H 'Content-Type: application/json'",
  `-d ${quoted(text)}`,
]

/** A command of curl, one option on each line. @param address the quoted URL, after the method where it is not the default */
export const curl = (address: string, options: readonly string[]): string =>
  [`curl -sS ${address}`, '-H "Authorization: Bearer $TOKEN"', ...options].join(' \\\n  ')
