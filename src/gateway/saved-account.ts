// Ends a saved account for its payer (contract, section 13).
import { PAYER } from '../contract/caller.ts'
import type { QrCodeWithShop } from '../site/payments/payer.ts'
import type { QrCodeKey } from '../site/qr-codes/rows.ts'
import { recordIntent } from './audit.ts'
import type { SiteContext } from './context.ts'
import { callSite } from './site-client.ts'

/**
 * Ends the account that the page of a link shows; where it shows none that can be charged, nothing changes. The audit has it, because
 * a restore of the site does not rewind the audit: what a payer ended stays ended.
 * @throws ApiError service.unavailable where it cannot be recorded
 */
export async function endSavedAccount(
  site: SiteContext,
  key: QrCodeKey,
  { qrCode: { qrCodeUid }, saved }: Pick<QrCodeWithShop, 'qrCode' | 'saved'>,
): Promise<void> {
  if (typeof saved !== 'object' || saved.token.status !== 'CREATED') return
  const { bindingUid, network } = saved.binding
  const act = await recordIntent({ ...site, caller: PAYER }, 'token.end', { qrCodeUid, bindingUid, network })
  try {
    await callSite(site, (object) => object.endTokenByPayer(key, bindingUid))
  } catch (error) {
    await act.failed(error)
    throw error
  }
  await act.done()
}
