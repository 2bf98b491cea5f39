// Where npm run build writes, and what npm run serve runs.
import { join } from 'node:path'

export const DISTRIBUTION = join(import.meta.dirname, '../../dist/fps-qr')
