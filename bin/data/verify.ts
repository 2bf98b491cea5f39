// npm run verify: checks every site's database against the rules of the service. The service is stopped.
import { resolve } from 'node:path'
import { command } from '../command.ts'
import { parseOptions, required } from '../options.ts'
import { isBackup } from './backup-directory.ts'
import { checkData } from './check-data.ts'
import { readableSiteFiles, withLock } from './data-directory.ts'

const USAGE = `npm run verify -- --data DIR

  --data DIR     the data directory, whose service is stopped, or a backup`

await command(USAGE, async () => {
  const { values } = parseOptions({ options: { data: { type: 'string' } } })
  const data = resolve(required('--data', values.data))
  // A directory without data is refused before its lock.
  const files = readableSiteFiles(data)
  const check = () => checkData(data, files)
  if (!(await (isBackup(data) ? check() : withLock(data, check)))) process.exitCode = 1
})
