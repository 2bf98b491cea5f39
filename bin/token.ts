// npm run -s token -- <siteId> [options]: prints an access token on standard output, its id and end on standard error.
import { parseEnv } from 'node:util'
import { command } from './command.ts'
import { mint } from './mint-token.ts'
import { parseOptions, readEnvFile } from './options.ts'
import { localSecret } from './start/local-secret.ts'

const USAGE = `npm run -s token -- <siteId> [options]

  <siteId>          the site; '*' with --scope operator is the operator of all sites
  --scope "…"       one or more of merchant, merchant:read, merchant:admin, network; by default merchant
  --days N          the lifetime, 1 to 3650, by default 30
  --label TEXT      who has it, such as anna: 1 to 60 characters. Lists of keys and the audit show it
  --env-file FILE   the settings of the service, which have TOKEN_SECRET
  --help            this text

The secret is TOKEN_SECRET of the environment, else of FILE, else of .dev.vars, which the first npm start makes. Standard
error says which, and the id of the key, its label and its end.`

await command(USAGE, async () => {
  const { values, positionals } = parseOptions({
    allowPositionals: true,
    options: {
      scope: { type: 'string', default: 'merchant' },
      days: { type: 'string', default: '30' },
      label: { type: 'string' },
      'env-file': { type: 'string' },
    },
  })
  const [siteId, ...rest] = positionals
  if (siteId === undefined || rest.length > 0) {
    throw new Error('exactly one siteId is required, as in npm run -s token -- demo')
  }
  const file = values['env-file']
  const secret = file === undefined ? localSecret('TOKEN_SECRET') : process.env.TOKEN_SECRET || secretIn(file)
  if (!secret)
    throw new Error('TOKEN_SECRET is not set, and there is no .dev.vars: the first npm start makes it')
  const source = process.env.TOKEN_SECRET
    ? 'the environment'
    : (file ?? '.dev.vars: only services of this checkout accept the token')
  const { scope, days, label } = values
  const { token, keyId, expiresAt } = await mint(secret, { siteId, scope, days: Number(days), label })
  console.error(`signed with TOKEN_SECRET of ${source}`)
  const end = new Date(expiresAt * 1000).toISOString().replace('.000', '')
  console.error(`key ${keyId}${label === undefined ? '' : `, label ${label}`}, ends ${end}`)
  console.log(token)
})

/** @throws Error where the file cannot be read, or has no TOKEN_SECRET */
function secretIn(file: string): string {
  const { TOKEN_SECRET } = parseEnv(readEnvFile(file))
  if (!TOKEN_SECRET) throw new Error(`--env-file is ${file}, it has no TOKEN_SECRET`)
  return TOKEN_SECRET
}
