// What the buttons of the sandbox bank do on the payer's page (contract, sections 10 and 13).
import { CUSTOMER_REFUSED } from '../../contract/payment.ts'
import type { QrCode } from '../../contract/qr-code.ts'
import type { SiteContext } from '../../gateway/context.ts'
import { sandboxBank } from '../../gateway/load-sandbox-bank.ts'
import type { QrCodeKey } from '../../site/qr-codes/rows.ts'
import { typedAmount } from '../typed-amount.ts'

interface Pressed {
  site: SiteContext
  key: QrCodeKey
  qrCode: QrCode
}

/**
 * Carries out a button for a QR code that can be paid.
 * @param currency in which an amount is typed
 * @returns what was typed, where it is no amount; else the payment that completed
 */
export async function simulate(
  { site, key, qrCode }: Pressed,
  form: URLSearchParams,
  currency: string,
): Promise<{ invalidAmount: string } | { paymentUid?: string }> {
  const { bindInSandbox, payInSandbox } = await sandboxBank()
  const agrees = form.get('action') === 'pay'
  // A bank that declines gives no reason of the customer's.
  const reason = form.get('action') === 'decline-by-bank' ? undefined : CUSTOMER_REFUSED
  if (qrCode.type === 'TOKEN') {
    if (agrees) await bindInSandbox(site, key, 'CREATED')
    else await bindInSandbox(site, key, 'REJECTED', reason)
    return {}
  }
  const typed = form.get('amount') ?? ''
  const amount = qrCode.sale?.amount ?? qrCode.amount ?? typedAmount(typed, currency)
  if (!amount) return { invalidAmount: typed }
  const binding = agrees && qrCode.createToken ? (form.has('remember') ? 'CREATED' : 'REJECTED') : undefined
  const { payment } = await payInSandbox(
    site,
    key,
    agrees ? { status: 'COMPLETED', amount, binding } : { status: 'DECLINED', amount, binding, reason },
  )
  return agrees ? { paymentUid: payment.paymentUid } : {}
}
