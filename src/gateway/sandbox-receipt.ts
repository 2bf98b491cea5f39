// The address of the page of a receipt that the sandbox's cash register made: its mark is known only to who was given it.
import type { Config } from '../config.ts'
import { isSandbox } from './connection.ts'
import { isMarkOf, markOf } from './receipt.ts'

const OF_NO_LINK = ''

/** The address, for `fiscal.url`. @param origin of the deployment, where its configuration has no PUBLIC_URL */
export const sandboxReceiptUrl = (
  { publicUrl, secrets }: Pick<Config, 'publicUrl' | 'secrets'>,
  siteId: string,
  receiptUid: string,
  origin = '',
): string =>
  `${publicUrl ?? origin}/receipts/${siteId}/${receiptUid}/${markOf(secrets, 'receipt', siteId, OF_NO_LINK, receiptUid)}`

/** Whether an address has the mark of its receipt. */
export const isSandboxReceipt = (
  secrets: Config['secrets'],
  siteId: string,
  receiptUid: string,
  mark: string,
): boolean => isMarkOf(mark, secrets, 'receipt', siteId, OF_NO_LINK, receiptUid)

/**
 * Where a registered receipt can be read: the sandbox's register, which has no request, knows no address without PUBLIC_URL.
 * @param origin of the request
 */
export const receiptUrl = (
  config: Pick<Config, 'publicUrl' | 'secrets' | 'network' | 'testNetwork'>,
  siteId: string,
  registered: { receiptUid: string; url: string | undefined } | undefined,
  origin: string,
): string | undefined =>
  registered &&
  (registered.url ??
    (isSandbox(config, siteId)
      ? sandboxReceiptUrl(config, siteId, registered.receiptUid, origin)
      : undefined))
