// The request and its answer on the start page: those of a QR code for 10.50.
import { formatLink } from '../fps/link.ts'
import { curl, jsonBody, quoted } from './curl.ts'

const REQUEST =
  '{"qrCodeUid": "order-1",\n       "qrCode": {"type": "DYNAMIC"},\n       "amount": {"value": "10.50"}}'

/** @param address the service's own */
export function example(address: string): { request: string; answer: string } {
  const payload = formatLink({
    base: 'https://qr.nspk.ru',
    id: 'AD100004BAL7227F9BNP6KNE007J9B3K',
    type: 'DYNAMIC',
    bank: '100000000007',
    amount: { minorUnits: 1050, currency: 'RUB' },
  })
  const page = payload.replace('https://qr.nspk.ru', `${address}/pay/demo`)
  return {
    request: curl(quoted(`${address}/payin/v1/sites/demo/sbp/qrCodes`), jsonBody(REQUEST)),
    answer: JSON.stringify(
      {
        qrCodeUid: 'order-1',
        qrCode: { type: 'DYNAMIC', ttl: 4320, payload, status: 'CREATED' },
        createdOn: '2026-11-20T20:10:32+03:00',
        expiresOn: '2026-11-23T20:10:32+03:00',
        pageUrl: page,
        amount: { value: '10.50', currency: 'RUB' },
      },
      null,
      2,
    ),
  }
}
