// Serves the documentation site in workerd, from a directory. On Cloudflare the static files do.

const TYPES = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
}
/** While npm start builds the site for the first time. */
const NOT_YET = {
  en: ['Documentation', 'The documentation is being built. This page loads again until it is here.'],
  ru: ['Документация', 'Документация собирается. Страница обновится сама.'],
}
const FAILED = {
  en: ['The documentation could not be built', 'The log says why. Start again, or run npm run build.'],
  ru: [
    'Документацию собрать не удалось',
    'Причина — в журнале. Запустите сервис снова или выполните npm run build.',
  ],
}
const START_PAGE = { en: 'Start page', ru: 'На главную' }

export default {
  /** @param env FILES: the directory of the static files; HEADERS: of every answer. 404 without a body where there is no such page */
  async fetch(request, { FILES, HEADERS }) {
    const path = new URL(request.url).pathname
    // A page has no slash at its end, here as on Cloudflare.
    if (/[^/]\/$/.test(path) && path !== '/docs/') {
      return new Response(null, {
        status: 307,
        headers: { ...HEADERS, Location: `../${path.split('/').at(-2)}` },
      })
    }
    const name = path === '/docs/' ? '/docs/index.html' : /\.\w+$/.test(path) ? path : `${path}.html`
    const found = await FILES.fetch(`http://files${name}`)
    if (!found.ok)
      return name === '/docs/index.html'
        ? notYet(FILES, HEADERS, request)
        : new Response(null, { status: 404 })
    const changed = Date.parse(found.headers.get('Last-Modified') ?? '')
    const headers = new Headers(HEADERS)
    const text = TYPES[name.split('.').at(-1)]
    headers.set('Content-Type', text ?? 'application/octet-stream')
    // Weak, because the runtime compresses what has this header.
    headers.set('ETag', `W/"${changed}-${found.headers.get('Content-Length')}"`)
    headers.set('Vary', 'Accept-Encoding')
    if (text && request.headers.get('Accept-Encoding')?.includes('gzip'))
      headers.set('Content-Encoding', 'gzip')
    // The names in these folders change with the content.
    const isFixed = /^\/docs\/(_astro|pagefind\/(fragment|index))\/.*[.-]\w{7,}\./.test(name)
    headers.set(
      'Cache-Control',
      isFixed ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate',
    )
    const isKnown = request.headers.get('If-None-Match')?.includes(headers.get('ETag'))
    return isKnown ? new Response(null, { status: 304, headers }) : new Response(found.body, { headers })
  },
}

async function notYet(files, headers, request) {
  const language = /^ru\b/i.test(request.headers.get('Accept-Language') ?? '') ? 'ru' : 'en'
  // bin/docs/site.ts writes it.
  const hasFailed = (await files.fetch('http://files/docs/failed.txt')).ok
  const [title, text] = (hasFailed ? FAILED : NOT_YET)[language]
  const page = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><link rel="icon" href="../icon.svg"><link rel="stylesheet" href="../payer.css">
<main class="final" data-status="503"><section><h1${hasFailed ? ' class="end"' : ''}>${title}</h1><p class="advice" role="status">${text}</p>
<p><a href="../">${START_PAGE[language]}</a></p></section></main>`
  return new Response(page, {
    status: 503,
    headers: {
      ...headers,
      'Content-Type': TYPES.html,
      'Cache-Control': 'no-store',
      ...(!hasFailed && { Refresh: '2', 'Retry-After': '2' }),
    },
  })
}
