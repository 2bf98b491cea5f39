// The settings of a self-hosted service: from the environment, else from a file; checked before anything starts.
import { parseEnv } from 'node:util'
import { readConfig } from '../../src/config.ts'
import { readEnvFile } from '../options.ts'
import { SETTING_NAMES, unknownSettings } from './setting-names.ts'

/**
 * Reads the settings.
 * @param file lines of NAME=value; the environment overrides it
 * @param others settings that are not the Worker's, and are only read
 * @throws Error with a line for each wrong setting: its name and its rule, never its value
 */
export function serviceSettings(
  env: NodeJS.ProcessEnv,
  file: string | undefined,
  others: readonly string[] = [],
): Record<string, string> {
  const given = file === undefined ? {} : parseEnv(readEnvFile(file))
  const settings: Record<string, string> = {}
  for (const name of [...SETTING_NAMES, ...others]) {
    const value = env[name] ?? given[name]
    if (value !== undefined) settings[name] = value
  }
  const checked = readConfig({ ...settings, SELF_HOSTED: 'true' })
  const problems = unknownSettings(Object.keys(given).filter((name) => !others.includes(name)))
  if (!checked.ok) problems.push(...checked.problems)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return settings
}
