// Leads a reader of the first page to their language, once: the one that they chose here, else the one of the browser.

const KEY = 'docs-locale'
const ROOT = new URL('./', import.meta.url).pathname

const stored = () => {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}
const store = (language) => {
  try {
    localStorage.setItem(KEY, language)
  } catch {}
}

// The choice of the language is a select whose values are addresses.
addEventListener(
  'change',
  ({ target }) => {
    if (!target.closest('starlight-lang-select')) return
    store(new URL(target.value, location.href).pathname.startsWith(`${ROOT}ru`) ? 'ru' : 'en')
  },
  true,
)

if (location.pathname === ROOT && (stored() ?? navigator.language).startsWith('ru')) {
  store('ru')
  location.replace(`${ROOT}ru`)
}
