// npm run build: writes dist/fps-qr, with which workerd runs the service without Node (docs/self-hosting.md).
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildDocs, buildService } from './build-service.ts'
import { DISTRIBUTION } from './distribution.ts'

const deploy = join(import.meta.dirname, '../../deploy')

rmSync(DISTRIBUTION, { recursive: true, force: true })
await buildDocs()
await buildService(DISTRIBUTION)
for (const file of ['lock', 'run', 'settings.example'])
  copyFileSync(join(deploy, file), join(DISTRIBUTION, file))
console.log(`built ${DISTRIBUTION}`)
