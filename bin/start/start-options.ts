// The command-line options of npm start.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseOptions, portOption } from '../options.ts'
import { CONFIG } from '../serve/build-service.ts'
import { unknownSettings } from '../serve/setting-names.ts'
import { STATE } from './running-address.ts'

export interface StartOptions {
  /** 1 to 65535. */
  port: number
  /** An IP address, a host name, or `*`: every address of the machine. */
  ip: string
  /** The state directory, absolute. */
  directory: string
  /** The directory of a build that exists already, absolute. */
  build?: string | undefined
  /** Settings, by name. */
  vars: Record<string, string>
}

export const USAGE = `npm start -- [options]

  --port N            the port, by default 8787
  --ip ADDRESS        the address to listen on, by default 127.0.0.1; 0.0.0.0 is all of the machine's
  --persist-to DIR    where the data is, by default .wrangler/state
  --build DIR         what npm run build wrote, dist/fps-qr; by default it is built anew
  --var NAME:VALUE    a setting of docs/operations.md; can be repeated
  --help              this text`

/**
 * Reads the arguments after `npm start --`.
 * @returns undefined for --help
 * @throws Error naming the option, its value and its rule
 */
export function startOptions(args: string[]): StartOptions | undefined {
  const { values } = parseOptions({
    args,
    options: {
      port: { type: 'string', default: '8787' },
      ip: { type: 'string', default: '127.0.0.1' },
      'persist-to': { type: 'string', default: STATE },
      build: { type: 'string' },
      var: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const port = portOption('--port', values.port)
  const vars = Object.fromEntries(values.var.map(nameAndValue))
  const problems = unknownSettings(Object.keys(vars))
  if (problems.length > 0) throw new Error(problems.map((problem) => `--var ${problem}`).join('\n'))
  const build = values.build === undefined ? undefined : resolve(values.build)
  if (build !== undefined && !existsSync(join(build, CONFIG))) {
    throw new Error(`--build is ${values.build}, must be a directory with ${CONFIG}`)
  }
  return { port, ip: values.ip, directory: resolve(values['persist-to']), build, vars }
}

/** The value can have colons, and can be secret: the error shows the name only. */
function nameAndValue(text: string): [string, string] {
  const [, name, value] = /^([A-Z_]+):(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) {
    throw new RangeError(`--var is ${text.split(':')[0]}…, must be NAME:VALUE`)
  }
  return [name, value]
}
