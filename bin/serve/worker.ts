// Bundles the Worker into dist/worker, from where npm run deploy uploads it.
import { join } from 'node:path'
import { bundle } from './bundle.ts'

await bundle(join(import.meta.dirname, '../../dist/worker'))
