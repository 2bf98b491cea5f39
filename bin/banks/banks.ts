// npm run banks: makes the list of banks of a deployment, with their logos, so that pages load nothing from other hosts.
import { existsSync } from 'node:fs'
import { command } from '../command.ts'
import { parseOptions } from '../options.ts'
import { readMembers } from './members.ts'
import { writeBanks } from './write-banks.ts'

const USAGE = `npm run banks -- --from URL|FILE --to DIR

Reads the payment network's member list, and writes DIR/banks.json and the logos in DIR/banks. DIR is a directory of
static files, such as public; the deployment then has BANKS_URL=/banks.json.

  --from URL|FILE   the member list: {"dictionary":[{"bankName":…,"schema":…,"logoURL":…}]}
  --to DIR          a directory that exists
  --help            this text`

await command(USAGE, async () => {
  const { from, to } = parseOptions({ options: { from: { type: 'string' }, to: { type: 'string' } } }).values
  if (from === undefined) throw new Error('--from is not given, must be a URL or a file')
  if (to === undefined || !existsSync(to)) throw new Error(`--to is ${to}, must be a directory that exists`)
  const { banks, withoutLogo } = await writeBanks(await readMembers(from), to, new Date())
  console.log(`${to}/banks.json: ${banks} banks, ${banks - withoutLogo.length} with a logo`)
  for (const [name, problem] of withoutLogo) console.error(`${name} has no logo: ${problem}`)
})
