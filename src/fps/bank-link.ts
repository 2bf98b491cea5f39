// The links that open a functional link in a certain bank: its app by the bank's scheme, or its site.

import type { QrCodeType } from '../contract/qr-code.ts'
import type { Bank } from './bank.ts'

/** What the payer's browser runs on; only a phone has banks' apps. */
export type Device = 'android' | 'phone' | 'desktop'

/**
 * The link that opens a functional link in a bank; undefined if the bank cannot be opened on the device.
 * @param payload `https://qr.nspk.ru/<id>?…`
 */
export function bankLink(
  bank: Bank,
  { payload, type }: { payload: string; type: QrCodeType },
  device: Device,
): string | undefined {
  const address = payload.replace(/^https?:\/\//, '')
  if (device === 'desktop') {
    const url = type === 'TOKEN' ? bank.webClientUrlSub : bank.webClientUrl
    const id = /([^/?]+)(?:\?|$)/.exec(address)?.[1]
    return url && id && webLink(url, id)
  }
  return device === 'android' && bank.package
    ? `intent://${address}#Intent;scheme=${bank.scheme};package=${bank.package};end;`
    : `${bank.scheme}://${address}`
}

/** The id is the last segment of the address, before a query that has its value; or the value that the address lacks. */
function webLink(url: string, id: string): string {
  if (/[/#?&=]$/.test(url)) return url + id
  const [path = '', query] = url.includes('#') ? [url] : url.split(/(?=\?)/)
  return `${path.replace(/\/$/, '')}/${id}${query ?? ''}`
}
