// Parses the connector's command line: a command and its options.
import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import * as z from 'zod'
import { BANKS } from '../banks/banks.ts'
import { type Config, readConfig } from '../config/config.ts'
import { SOURCES } from '../config/fields.ts'
import { type Core, openCore } from '../core.ts'
import { openExistingDatabase } from '../disk/database.ts'
import { Disk } from '../disk/disk.ts'
import type { Log } from '../log.ts'
import { Metrics } from '../metrics.ts'
import { PLATFORM } from '../platform.ts'

const OPTIONS = {
  config: { type: 'string' },
  data: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  restored: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  register: { type: 'boolean' },
  site: { type: 'string' },
  payment: { type: 'string' },
  refund: { type: 'string' },
  charge: { type: 'string' },
  difference: { type: 'string' },
  receipt: { type: 'string' },
  fn: { type: 'string' },
  fd: { type: 'string' },
  fpd: { type: 'string' },
  bank: { type: 'string' },
  webhook: { type: 'string' },
  number: { type: 'string' },
  as: { type: 'string' },
  reason: { type: 'string' },
  by: { type: 'string' },
  yes: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

export type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']
type Name = keyof Options

/** What a person sees of a command. */
export type Print = (line: string) => void

/** @throws Error naming an option that does not exist, or a second command */
export function readArguments(args: string[]): { command: string; options: Options } {
  const { values: options, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  const [command = 'run', second] = positionals
  if (second !== undefined) throw new Error(`${second} is not expected behind ${command}`)
  return { command, options }
}

/** @throws Error naming the option that is missing */
export function required(
  options: Options,
  name: Exclude<Name, 'register' | 'yes' | 'help'>,
  rule: string,
): string {
  const value = options[name]
  if (value === undefined || value === '') throw new Error(`--${name} is not given, must be ${rule}`)
  return value
}

/** Who decides: it is kept. @throws Error naming the rule */
export function deciderOf(options: Options): string {
  const by = required(options, 'by', 'your name: it is kept with the decision')
  if (by.length > 60) throw new Error('--by must be at most 60 characters')
  return by
}

const MAX_REASON = 255

/** @param rule what it must be. @throws Error naming the rule */
export function reasonOf(options: Options, rule: string): string {
  const reason = required(options, 'reason', rule)
  if (reason.length > MAX_REASON) throw new Error(`--reason must be at most ${MAX_REASON} characters`)
  return reason
}

/** Only these options are of the command. @throws Error naming another that is given */
export function allowOnly(command: string, options: Options, names: readonly Name[]): void {
  const other = Object.keys(options).find(
    (name) => ![...names, 'config', 'data'].some((each) => each === name),
  )
  if (other !== undefined) throw new Error(`--${other} is not an option of ${command}`)
}

export function configOf(options: Options): Config {
  return readConfig(readFileSync(required(options, 'config', 'a file'), 'utf8'), BANKS, SOURCES)
}

/** @param log by default nothing: a command prints what it finds */
export function coreOn(database: DatabaseSync, config: Config, log: Log = () => {}): Core {
  return openCore(config, { disk: new Disk(database), platform: PLATFORM, log, metrics: new Metrics() })
}

/** A command on the disk of a connector, beside the one that runs or without it. */
export function openCoreFor(options: Options): Core {
  const config = configOf(options)
  return coreOn(openExistingDatabase(required(options, 'data', 'a directory'), PLATFORM.now()), config)
}

/**
 * Unix milliseconds of a day, or of a moment with an offset; a day begins in Moscow, where the banks count.
 * @throws Error naming the option
 */
export function timeOf(name: string, text: string): number {
  const day = text.slice(0, 10)
  const time = Date.parse(text === day ? `${text}T00:00:00+03:00` : text)
  const isComplete = text === day || /(Z|[+-]\d\d:\d\d)$/.test(text)
  // Date.parse takes 30 February for 2 March.
  if (!Number.isNaN(time) && isComplete && z.iso.date().safeParse(day).success) return time
  throw new Error(`--${name} is ${text}, must be a date such as 2026-11-20, or a time with its offset`)
}
