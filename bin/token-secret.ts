// TOKEN_SECRET for a command: of the environment, of the file of --env-file, or of this machine.
import { parseEnv } from 'node:util'
import { readEnvFile } from './options.ts'
import { localSecret } from './start/local-secret.ts'

/** The secret, and its source. @throws Error if no secret is set */
export function tokenSecret(file: string | undefined): { secret: string; source: string } {
  const secret = file === undefined ? localSecret('TOKEN_SECRET') : process.env.TOKEN_SECRET || secretIn(file)
  if (!secret)
    throw new Error('TOKEN_SECRET is not set, and there is no .dev.vars: the first npm start makes it')
  const source = process.env.TOKEN_SECRET
    ? 'the environment'
    : (file ?? '.dev.vars: only npm start of this checkout accepts the token')
  return { secret, source }
}

/** @throws Error where the file cannot be read, or has no TOKEN_SECRET */
function secretIn(file: string): string {
  const { TOKEN_SECRET } = parseEnv(readEnvFile(file))
  if (!TOKEN_SECRET) throw new Error(`--env-file is ${file}, it has no TOKEN_SECRET`)
  return TOKEN_SECRET
}
