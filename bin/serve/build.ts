// npm run build: writes dist/fps-qr, with which workerd runs the service without Node (docs/self-hosting.md).
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildDocs, buildService } from './build-service.ts'
import { DISTRIBUTION } from './distribution.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const [part, old] = [`${DISTRIBUTION}.part`, `${DISTRIBUTION}.old`]

// The build before is there until this one is complete: a service that runs from it can be started again meanwhile, and a
// build that fails leaves it.
for (const directory of [part, old]) rmSync(directory, { recursive: true, force: true })
await buildDocs()
await buildService(part)
for (const file of ['lock', 'run', 'settings.example']) copyFileSync(join(deploy, file), join(part, file))
if (existsSync(DISTRIBUTION)) renameSync(DISTRIBUTION, old)
renameSync(part, DISTRIBUTION)
rmSync(old, { recursive: true, force: true })
console.log(`built ${DISTRIBUTION}`)
