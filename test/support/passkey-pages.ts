// What the pages of passkeys say to a browser.

/** The options that a page gives to the browser. */
export function optionsIn(html: string) {
  const [, text = ''] = /data-options="([^"]+)"/.exec(html) ?? []
  return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'))
}

/** The code of the invitation in an answer of the API or a page; empty where it has none. */
export const codeIn = (text: string): string => /\/console\/join\?code=([^"&<\s]+)/.exec(text)?.[1] ?? ''
