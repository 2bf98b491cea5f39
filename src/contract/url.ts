// Absolute http and https URLs, as merchants write them.

/**
 * The URL of a text; undefined if it is not an absolute http or https URL, or has user info or white space. The URL
 * parser alone is too tolerant: of white space, backslashes, missing slashes and an empty user info.
 */
export function parseHttpUrl(text: string): URL | undefined {
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined || /[@\\]/.test(authority) || /[\s\p{Cc}\p{Cs}]/u.test(text)) return undefined
  return URL.parse(text) ?? undefined
}
