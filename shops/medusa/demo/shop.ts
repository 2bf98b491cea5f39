// The shop of the demo and of the tests, in a process of its own: migrates, starts Medusa, and seeds it. Its settings are in the environment.
import { join } from 'node:path'
import { container } from '@medusajs/framework'
import start from '@medusajs/medusa/commands/start'
import { seed } from './seed.ts'

const directory = join(import.meta.dirname, 'app')
process.chdir(directory)
await start.default({ directory, host: '127.0.0.1', port: Number(process.env.PORT), types: false })
console.log(JSON.stringify({ port: Number(process.env.PORT), key: await seed(container) }))
