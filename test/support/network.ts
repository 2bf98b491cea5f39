// The network's reports on QR codes of site demo.
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import type { Call } from './client.ts'
import { cancel, expire, type Fresh, feedPage, report } from './qr-codes.ts'
import { call, type serviceWith, tokenOf } from './service.ts'
import { strict } from './strict.ts'

export const FAR = { exp: 4_000_000_000 }

export const token = await tokenOf(FAR)

/** What the merchant reads of a QR code: its ETag and its answer. */
export async function read({ path }: Fresh) {
  const response = await call(path, { token })
  return { etag: response.headers.get('ETag'), answer: strict(QrCodeAnswer).parse(await response.json()) }
}

/** How a QR code comes into each status. */
export const INTO: Record<string, (qrCode: Fresh) => Promise<unknown>> = {
  CREATED: async () => {},
  DECLINED: (qrCode) => report(qrCode, { status: 'DECLINED' }),
  PAYED: (qrCode) => report(qrCode),
  CANCELLED: (qrCode) => cancel(qrCode),
  EXPIRED: ({ uid }) => expire(uid),
}

/** The number of the site's latest event. */
export async function lastEvent(): Promise<number> {
  let last = 0
  for (let after: string | undefined; ; ) {
    const page: Awaited<ReturnType<typeof feedPage>> = await feedPage(after, { limit: '1000' }, { token })
    if (page.events.length === 0) return last
    last = page.events.at(-1)?.id ?? 0
    after = page.nextCursor
  }
}

/** Sends a report to another service or site than the deployed demo. */
export async function send(
  linkId: string,
  paymentUid: string,
  { siteId = 'demo', body = {}, ...options }: Call & { siteId?: string; body?: object } = {},
  fetch?: ReturnType<typeof serviceWith>,
) {
  return call(
    `/network/v1/sites/${siteId}/qrCodes/${linkId}/payments/${paymentUid}`,
    {
      method: 'PUT',
      token: await tokenOf({ sub: siteId, scope: 'network' }),
      body: { status: 'COMPLETED', amount: { value: 5 }, ...body },
      ...options,
    },
    fetch,
  )
}
