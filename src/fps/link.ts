// The functional link (contract, section 4): the URL in the QR code, which the payer's bank reads.
import type { Amount } from '../contract/amount.ts'
import type { QrCodeType } from '../contract/qr-code.ts'
import { crc16 } from './crc.ts'
import { LINK_ID, PREFIXES } from './link-id.ts'

/** The parts of a link: `bank` is the member id of the merchant's bank, 12 digits; `base` has no trailing slash. */
export interface Link {
  base: string
  id: string
  type: QrCodeType
  bank: string
  amount?: Amount | undefined
}

const LINK_TYPES = { DYNAMIC: '02', TOKEN: '03', STATIC: '01', COUNTER: '01' } as const
/** A link of type 01 is COUNTER if its id says so. */
const TYPES = { '01': 'STATIC', '02': 'DYNAMIC', '03': 'TOKEN' } as const

/** The link as text. A link that binds an account (TOKEN) has no sum, whatever the amount. */
export function formatLink({ base, id, type, bank, amount }: Link): string {
  const sum = amount && type !== 'TOKEN' ? `&sum=${amount.minorUnits}&cur=${amount.currency}` : ''
  const link = `${base}/${id}?type=${LINK_TYPES[type]}&bank=${bank}${sum}`
  return `${link}&crc=${crc16(link)}`
}

/** The id and the parameters: what follows the base and its slash. */
const RELATIVE =
  /([^/?]+)\?type=(01|02|03)&bank=(\d{12})(?:&sum=([1-9]\d{0,10})&cur=([A-Z]{3}))?&crc=[0-9A-F]{4}/.source
const LINK = new RegExp(`^(.+)/${RELATIVE}$`)
const RELATIVE_LINK = new RegExp(`^${RELATIVE}$`)

/** Whether a text can follow the base of a link. The checksum is not verified, because it covers the base. */
export const isRelativeLink = (text: string): boolean => RELATIVE_LINK.test(text)

/** The parts of a link, or undefined unless it is exactly one that formatLink writes. */
export function parseLink(text: string): Link | undefined {
  const parts = LINK.exec(text)
  if (!parts) return undefined
  const [, base = '', id = '', code = '', bank = '', minorUnits, currency] = parts
  const amount = minorUnits && currency ? { minorUnits: Number(minorUnits), currency } : undefined
  const isCounter = code === '01' && id.startsWith(PREFIXES.counter)
  const type = isCounter ? 'COUNTER' : isLinkType(code) ? TYPES[code] : undefined
  const link: Link | undefined = type && { base, id, type, bank, amount }
  return link && LINK_ID.test(id) && formatLink(link) === text ? link : undefined
}

const isLinkType = (code: string): code is keyof typeof TYPES => code in TYPES
