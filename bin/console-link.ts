// npm run -s console-link -- [siteId] [options]: prints a one-time link that signs in to the console of a site.
import { SITE_ID } from '../src/contract/site-id.ts'
import { command } from './command.ts'
import { parseOptions } from './options.ts'
import { consoleLink } from './start/console-link.ts'
import { tokenSecret } from './token-secret.ts'

const USAGE = `npm run -s console-link -- [siteId] [options]

  [siteId]          the site, by default demo
  --url URL         the address of the service, by default http://127.0.0.1:8787
  --env-file FILE   the settings of the service, which have TOKEN_SECRET
  --help            this text

The link signs in once, within ten minutes, as the administrator of the site. The secret is that of npm run token.`

await command(USAGE, async () => {
  const { values, positionals } = parseOptions({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8787' },
      'env-file': { type: 'string' },
    },
  })
  const [siteId = 'demo', ...rest] = positionals
  if (rest.length > 0)
    throw new Error('at most one siteId is possible, as in npm run -s console-link -- demo')
  if (!SITE_ID.test(siteId)) throw new Error(`the siteId is ${siteId}, it cannot be one`)
  const { url } = values
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error(`--url is ${url}, must be the http or https address of the service`)
  console.log(await consoleLink(url.replace(/\/+$/, ''), tokenSecret(values['env-file']).secret, siteId))
})
