// Makes the database of the shop and its tables. Its settings are in the environment.
import { join } from 'node:path'
import migrate from '@medusajs/medusa/commands/db/migrate'

const directory = join(import.meta.dirname, 'app')
// Medusa finds its modules from here.
process.chdir(directory)
await migrate.default({
  directory,
  ...{ skipLinks: false, skipScripts: true, skipSearch: true },
  ...{ executeAllLinks: false, executeSafeLinks: true, executeAllSearch: false, executeSafeSearch: true },
  ...{ concurrency: 1, allOrNothing: false },
})
