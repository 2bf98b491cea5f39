// wrangler as a library. It is large, so it is loaded only where it is used.
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

// import would also search the whole bundle for its format and for the names that it exports: half a second.
const require = createRequire(import.meta.url)

export const loadWrangler = (): typeof import('wrangler') => require('wrangler')

/** What wrangler.toml says, or another file. @param file relative to the checkout */
export const configuration = (file = 'wrangler.toml') =>
  loadWrangler().unstable_readConfig({ config: resolve(root, file) })
