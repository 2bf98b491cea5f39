// The functional link (contract, section 4): the URL that a QR code says and the payer's bank reads.
import type { Amount } from '../contract/amount.ts'
import type { QrCodeType } from '../contract/qr-code.ts'
import { crc16 } from './crc.ts'
import { LINK_ID } from './link-id.ts'

/** What a link says: `bank` is the member id of the merchant's bank, 12 digits; `base` has no trailing slash. */
export interface Link {
  base: string
  id: string
  type: QrCodeType
  bank: string
  amount?: Amount | undefined
}

const LINK_TYPES = { DYNAMIC: '02', TOKEN: '03' } as const

/** The link as text. A link that binds an account (TOKEN) has no sum, whatever the amount. */
export function formatLink({ base, id, type, bank, amount }: Link): string {
  const sum = amount && type === 'DYNAMIC' ? `&sum=${amount.kopecks}&cur=${amount.currency}` : ''
  const link = `${base}/${id}?type=${LINK_TYPES[type]}&bank=${bank}${sum}`
  return `${link}&crc=${crc16(link)}`
}

/** The id and the parameters: what follows the base and its slash. */
const RELATIVE =
  /([^/?]+)\?type=(02|03)&bank=(\d{12})(?:&sum=([1-9]\d{0,10})&cur=([A-Z]{3}))?&crc=[0-9A-F]{4}/.source
const LINK = new RegExp(`^(.+)/${RELATIVE}$`)
const RELATIVE_LINK = new RegExp(`^${RELATIVE}$`)

/** Whether a text can follow the base of a link. The checksum is not verified, because it covers the base. */
export const isRelativeLink = (text: string): boolean => RELATIVE_LINK.test(text)

/** The parts of a link, or undefined where it is not exactly one that formatLink writes. */
export function parseLink(text: string): Link | undefined {
  const parts = LINK.exec(text)
  if (!parts) return undefined
  const [, base = '', id = '', type = '', bank = '', kopecks, currency] = parts
  const amount = kopecks && currency ? { kopecks: Number(kopecks), currency } : undefined
  const link: Link = { base, id, type: type === '02' ? 'DYNAMIC' : 'TOKEN', bank, amount }
  return LINK_ID.test(id) && formatLink(link) === text ? link : undefined
}
