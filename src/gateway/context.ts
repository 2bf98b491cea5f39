// What the Worker needs besides pure functions: settings, site objects, clock, randomness. A test replaces any of them.
import type { Audit } from '../audit/audit.ts'
import type { Config } from '../config.ts'
import type { Caller } from '../contract/caller.ts'
import type { QrCode, QrCodeSpec } from '../contract/qr-code.ts'
import type { Registry } from '../registry/registry.ts'
import type { Site } from '../site/site.ts'
import type { LongPolls } from './long-polls.ts'
import type { Metrics } from './metrics.ts'
import type { SiteRate } from './site-rate.ts'

/** The RPC methods of a site's object. */
export type SiteStub = Omit<Site, keyof DurableObject | keyof Rpc.DurableObjectBranded>

/** The RPC methods of the registry that the Worker calls. */
export type RegistryStub = Omit<Registry, keyof DurableObject | keyof Rpc.DurableObjectBranded | 'record'>

/** The RPC methods of the audit. */
export type AuditStub = Omit<Audit, keyof DurableObject | keyof Rpc.DurableObjectBranded>

interface StaticFile {
  headers: Record<string, string>
  content: ArrayBuffer
}

export interface Platform {
  config: Config
  /** Whether `wrangler dev` runs the sources, for a developer. */
  isDevelopment?: boolean
  /** A fresh stub of a site's object. */
  site(siteId: string): SiteStub
  /** A fresh stub of the registry of sites. */
  registry(): RegistryStub
  /** A fresh stub of the audit. */
  audit(): AuditStub
  /** Undefined if the deployment binds no rate limiter. */
  limiter: Pick<RateLimit, 'limit'> | undefined
  /** Undefined if the platform runs more than one process, whose memories differ. */
  siteRate?: SiteRate | undefined
  /** A static file by its path, where the platform does not serve them before the Worker runs. */
  file?(path: string): StaticFile | undefined
  /** The documentation site, where the platform does not serve it. */
  docs?: Pick<Fetcher, 'fetch'> | undefined
  /** The response for a static file by its path; 404 if it does not exist. */
  asset(path: string): Promise<Response>
  /** Requests to other hosts. */
  fetch(request: Request): Promise<Response>
  /** Requests to what the operator names: the connector and the list of banks, whose addresses may be private. */
  fetchConnector(request: Request): Promise<Response>
  /** Unix milliseconds. */
  now(): number
  random(bytes: number): Uint8Array
  sleep(milliseconds: number): Promise<void>
  /** What the work resolves to, or undefined after a time. The timer ends with the work. */
  within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined>
  /**
   * Waits for a call of an object that can live in another instance of a cluster, which nobody may reach: undefined after a
   * time. The call can run on. Undefined where there is no cluster.
   */
  limited?: (<T extends object>(call: Promise<T>) => Promise<T | undefined>) | undefined
  /** Whether this instance of a cluster serves, holds its lease and is not stopping. Undefined where there is no cluster. */
  holdsLease?: (() => Promise<boolean>) | undefined
  /** Keeps the current request alive until the work is done, even if its client disconnects. */
  waitUntil(work: Promise<void>): void
  log(line: string): void
  /** Undefined if no client can read the metrics of this process. */
  metrics?: Metrics | undefined
  /** Undefined if no operator can stop this process. */
  longPolls?: LongPolls | undefined
}

export interface Service extends Platform {
  /** Creates a QR code, or replays it. @throws ApiError the site's refusal, or service.unavailable */
  createQrCode(
    site: Pick<SiteContext, 'siteId' | 'caller' | 'origin'>,
    spec: QrCodeSpec,
  ): Promise<{ qrCode: QrCode; isReplayed: boolean }>
}

/** A request to one site, after the checks that need no storage. */
export interface SiteContext {
  service: Service
  siteId: string
  caller: Caller
  /** Scheme and host of the request: `https://qr.example`. */
  origin: string
  /** Which of its two addresses of the API was called (contract, section 1). */
  prefix: '' | '/partner'
  /** Whether the request changes nothing. */
  isRead: boolean
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}
