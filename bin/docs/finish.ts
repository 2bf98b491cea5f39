// Post-processes the generated documentation: no inline scripts and styles, relative addresses, operations in the contents.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT_LINK } from './pages.ts'

/** Changes the files of the site in a directory, whose address is /docs. */
export function finish(site: string): void {
  const styles = new Map<string, string>()
  for (const file of filesOf(site, '.html')) {
    const depth = file.slice(site.length + 1).split('/').length - 1
    const html = withoutInlineScripts(withoutInlineStyles(readFileSync(file, 'utf8'), styles), site)
    writeFileSync(file, relative(withOperations(html), '../'.repeat(depth) || './'))
  }
  writeFileSync(
    join(site, '_astro/inline.css'),
    [...styles].map(([style, name]) => `.${name}{${style}}`).join('\n'),
  )
  // The colours of code are in these attributes.
  for (const file of filesOf(join(site, '_astro'), '.css'))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll("[style^='--']:not([class])", '[class^=style]'))
  for (const file of filesOf(join(site, '_astro'), '.js'))
    writeFileSync(file, withIdleLimit(relativeScript(readFileSync(file, 'utf8'))))
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

const filesOf = (directory: string, extension: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith(extension))
    .map(({ parentPath, name }) => join(parentPath, name))
    // The order of a directory differs between machines, and decides that of the styles.
    .toSorted()

const TAG = /<[a-z][\w-]*(?:\s+[^\s"'>=]+(?:=(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*\s*\/?>/g

/** A style attribute becomes a class. @param styles the name of the class of each style */
function withoutInlineStyles(html: string, styles: Map<string, string>): string {
  const changed = html.replace(TAG, (tag) => {
    const style = / style="([^"]*)"/.exec(tag)?.[1]
    if (style === undefined) return tag
    const bare = tag.replace(/ style="[^"]*"/, '')
    const name = `style-${hashOf(style)}`
    styles.set(style, name)
    return / class="/.test(bare)
      ? bare.replace(' class="', ` class="${name} `)
      : bare.replace(/^<[a-z][\w-]*/, `$& class="${name}"`)
  })
  return changed.replace('</head>', '<link rel="stylesheet" href="/docs/_astro/inline.css"></head>')
}

/** A script becomes a file, which runs at the same point. */
const withoutInlineScripts = (html: string, site: string) =>
  html.replace(
    /<script((?:(?!src=)[^>])*)>((?:(?!<\/script>)[\s\S])+)<\/script>/g,
    (_, attributes: string, code: string) => {
      const name = `inline.${hashOf(code)}.js`
      writeFileSync(join(site, '_astro', name), code)
      return `<script${attributes} src="/docs/_astro/${name}"></script>`
    },
  )

/** A page of the reference has its operations in the contents of the site, because it has no contents of its own beside it. */
function withOperations(html: string): string {
  const lists = Array.from(html.matchAll(/<ul class="operations">(.*?)<\/ul>/gs), ([, items = '']) => items)
  const links = lists.flatMap((items) => items.match(/<a href="#.*?<\/a>/gs) ?? [])
  if (links.length === 0) return html
  const list = `<ul class="of-page">${links.map((link) => `<li>${link}</li>`).join('')}</ul>`
  return html.replace(/<a [^>]*aria-current="page".*?<\/a>/s, (link) => link + list)
}

/** @param home from the page's address to the root of the site */
const relative = (html: string, home: string) =>
  html
    .replaceAll(/(href|src|value)="\/docs\/icon\.svg"/g, `$1="${home}../icon.svg"`)
    .replaceAll(/(href|src|value)="\/docs(?:\/([^"]*))?"/g, (_, name: string, path = '') => {
      const [address = '', hash] = path.split(/(?=#)/)
      const clean = address.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$|\/$/, '')
      return `${name}="${home}${clean}${hash ?? ''}"`
    })
    .replaceAll(`"${ROOT_LINK}`, `"${home}../`)

/** The scripts are in _astro, a folder of the site. */
const relativeScript = (code: string) =>
  code
    .replaceAll('`/docs`', '(new URL(`..`,import.meta.url).pathname.slice(0,-1))')
    .replaceAll('`/docs/`', '(new URL(`..`,import.meta.url).pathname)')
    .replaceAll('window.location.pathname=', 'window.location.href=')
    // The search of the site (site/public/search.js).
    .replaceAll('}pagefind.js`', '}../search.js`')

/**
 * What waits until the browser is idle waits a second at most: a slow Chromium with an open dialog can stay busy, and its search had no field.
 * @throws Error where the generator writes it in another way
 */
function withIdleLimit(code: string): string {
  const limited = code.replaceAll(
    'window.requestIdleCallback||(e=>setTimeout(e,1))',
    '(e=>window.requestIdleCallback?.(e,{timeout:1000})??setTimeout(e,1))',
  )
  if (limited.includes('requestIdleCallback||'))
    throw new Error('a script of the site waits for an idle browser without a limit')
  return limited
}
