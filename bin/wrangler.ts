// wrangler and Miniflare as libraries. They are large: who does not need them at once loads them where it does.
import { createRequire } from 'node:module'

// import would also search the whole bundles for their format and for the names that they export: half a second.
const require = createRequire(import.meta.url)

export const loadWrangler = (): typeof import('wrangler') => require('wrangler')
export const loadMiniflare = (): typeof import('miniflare') => require('miniflare')
