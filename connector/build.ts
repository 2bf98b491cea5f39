// Which build of the connector this is.
import { spawnSync } from 'node:child_process'
import packageJson from './package.json' with { type: 'json' }

// The bundler of a release puts it here.
declare const FPS_QR_COMMIT: string | undefined

export interface Build {
  version: string
  /** 40 hexadecimal digits; `unknown` where neither the bundler nor git says it. */
  commit: string
}

export function buildOf(): Build {
  const commit = typeof FPS_QR_COMMIT === 'undefined' ? checkedOut() : FPS_QR_COMMIT
  return { version: packageJson.version, commit }
}

function checkedOut(): string {
  const { status, stdout } = spawnSync('git', ['-C', import.meta.dirname, 'rev-parse', 'HEAD'], {
    encoding: 'utf8',
  })
  return status === 0 ? stdout.trim() : 'unknown'
}
