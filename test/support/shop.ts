// A merchant and the payment network, as a browser test needs them: a site of its own at a running service.
import { mintToken } from '../../bin/mint-token.ts'
import { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import type { RunningService } from './browser-services.ts'

export interface Made {
  uid: string
  /** What the picture says. */
  payload: string
  /** The payer's page. */
  page: string
}

export interface Shop {
  siteId: string
  /** Creates a QR code; `qrCode` is its object of that name. */
  make(body?: Record<string, unknown>, qrCode?: Record<string, unknown>): Promise<Made>
  /** The network reports a payment of the QR code's amount, or of 1 500,50. */
  report(made: Made, status: 'COMPLETED' | 'DECLINED'): Promise<void>
  cancel(made: Made): Promise<void>
  /** The status in the API. */
  status(made: Made): Promise<string>
  /** A request below the site's path. */
  ask(
    below: string,
    init?: { method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Response>
}

export const SUM = 1500.5

/** Opens a new site, with the settings that a payer sees. */
export async function openShop(
  { address, secret }: RunningService,
  settings: Record<string, unknown> = { name: 'Чайная лавка', supportContact: '+7 800 555-01-00' },
): Promise<Shop> {
  const siteId = `shop-${crypto.randomUUID()}`
  const token = (scope: 'merchant:admin' | 'network') => mintToken(secret, { siteId, scope, days: 1 })
  const [merchant, network] = [await token('merchant:admin'), await token('network')]
  const send = async (
    bearer: string,
    path: string,
    { method, body, headers }: Parameters<Shop['ask']>[1] = {},
  ) =>
    fetch(address + path, {
      method: method ?? 'GET',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const ask: Shop['ask'] = (below, init) => send(merchant, `/payin/v1/sites/${siteId}${below}`, init)
  const item = ({ uid }: { uid: string }) => `/sbp/qrCodes/${uid}`
  const good = async (response: Response) => {
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return response
  }
  await good(await ask('/settings', { method: 'PUT', body: settings }))
  return {
    siteId,
    ask,
    async make(body, qrCode) {
      const uid = crypto.randomUUID()
      const response = await ask(item({ uid }), {
        method: 'PUT',
        body: {
          qrCode: { type: 'DYNAMIC', ttl: 15, ...qrCode },
          amount: { value: SUM },
          paymentPurpose: 'Заказ № 1001: две кружки и чайник',
          ...body,
        },
      })
      const { qrCode: made, pageUrl } = QrCodeAnswer.parse(await (await good(response)).json())
      return { uid, payload: made.payload, page: pageUrl }
    },
    async report({ payload }, status) {
      const qrcId = /\/([^/?]+)\?/.exec(payload)?.[1]
      const path = `/network/v1/sites/${siteId}/qrCodes/${qrcId}/payments/${crypto.randomUUID()}`
      const body = { status, amount: { value: SUM, currency: 'RUB' } }
      await good(await send(network, path, { method: 'PUT', body }))
    },
    async cancel(made) {
      await good(await ask(item(made), { method: 'DELETE' }))
    },
    async status(made) {
      return QrCodeAnswer.parse(await (await ask(item(made))).json()).qrCode.status
    },
  }
}
