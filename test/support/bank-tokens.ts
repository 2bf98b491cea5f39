// Tokens of a deployment whose links a bank makes: what the network is instructed, and what it reports.
import { runInDurableObject } from 'cloudflare:test'
import { instructionBody } from '../../src/contract/instruction.ts'
import { NetworkBindingsAnswer, WaitingChargesAnswer } from '../../src/contract/network-tokens.ts'
import { instructionRows } from '../../src/site/outbox/rows.ts'
import { namedBankSite } from './bank-links.ts'
import { qrCodeIn } from './client.ts'
import { strict } from './strict.ts'
import { ACCOUNT } from './tokens.ts'

/** A site of its own, whose links are named by the qrCodeUid. Its instructions stay in the outbox. */
export function bankTokenSite(settings?: Record<string, unknown>) {
  const site = namedBankSite(settings)
  const tokenCode = (qrCodeUid: string, more: Record<string, unknown> = {}, ttl = 60) =>
    site.make(qrCodeUid, { amount: undefined, tokenizationAccount: ACCOUNT, ...more }, { type: 'TOKEN', ttl })
  const charge = (qrCodeUid: string, token: string) =>
    site.ask(`/sbp/qrCodes/${qrCodeUid}/payments`, { body: { token, tokenizationAccount: ACCOUNT } })
  return {
    ...site,
    tokenCode,
    charge,
    /** A token that can be charged, of a binding with a reference. @returns its value */
    async bound(qrCodeUid: string, more: Record<string, unknown> = {}): Promise<string> {
      await tokenCode(qrCodeUid)
      await site.bind(qrCodeUid, { reference: `sub ${qrCodeUid}`, ...more }, `binding-${qrCodeUid}`)
      return (await site.read(qrCodeUid)).token?.value ?? ''
    },
    /** A code that a token is charged for. @returns the paymentUid */
    async charged(qrCodeUid: string, token: string, more: Record<string, unknown> = {}): Promise<string> {
      await site.make(qrCodeUid, more)
      const { payment } = await qrCodeIn(await charge(qrCodeUid, token))
      return payment?.paymentUid ?? ''
    },
    deleteToken: (token: string) =>
      site.ask('/tokens', { method: 'DELETE', body: { customerAccountId: ACCOUNT, token } }),
    /** What the connector is to be sent, as it is sent. */
    instructions: () =>
      runInDurableObject(site.stub, (_, { storage }) =>
        instructionRows(storage.sql, 'ORDER BY event').map(({ content }): Record<string, unknown> => {
          if (content.type === 'receipt.register') return content
          const { type, data } = JSON.parse(
            instructionBody(content, { siteId: site.siteId, createdAt: 0, utcOffset: '+03:00' }),
          )
          return { type, ...data }
        }),
      ),
    bindings: async (query = '') =>
      strict(NetworkBindingsAnswer).parse(await (await site.network(`/bindings${query}`)).json()),
    charges: async (query = '') =>
      strict(WaitingChargesAnswer).parse(await (await site.network(`/charges${query}`)).json()),
  }
}
export type BankTokenSite = ReturnType<typeof bankTokenSite>
