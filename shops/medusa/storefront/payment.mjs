// <fps-qr-payment session="payses_…" key="pk_…">: the QR code of a payment session, and whether it is paid.
import { PaymentElement } from './payment-element.js'

class FpsQrPayment extends PaymentElement {
  static observedAttributes = ['session', 'key']

  get payment() {
    return this.getAttribute('session')
  }

  async read(session, signal) {
    const path = `../store/fps-qr/payments/${encodeURIComponent(session)}`
    const response = await fetch(new URL(path, import.meta.url), {
      headers: { 'x-publishable-api-key': this.getAttribute('key') ?? '' },
      signal,
    })
    const answer = await response.json()
    // Any other 404 is not of the shop.
    if (response.status === 404 && answer.type === 'not_found') return undefined
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    return answer
  }
}

customElements.define('fps-qr-payment', FpsQrPayment)
