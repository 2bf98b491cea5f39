// npm run -s token -- <siteId> [options]: prints an access token on standard output, its id and end on standard error.
import { command } from './command.ts'
import { mint } from './mint-token.ts'
import { parseOptions } from './options.ts'
import { tokenSecret } from './token-secret.ts'

const USAGE = `npm run -s token -- <siteId> [options]

  <siteId>          the site; '*' with --scope operator is the operator of all sites, with operator:read who only reads
  --scope "…"       one or more of merchant, merchant:read, merchant:accounting, merchant:till, merchant:admin, network; by default merchant
  --days N          the lifetime, 1 to 3650, by default 30
  --label TEXT      who has it, such as anna: 1 to 60 characters. Lists of keys and the audit show it
  --tills LIST      of merchant:till, the qrCodeUids of its tills, separated by commas; by default all
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
      tills: { type: 'string' },
      'env-file': { type: 'string' },
    },
  })
  const [siteId, ...rest] = positionals
  if (siteId === undefined || rest.length > 0) {
    throw new Error('exactly one siteId is required, as in npm run -s token -- demo')
  }
  const { secret, source } = tokenSecret(values['env-file'])
  const { scope, days, label } = values
  const tills = values.tills?.split(',')
  const { token, keyId, expiresAt } = await mint(secret, { siteId, scope, days: Number(days), label, tills })
  console.error(`signed with TOKEN_SECRET of ${source}`)
  const end = new Date(expiresAt * 1000).toISOString().replace('.000', '')
  console.error(`key ${keyId}${label === undefined ? '' : `, label ${label}`}, ends ${end}`)
  console.log(token)
})
