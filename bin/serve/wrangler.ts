// wrangler as a library. It is large, so it is loaded only where it is used.
import { createRequire } from 'node:module'
import { join } from 'node:path'

// import would also search the whole bundle for its format and for the names that it exports: half a second.
const require = createRequire(import.meta.url)

export const loadWrangler = (): typeof import('wrangler') => require('wrangler')

/** What wrangler.toml says. */
export const configuration = () =>
  loadWrangler().unstable_readConfig({ config: join(import.meta.dirname, '../../wrangler.toml') })
