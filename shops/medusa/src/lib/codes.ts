// The QR codes of payment sessions: their names, their amounts, and which codes an order ever had.
import type { AmountInput, StoredOrder } from '@fps-qr/client'
import type { BigNumberInput, MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys, MathBN, MedusaError } from '@medusajs/framework/utils'
import { z } from '@medusajs/framework/zod'

const Data = z.object({
  qrCodeUid: z.string(),
  amount: z.object({ value: z.string(), currency: z.string() }),
})

/** The code of a session or a payment, from its data. Undefined where it has none: the shop ended while it was made. */
export function codeIn(data: unknown): StoredOrder | undefined {
  return Data.safeParse(data).data
}

/** The picture of the code of a session, as a data URL; undefined where the service made none. */
export function pictureIn(data: unknown): string | undefined {
  return z.object({ picture: z.string() }).safeParse(data).data?.picture
}

/** As codeIn. @throws MedusaError if there is none */
export function codeOf(data: unknown): StoredOrder {
  const code = codeIn(data)
  if (code) return code
  throw new MedusaError(MedusaError.Types.INVALID_DATA, 'fps-qr: the payment session has no QR code')
}

/** An amount as Medusa's answers have it. */
export const Money = z.custom<BigNumberInput>((value) => value !== undefined && value !== null)

/** An amount of Medusa, to the kopeck as Medusa itself rounds it. @throws MedusaError for another currency than the rouble */
export function amountOf(amount: BigNumberInput, currencyCode: string): AmountInput & { currency: string } {
  const currency = currencyCode.toUpperCase()
  if (currency === 'RUB') return { value: MathBN.convert(amount, 2).toFixed(2), currency }
  throw new MedusaError(
    MedusaError.Types.INVALID_DATA,
    `fps-qr: currency_code is "${currencyCode}", must be "rub"`,
  )
}

/** In the metadata of the payment collection: the session of a code can be deleted, and money can come for it all the same. */
const KEY = 'fps_qr_codes'

/** Stores the name of the code of a session with the order, before the code is made: it is that of the session. */
export async function storeCode(container: MedusaContainer, sessionId: string): Promise<void> {
  const knex = container.resolve(ContainerRegistrationKeys.PG_CONNECTION)
  // One statement: a session that is made at the same time adds its own.
  await knex.raw(
    `update payment_collection set metadata = jsonb_set(coalesce(metadata, '{}'), '{${KEY}}',
       coalesce(metadata->'${KEY}', '[]') || to_jsonb(?::text))
     where id = (select payment_collection_id from payment_session where id = ?)`,
    [sessionId, sessionId],
  )
}

/** The names of all codes that were made for a payment collection. */
export function storedCodes(metadata: unknown): string[] {
  return z.object({ [KEY]: z.array(z.string()) }).safeParse(metadata).data?.[KEY] ?? []
}
