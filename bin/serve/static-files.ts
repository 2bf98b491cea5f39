// The static files of a build: copied, and with the headers that src/http/static-file.ts gives them.
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { extname, join } from 'node:path'

/** The headers of each file, by its path in a URL: `/page.js`. */
type StaticFiles = Record<string, Record<string, string>>

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}
/** Where the files are on Cloudflare, this one has the headers of all of them. */
const RULES = '_headers'

/** The folder of the documentation site; a Worker of its own serves it (docs-worker.js). */
const DOCS = '/docs/'

/**
 * Copies the files. @returns the headers of each file but the documentation's, and those that all of its pages have
 * @throws Error for a file whose type is not known, or a rule of `_headers` that is of another form
 */
export function copyStaticFiles(
  from: string,
  to: string,
): { files: StaticFiles; docsHeaders: Record<string, string> } {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith(RULES) })
  const rules = headerRules(readFileSync(join(from, RULES), 'utf8'))
  const paths = readdirSync(to, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(to.length))
    .filter((path) => !path.startsWith(DOCS))
  const files = paths.map((path) => [path, { ...fileHeaders(join(to, path)), ...rules(path) }] as const)
  return { files: Object.fromEntries(files), docsHeaders: rules(DOCS) }
}

function fileHeaders(file: string): Record<string, string> {
  const type = TYPES[extname(file)]
  if (!type) throw new Error(`${file} has an unknown extension, must be one of ${Object.keys(TYPES)}`)
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 32)
  return { 'Content-Type': type, ETag: `"${hash}"`, 'Cache-Control': 'public, max-age=0, must-revalidate' }
}

/** The rules of `_headers`: a path, which can end with `*`, then its headers, indented. */
function headerRules(text: string): (path: string) => Record<string, string> {
  const rules: { pattern: string; headers: Record<string, string> }[] = []
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s+([\w-]+):\s*(.+)$/.exec(line) ?? []
    if (/^\/\S*$/.test(line)) rules.push({ pattern: line, headers: {} })
    else if (name !== undefined && value !== undefined)
      Object.assign(rules.at(-1)?.headers ?? {}, { [name]: value })
    else throw new Error(`${RULES} has the line "${line}", must be a path, or an indented header`)
  }
  const matches = (pattern: string, path: string) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
  return (path) =>
    Object.assign({}, ...rules.filter(({ pattern }) => matches(pattern, path)).map(({ headers }) => headers))
}
