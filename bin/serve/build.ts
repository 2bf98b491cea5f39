// npm run build: writes dist/fps-qr, with which workerd runs the service without Node (docs/self-hosting.md).
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeIdentity } from './build-identity.ts'
import { buildDocs, buildService } from './build-service.ts'
import { beginBuild, DISTRIBUTION, publish } from './distribution.ts'

const deploy = join(import.meta.dirname, '../../deploy')

const build = beginBuild()
try {
  await buildDocs()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
await buildService(build)
for (const file of ['lock', 'run', 'settings.example']) copyFileSync(join(deploy, file), join(build, file))
writeIdentity(build, join(deploy, '..'))
publish(build)
console.log(`built ${DISTRIBUTION}`)
