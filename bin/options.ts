// Parses command-line options: refuses unknown and empty ones, and those that npm took for its own.
import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { nearestOf } from '../src/http/nearest.ts'
import { reasonOf } from './system-error.ts'

/** The options of ours that npm has too: its own value of one is no mistake. */
const OF_NPM: readonly string[] = ['scope']

/**
 * Reads the options of a command, as `parseArgs` does.
 * @throws Error naming an option that does not exist or is empty, or one that npm took because `--` was not before it
 */
export function parseOptions<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  const names = Object.keys(config.options ?? {})
  for (const name of names.filter((each) => !OF_NPM.includes(each))) {
    if (process.env[`npm_config_${name.replaceAll('-', '_')}`] !== undefined) {
      throw new Error(`npm took --${name} as its own option: write -- before the options, -- --${name} …`)
    }
  }
  const { tokens } = parseArgs({ ...config, strict: false, allowPositionals: true, tokens: true })
  for (const token of tokens ?? []) {
    if (token.kind === 'option' && !names.includes(token.name)) {
      const nearest = nearestOf(token.name, names)
      throw new Error(`${token.rawName} is unknown${nearest ? `, did you mean --${nearest}` : ''}`)
    }
    // A shell variable that is not set is an empty value: a path would be the current directory.
    if (token.kind === 'option' && token.value === '')
      throw new Error(`${token.rawName} is empty, must have a value`)
    if (token.kind === 'positional' && !config.allowPositionals) {
      throw new Error(
        `${token.value} is not an option: write -- before the options, as in -- --${names[0]} …`,
      )
    }
  }
  return parseArgs(config)
}

/** @throws RangeError naming the option and its rule */
export function portOption(name: string, text: string): number {
  const port = Number(text)
  if (!/^[1-9]\d{0,4}$/.test(text) || port > 65_535) {
    throw new RangeError(`${name} is ${text}, must be a number from 1 to 65535`)
  }
  return port
}

/** @throws Error naming an option that is required and not given */
export function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new Error(`${name} is not given, must be a directory`)
  return value
}

/** The text of the file of --env-file. @throws Error naming it and the reason */
export function readEnvFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`--env-file is ${file}, cannot be read: ${reasonOf(error)}`)
  }
}
