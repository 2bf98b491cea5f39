// The settings of a self-hosted service: from the environment, else from a file; checked before anything starts.
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { readConfig, Settings } from '../src/config.ts'
import { reasonOf } from './system-error.ts'

const NAMES: readonly string[] = Object.keys(Settings.shape).filter((name) => name !== 'SELF_HOSTED')

/**
 * Reads the settings.
 * @param file lines of NAME=value; the environment overrides it
 * @throws Error with a line for each wrong setting: its name and its rule, never its value
 */
export function serviceSettings(env: NodeJS.ProcessEnv, file: string | undefined): Record<string, string> {
  const given = file === undefined ? {} : parseEnv(contentOf(file))
  const unknown = Object.keys(given).filter((name) => !NAMES.includes(name))
  const settings: Record<string, string> = {}
  for (const name of NAMES) {
    const value = env[name] ?? given[name]
    if (value !== undefined) settings[name] = value
  }
  const checked = readConfig({ ...settings, SELF_HOSTED: 'true' })
  const problems = unknown.map((name) => `${name} is not a setting, must be one of docs/operations.md`)
  if (!checked.ok) problems.push(...checked.problems)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return settings
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`--env-file is ${file}, cannot be read: ${reasonOf(error)}`)
  }
}
