// The deployment's settings: the only reader of vars and secrets. docs/operations.md explains each of them.
import * as z from 'zod/mini'
import { UTC_OFFSET } from './contract/date-time.ts'
import { hostNameOf, isPasskeyHost, passkeyHostOf } from './contract/host.ts'
import { type SiteNetwork, TEST_NETWORK } from './contract/site-network.ts'

/** wrangler.toml lets a var be a number, a boolean or a table too. */
const Text = z.string('must be a string')

/** A base address without a trailing slash, so that a path can follow it. */
const BaseUrl = z.pipe(
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .check(
      z.maxLength(200, 'must have at most 200 characters'),
      z.regex(/^[!-~]*$/, 'must be of ASCII characters, others encoded'),
      z.regex(
        /^[^?#@"<>\\^`{|}]*$/,
        'must have no query, fragment, user info or characters that a URL cannot have',
      ),
    ),
  z.transform((url) => url.replace(/\/+$/, '')),
)
/** Names without ports: a port is dropped. */
const HostNames = z.pipe(
  Text.check(
    z.refine(
      (list) => list.split(',').every((host) => hostNameOf(host) !== undefined),
      'must be host names, separated by commas, without spaces, IPv6 addresses in brackets',
    ),
  ),
  z.transform((list) => new Set(list.split(',').flatMap((host) => hostNameOf(host) ?? []))),
)
/** The connector's address; unlike a callback URL it may be private: the operator sets it. */
const NetworkUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .check(
    z.maxLength(500, 'must have at most 500 characters'),
    z.regex(/^[^#@]*$/, 'must have no user info and no fragment'),
  )
/** A key of Standard Webhooks: 24 to 64 bytes in base64. */
const WebhookSecret = Text.check(
  z.refine((secret) => {
    const [, key = ''] =
      /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(secret) ?? []
    const bytes = atob(key).length
    return bytes >= 24 && bytes <= 64
  }, 'must be whsec_ and 24 to 64 bytes in base64 with its padding'),
)
const BanksUrl = Text.check(
  z.maxLength(500, 'must have at most 500 characters'),
  z.refine(
    (url) => /^\/[!-~]*$/.test(url) || (/^https?:\/\//.test(url) && URL.canParse(url)),
    'must be an http or https URL, or the path of a static file, such as /banks.json',
  ),
)
const idsOf = (list: string): string[] => list.split(',').map((id) => id.trim())
const KeyIds = z.pipe(
  Text.check(z.refine((list) => !idsOf(list).includes(''), 'must be ids of keys (jti), separated by commas')),
  z.transform((list) => new Set(idsOf(list))),
)
/** An empty var is an unset one. */
const optional = <T extends z.ZodMiniType>(schema: T) =>
  z.pipe(
    z.transform((value) => (value === '' ? undefined : value)),
    z.optional(schema),
  )

const Secret = z
  .string('is not set: make one with `openssl rand -base64 48`')
  .check(z.minLength(32, 'must have at least 32 characters'))

function wholeNumber(unit: string, min: number, max: number) {
  const rule = `must be a whole number${unit} from ${min} to ${max}`
  return z
    .pipe(Text.check(z.regex(/^\d{1,7}$/, rule)), z.transform(Number))
    .check(z.refine((number) => number >= min && number <= max, rule))
}
const days = (min: number) => wholeNumber(' of days', min, 3650)

/** An id that no bank has: the service starts with it, so that it can be tried. */
export const EXAMPLE_BANK_MEMBER_ID = '100000000000'

export const DeploymentSettings = z
  .object({
    TOKEN_SECRET: Secret,
    TOKEN_SECRET_PREVIOUS: optional(Secret),
    CURRENCIES: z._default(
      z.pipe(
        Text.check(z.regex(/^[A-Z]{3}(,[A-Z]{3})*$/, 'must be three-letter codes, separated by commas')),
        z.transform((list) => list.split(',')),
      ),
      ['RUB'],
    ),
    UTC_OFFSET: z._default(
      Text.check(z.regex(UTC_OFFSET, 'must be an offset in quarters of an hour, such as +03:00')),
      '+03:00',
    ),
    BANK_MEMBER_ID: z._default(Text.check(z.regex(/^\d{12}$/, 'must be 12 digits')), EXAMPLE_BANK_MEMBER_ID),
    PUBLIC_URL: optional(BaseUrl),
    PASSKEY_HOST: optional(
      z.pipe(
        Text,
        z.transform((host) => host.toLowerCase()),
      ),
    ),
    ALLOWED_HOSTS: optional(HostNames),
    ADMIN_HOSTS: optional(HostNames),
    LINK_BASE_URL: optional(BaseUrl),
    LINK_TOKEN_BASE_URL: optional(BaseUrl),
    REVOKED_KEYS: optional(KeyIds),
    BANKS_URL: optional(BanksUrl),
    CALLBACK_HOSTS: z._default(z.enum(['public', 'any'], 'must be public or any'), 'public'),
    TOKEN_DAYS: z._default(days(1), 365),
    RETENTION_DAYS: optional(days(30)),
    SETTLEMENT_DAYS: z._default(wholeNumber(' of days', 3, 60), 7),
    SITE_RATE: z._default(wholeNumber('', 1, 1_000_000), 500),
    DELETION_DAYS: z._default(days(0), 7),
    NETWORK_URL: optional(NetworkUrl),
    NETWORK_SECRET: optional(WebhookSecret),
    PAYMENT_NETWORK: z._default(z.enum(['external', 'sandbox'], 'must be external or sandbox'), 'external'),
    LINKS: z._default(z.enum(['own', 'connector'], 'must be own or connector'), 'own'),
    TEST_SITES: z._default(z.enum(['on', 'off'], 'must be on or off'), 'off'),
    // Set by the configuration of bare workerd: nothing before the service chooses the Host.
    SELF_HOSTED: z.optional(z.literal('true', 'must be true')),
  })
  .check(
    z.refine(
      ({ NETWORK_URL, NETWORK_SECRET }) => (NETWORK_URL === undefined) === (NETWORK_SECRET === undefined),
      { path: ['NETWORK_SECRET'], error: 'and NETWORK_URL must be set together' },
    ),
    z.refine(
      ({ LINKS, PAYMENT_NETWORK, NETWORK_URL }) =>
        LINKS === 'own' || (PAYMENT_NETWORK === 'external' && NETWORK_URL !== undefined),
      { path: ['LINKS'], error: 'is connector, which needs PAYMENT_NETWORK=external and NETWORK_URL' },
    ),
    z.refine(({ PASSKEY_HOST, PUBLIC_URL }) => isPasskeyHost(PASSKEY_HOST, PUBLIC_URL), {
      path: ['PASSKEY_HOST'],
      error: 'must be the host of PUBLIC_URL, or a domain above it with a dot',
    }),
  )

/** The names of this machine. */
export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export interface Config {
  /** Whether notifications may go over http, and to hosts that are not public: for tests and on one machine. */
  anyCallbackHost: boolean
  /** The secret that signs, then the previous one during a rotation: both are accepted. */
  secrets: readonly [string, ...string[]]
  /** The ids (`jti`) of keys that are refused, of all sites and scopes. */
  revokedKeys: ReadonlySet<string>
  currencies: readonly string[]
  /** The currency in which a person types an amount: RUB, or the first one if RUB is not listed. */
  homeCurrency: string
  utcOffset: string
  bankMemberId: string
  publicUrl: string | undefined
  /** The RP ID of passkeys; src/passkeys/relying-party.ts says where there are any. */
  passkeyHost: string
  /** The names that a request's Host may have, in lower case; undefined: any. */
  allowedHosts: ReadonlySet<string> | undefined
  /** The names that requests of the admin socket may have besides those of this machine, in lower case. */
  adminHosts: ReadonlySet<string>
  /** The network of the sites that are no test sites. networkOf of gateway/connection.ts gives the network of a site. */
  network: SiteNetwork
  /** The network of test sites; undefined where a siteId that ends with -test is like any other. */
  testNetwork: SiteNetwork | undefined
  /** Whether some sites are of the sandbox: the deployment's, or test sites. */
  hasSandbox: boolean
  /** For how many days a token can be charged. */
  tokenDays: number
  /** For how many days a QR code is kept that ended without a payment; undefined: for ever. */
  retentionDays: number | undefined
  /** After how many days a payment that no settlement file has is missing in them. */
  settlementDays: number
  /** Requests a second of the merchants of one site, on a self-hosted service. */
  siteRate: number
  /** For how many days the deletion of a site can be undone. */
  deletionDays: number
  /** Where the list of banks is: a URL, or the path of a static file; undefined: payers see no list. */
  banksUrl: string | undefined
}

/** Whether this is bare workerd; also where the settings are invalid. */
export const isSelfHosted = (env: { SELF_HOSTED?: string }): boolean => env.SELF_HOSTED !== undefined

/**
 * Reads and checks the settings.
 * @returns the settings, or the broken rules by the settings' names, never with a value
 */
export function readConfig(env: object): { ok: true; config: Config } | { ok: false; problems: string[] } {
  // A binding of workerd is null where the environment lacks its variable.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== null))
  const settings = DeploymentSettings.safeParse(given)
  const problems = (settings.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`)
  if (given.SELF_HOSTED && !given.PUBLIC_URL) {
    problems.push('PUBLIC_URL is not set, must be the address that clients use')
  }
  if (!settings.success || problems.length > 0) return { ok: false, problems }
  const { TOKEN_SECRET, TOKEN_SECRET_PREVIOUS, ...vars } = settings.data
  return {
    ok: true,
    config: {
      secrets: TOKEN_SECRET_PREVIOUS ? [TOKEN_SECRET, TOKEN_SECRET_PREVIOUS] : [TOKEN_SECRET],
      revokedKeys: vars.REVOKED_KEYS ?? new Set(),
      currencies: vars.CURRENCIES,
      homeCurrency: vars.CURRENCIES.find((currency) => currency === 'RUB') ?? vars.CURRENCIES[0] ?? 'RUB',
      utcOffset: vars.UTC_OFFSET,
      bankMemberId: vars.BANK_MEMBER_ID,
      publicUrl: vars.PUBLIC_URL,
      passkeyHost: vars.PASSKEY_HOST ?? passkeyHostOf(vars.PUBLIC_URL),
      allowedHosts: vars.ALLOWED_HOSTS ?? (vars.SELF_HOSTED && ownHosts(vars.PUBLIC_URL)),
      adminHosts: vars.ADMIN_HOSTS ?? new Set(),
      ...{ tokenDays: vars.TOKEN_DAYS, retentionDays: vars.RETENTION_DAYS },
      ...{ settlementDays: vars.SETTLEMENT_DAYS, deletionDays: vars.DELETION_DAYS, siteRate: vars.SITE_RATE },
      banksUrl: vars.BANKS_URL,
      anyCallbackHost: vars.CALLBACK_HOSTS === 'any',
      ...networksOf(vars),
    },
  }
}

/** A deployment that is not a sandbox has test sites, or reserves their siteIds. */
function networksOf(
  vars: Omit<z.output<typeof DeploymentSettings>, 'TOKEN_SECRET'>,
): Pick<Config, 'network' | 'testNetwork' | 'hasSandbox'> {
  const { PAYMENT_NETWORK, NETWORK_URL, NETWORK_SECRET, LINK_BASE_URL } = vars
  const isSandbox = PAYMENT_NETWORK === 'sandbox'
  const hasTestSites = vars.TEST_SITES === 'on'
  return {
    network: {
      network: PAYMENT_NETWORK,
      connector:
        !isSandbox && NETWORK_URL && NETWORK_SECRET
          ? { url: NETWORK_URL, secret: NETWORK_SECRET }
          : undefined,
      takesLinks: vars.LINKS === 'connector',
      linkBaseUrl: LINK_BASE_URL,
      linkTokenBaseUrl: vars.LINK_TOKEN_BASE_URL ?? LINK_BASE_URL,
      isTest: false,
      isServed: true,
    },
    testNetwork: hasTestSites || !isSandbox ? { ...TEST_NETWORK, isServed: hasTestSites } : undefined,
    hasSandbox: isSandbox || hasTestSites,
  }
}

/** The host of the service's address, and those of this machine, by which a proxy and a health check call it. */
const ownHosts = (publicUrl = ''): ReadonlySet<string> => new Set([new URL(publicUrl).hostname, ...LOOPBACK])
