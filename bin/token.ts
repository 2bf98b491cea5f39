// npm run -s token -- <siteId> [--scope "…"] [--days N]: prints an access token, alone, on standard output.
import { parseArgs } from 'node:util'
import { localSecret } from './local-secret.ts'
import { mintToken } from './mint-token.ts'

const USAGE = `usage: npm run -s token -- <siteId> [--scope "merchant merchant:read merchant:admin network"] [--days N]
The secret is TOKEN_SECRET of the environment, else of .dev.vars, which the first npm start makes.`

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { scope: { type: 'string', default: 'merchant' }, days: { type: 'string', default: '30' } },
  })
  const [siteId, ...rest] = positionals
  if (siteId === undefined || rest.length > 0) throw new Error('exactly one siteId is required')
  const secret = localSecret('TOKEN_SECRET')
  if (!secret) throw new Error('there is no secret')
  console.log(await mintToken(secret, { siteId, scope: values.scope, days: Number(values.days) }))
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
  process.exitCode = 2
}
