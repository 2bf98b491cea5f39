// Waits for the end of a payment, of a sale or of a refund.
import { pause } from './abort.ts'
import type { Http } from './http.ts'
import type { QrCode, QrCodeStatus, Refund, Sale } from './schema.ts'

/** Proxies commonly end a connection that is silent for 60 seconds. */
export const LONG_POLL_SECONDS = 30
/** Pause after a long poll that was answered at once, as where the service has too many. */
export const BUSY_MS = 2_000
/** Pauses between reads of a refund: half as long again after each, from the first to the last. */
const FIRST_REFUND_MS = 500
const LAST_REFUND_MS = 30_000

const FINAL: readonly QrCodeStatus[] = ['PAYED', 'ACCEPTED', 'EXPIRED', 'CANCELLED']

export interface WaitOptions {
  /** Ends the wait; for a limit of time, `AbortSignal.timeout(ms)`. Without it the wait has no limit. */
  signal?: AbortSignal
}

/** Long polls a QR code until its status is final, or DECLINED where that ends the wait too. */
export const waitForQrCode = (
  http: Http,
  path: string,
  { signal, returnDeclined = false }: WaitOptions & { returnDeclined?: boolean },
): Promise<QrCode> =>
  longPoll<QrCode>(
    http,
    { path, signal },
    ({ qrCode: { status } }) => FINAL.includes(status) || (returnDeclined && status === 'DECLINED'),
  )

/** Long polls a sale until it is not ACTIVE. */
export const waitForSale = (http: Http, path: string, { signal }: WaitOptions): Promise<Sale> =>
  longPoll<Sale>(http, { path, signal }, ({ status }) => status !== 'ACTIVE')

async function longPoll<T>(
  http: Http,
  { path, signal }: { path: string; signal: AbortSignal | undefined },
  isOver: (value: T) => boolean,
): Promise<T> {
  // The first request does not wait: it learns the state and its ETag, so that no change is missed after it.
  const first = await http.request<T>({ path, signal, endless: true })
  if (isOver(first.body)) return first.body
  for (let etag = first.headers.get('ETag'); ; ) {
    const { status, headers, body } = await http.request<T>({
      path,
      signal,
      ...(etag && { headers: { 'If-None-Match': etag } }),
      waitSeconds: LONG_POLL_SECONDS,
      endless: true,
    })
    if (status !== 304) {
      if (isOver(body)) return body
      etag = headers.get('ETag')
    }
    if (!headers.has('Preference-Applied')) await pause(BUSY_MS, signal)
  }
}

/** Reads a refund until it is not WAITING. A refund has no long poll, so the pauses between the reads grow. */
export async function waitForRefund(http: Http, path: string, { signal }: WaitOptions): Promise<Refund> {
  for (let ms = FIRST_REFUND_MS; ; ms = Math.min(ms * 1.5, LAST_REFUND_MS)) {
    const { body } = await http.request<Refund>({ path, signal, endless: true })
    if (body.status.value !== 'WAITING') return body
    await pause(ms, signal)
  }
}
