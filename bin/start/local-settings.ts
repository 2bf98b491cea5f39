// The settings of npm start: a sandbox on this machine, unless options say otherwise.
import { networkInterfaces } from 'node:os'
import { type Config, readConfig } from '../../src/config.ts'
import { SETTING_NAMES } from '../serve/setting-names.ts'
import { configuration } from '../serve/wrangler.ts'
import { allowedHosts, LOOPBACK, reachableHost } from './addresses.ts'
import { ensureStoredSecret, localSecret } from './local-secret.ts'
import type { StartOptions } from './start-options.ts'

export interface LocalSettings {
  config: Config
  /** Where it is reached: `http://127.0.0.1:8787`. */
  address: string
  /** Where its console is opened: `http://localhost:8787`, because an IP address has no passkeys. */
  consoleAddress: string
  /** Signs access tokens. */
  secret: string
  /** The environment of workerd: it has only these settings, not those of this process's environment. */
  env: NodeJS.ProcessEnv
}

/** @throws Error with a line for each wrong setting: its name and its rule, never its value */
export function localSettings({ port, ip, vars }: StartOptions): LocalSettings {
  const interfaces = networkInterfaces()
  const host = reachableHost(ip, interfaces)
  const address = `http://${host}:${port}`
  const consoleAddress = `http://${LOOPBACK.includes(host) ? 'localhost' : host}:${port}`
  const secret = vars.TOKEN_SECRET || ensureStoredSecret()
  const unsigned = { ...configuration().vars, PAYMENT_NETWORK: 'sandbox', CALLBACK_HOSTS: 'any', ...vars }
  const given = {
    // Not by --var: npm prints the command, and ps shows it. Without NETWORK_URL it would be an invalid setting.
    ...(unsigned.NETWORK_URL && { NETWORK_SECRET: localSecret('NETWORK_SECRET') ?? '' }),
    ...unsigned,
    TOKEN_SECRET: secret,
  }
  const named = { ...given, PUBLIC_URL: given.PUBLIC_URL || consoleAddress }
  const checked = readConfig(named)
  if (!checked.ok) throw new Error(checked.problems.join('\n'))
  const { config } = checked
  const settings: Record<string, unknown> = {
    ALLOWED_HOSTS: allowedHosts(ip, interfaces, config.publicUrl),
    ...named,
  }
  const env = { ...process.env }
  for (const name of SETTING_NAMES) {
    delete env[name]
    if (typeof settings[name] === 'string') env[name] = settings[name]
  }
  return { config, address, consoleAddress, secret, env }
}
