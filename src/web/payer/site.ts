// A site as its payers call it, without a token and at a rate of their own, and the state that they follow.

import type { Context } from 'hono'
import { PAYER } from '../../contract/caller.ts'
import { isReusable, type QrCode } from '../../contract/qr-code.ts'
import { isCounterId, isStaticId } from '../../fps/link-id.ts'
import type { Service, SiteContext } from '../../gateway/context.ts'
import { followedSale } from '../../gateway/followed-sale.ts'
import { pollQrCode, type Wait } from '../../gateway/long-poll.ts'
import type { Receipt } from '../../gateway/receipt.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { limitRate } from '../../http/auth.ts'
import { etagOf, isKnown, waitOf } from '../../http/conditional.ts'
import { originOf } from '../../http/path.ts'
import type { Polled } from '../../site/long-polls.ts'
import type { QrCodeKey } from '../../site/qr-codes/rows.ts'

/**
 * The site, for a request with a link of it.
 * @param linkId the id of a link that this deployment issued for the site
 * @throws ApiError 429
 */
export async function payerSite(
  c: Context<AppEnv>,
  service: Service,
  siteId: string,
  linkId: string,
): Promise<SiteContext> {
  c.set('siteId', siteId)
  await limitRate(service, 'link', siteId, linkId)
  return {
    service,
    siteId,
    caller: PAYER,
    origin: originOf(c),
    prefix: '',
    isRead: c.req.method === 'GET',
    signal: c.req.raw.signal,
  }
}

/**
 * The ETag of what a payer's page shows of a QR code. That of one that is paid many times does not tell that others paid: its
 * version would. That of a COUNTER one is its sale's.
 * @param paid this payer's own payment
 */
export const stateTag = (qrCode: QrCode, paid?: Receipt): string =>
  isReusable(qrCode)
    ? paid
      ? etagOf(0, `PAYED ${paid.paymentUid}`)
      : etagOf(0, qrCode.status + (qrCode.sale?.saleUid ?? ''))
    : etagOf(qrCode.version, qrCode.status)

const NO_WAIT: Wait = { seconds: undefined, version: undefined }

/** A QR code as the state of its page tells of it. */
interface State {
  qrCode: QrCode
  etag: string
  paid: Receipt | undefined
  waited: boolean
}

/**
 * The QR code for a request for its state, when the state changes from the one that the payer knows.
 * @param link the id of the link of the QR code, and the mark of the sale that the payer followed
 */
export async function pollState(
  site: SiteContext,
  key: QrCodeKey,
  { linkId, mark }: { linkId: string; mark: string | undefined },
  headers: Parameters<typeof waitOf>[0],
): Promise<State> {
  const { 'If-None-Match': known, Prefer: seconds } = headers
  const stateOf = async ({ value: qrCode, waited }: Polled<QrCode>): Promise<State> => {
    const paid = await followedSale(site, key, linkId, mark)
    return { qrCode, etag: stateTag(qrCode, paid), paid, waited }
  }
  // The end of the wait would tell that somebody paid.
  if (isStaticId(linkId) || seconds === undefined) return stateOf(await pollQrCode(site, key, NO_WAIT))
  if (!isCounterId(linkId) || known === undefined)
    return stateOf(await pollQrCode(site, key, waitOf(headers)))
  const { now } = site.service
  const until = now() + seconds * 1000
  // The tag does not name the version: it is that of the state that the payer knows, or there is another state.
  let state = await stateOf(await pollQrCode(site, key, NO_WAIT))
  let rest = seconds
  // A refund of an earlier sale changes the version, not the state.
  while (rest > 0 && isKnown(known, state.etag)) {
    const { version } = state.qrCode
    state = await stateOf(await pollQrCode(site, key, { seconds: rest, version }))
    // A process that is about to stop lets nothing wait.
    if (!state.waited && state.qrCode.version === version) break
    rest = Math.min(rest - 1, Math.ceil((until - now()) / 1000))
  }
  return state
}
