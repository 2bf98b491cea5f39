// What a test reads in a page of the service.

/** The text that a browser shows for a text of HTML. */
export const textOf = (html: string): string =>
  html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

/** The blocks of code of a page, as its copy buttons give them. */
export const codeIn = (page: string): string[] =>
  Array.from(page.matchAll(/<pre tabindex="0"><code>([^<]+)</g), ([, code = '']) => textOf(code))
