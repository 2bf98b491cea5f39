// <fps-qr-payment session="payses_…" key="pk_…">: the QR code of a payment session, and whether it is paid.
import { PaymentElement } from './payment-element.js'

class FpsQrPayment extends PaymentElement {
  static observedAttributes = ['session']

  async read() {
    const session = encodeURIComponent(this.getAttribute('session') ?? '')
    const response = await fetch(new URL(`/store/fps-qr/payments/${session}`, import.meta.url), {
      headers: { 'x-publishable-api-key': this.getAttribute('key') ?? '' },
    })
    if (response.status === 404) return undefined
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    return response.json()
  }
}

customElements.define('fps-qr-payment', FpsQrPayment)
