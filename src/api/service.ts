// What the HTTP layer works with: everything that is not a pure function comes from here, so that a test can give it.

import type { Config } from '../config.ts'
import type { ErrorCode } from '../errors.ts'
import type { Site } from '../site/site.ts'

/** The operations of a site's object, as they are called from outside. */
export type SiteStub = Pick<
  Site,
  'create' | 'read' | 'longPoll' | 'stopListening' | 'list' | 'events' | 'cancel' | 'report'
>

export interface Service {
  config: Config
  /** A fresh stub of a site's object. */
  site(siteId: string): SiteStub
  /** Where the deployment limits how often a site may ask. */
  limiter: Pick<RateLimit, 'limit'> | undefined
  /** Unix milliseconds. */
  now(): number
  random(bytes: number): Uint8Array
  sleep(milliseconds: number): Promise<void>
  /** Keeps the request at hand alive until the work is done, though its caller may hang up. */
  keepAlive(work: Promise<void>): void
  log(line: string): void
}

/** What a request carries from one handler to the next. */
export interface AppEnv {
  Variables: {
    /** 16 hex digits: the same in the answer's header, in an error's body and in the log. */
    traceId: string
    siteId?: string
    /** The id of the key whose token this deployment signed: its `jti`. */
    keyId?: string
    errorCode?: ErrorCode
    /** The stack of a fault: for the log alone. */
    fault?: string
    /** The connection was lost while the body was read. */
    disconnected?: true
  }
}
