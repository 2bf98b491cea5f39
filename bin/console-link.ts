// npm run -s console-link -- [siteId] [options]: prints a one-time link that signs in to the console of a site.
import { resolve } from 'node:path'
import { Label, OPERATOR } from '../src/contract/access-token.ts'
import { OPERATOR_ROLES, type Role, SITE_ROLES } from '../src/contract/role.ts'
import { SITE_ID } from '../src/contract/site-id.ts'
import { command } from './command.ts'
import { parseOptions } from './options.ts'
import { consoleLink } from './start/console-link.ts'
import { runningAddress, STATE } from './start/running-address.ts'
import { tokenSecret } from './token-secret.ts'

const DEFAULT_URL = 'http://localhost:8787'

const USAGE = `npm run -s console-link -- [siteId] [options]

  [siteId]          the site, by default demo; '*' is the operator of all sites
  --role ROLE       ${SITE_ROLES.join(', ')}, by default owner; of '*' ${OPERATOR_ROLES.join(', ')}, by default operator
  --label TEXT      who gets the link, such as anna: 1 to 60 characters, by default console-link
  --url URL         the address of the service, by default that of the npm start that runs here
  --persist-to DIR  that of npm start
  --env-file FILE   the settings of the service, which have TOKEN_SECRET
  --help            this text

The link signs in once, within ten minutes, with the rights of the role. The secret is that of npm run token.`

await command(USAGE, async () => {
  const { values, positionals } = parseOptions({
    allowPositionals: true,
    options: {
      role: { type: 'string' },
      label: { type: 'string', default: 'console-link' },
      url: { type: 'string' },
      'persist-to': { type: 'string', default: STATE },
      'env-file': { type: 'string' },
    },
  })
  const [siteId = 'demo', ...rest] = positionals
  if (rest.length > 0)
    throw new Error('at most one siteId is possible, as in npm run -s console-link -- demo')
  if (siteId !== OPERATOR && !SITE_ID.test(siteId))
    throw new Error(`the siteId is ${siteId}, it cannot be one`)
  const { label } = values
  const roles: readonly [Role, ...Role[]] = siteId === OPERATOR ? OPERATOR_ROLES : SITE_ROLES
  const role = roles.find((each) => each === (values.role ?? roles[0]))
  if (!role) throw new Error(`--role is ${values.role}, must be one of ${roles.join(', ')} for ${siteId}`)
  const broken = Label.safeParse(label).error?.issues[0]?.message
  if (broken) throw new Error(`--label is "${label}", must be ${broken}`)
  const url = values.url ?? (await addressIn(resolve(values['persist-to'])))
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error(`--url is ${url}, must be the http or https address of the service`)
  const { secret } = tokenSecret(values['env-file'])
  console.log(await consoleLink(url.replace(/\/+$/, ''), secret, siteId, { role, label }))
})

async function addressIn(directory: string): Promise<string> {
  const address = await runningAddress(directory)
  if (address === undefined)
    console.error(
      `no npm start runs in ${directory}: the link is for ${DEFAULT_URL}, --url names another service`,
    )
  return address ?? DEFAULT_URL
}
