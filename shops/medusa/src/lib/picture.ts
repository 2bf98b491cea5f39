// The picture of a code, for a page of the storefront.
import type { Settings } from './settings.js'

/** An SVG as a data URL; undefined where the service does not draw it now. */
export async function pictureOf(
  { baseUrl, siteId, token }: Settings,
  qrCodeUid: string,
): Promise<string | undefined> {
  const site = `${baseUrl.replace(/\/+$/, '')}/payin/v1/sites/${encodeURIComponent(siteId)}`
  const response = await fetch(`${site}/sbp/qrCodes/${encodeURIComponent(qrCodeUid)}/image`, {
    headers: { Authorization: `Bearer ${token}`, Accept: 'image/svg+xml' },
    redirect: 'manual',
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
  if (!response?.ok) return undefined
  const bytes = Buffer.from(await response.arrayBuffer())
  return `data:image/svg+xml;base64,${bytes.toString('base64')}`
}
