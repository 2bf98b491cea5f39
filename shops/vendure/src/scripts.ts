// The component of the storefront: `<script type="module" src="…/fps-qr/payment.js">`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Controller, Get, Header } from '@nestjs/common'
import { ROUTE } from './notifications'

/** From `dist/src`. */
const component = readFileSync(join(__dirname, '../../storefront/payment.mjs'), 'utf8')
const element = readFileSync(require.resolve('@fps-qr/client/payment-element'), 'utf8')

@Controller(ROUTE)
export class FpsQrScripts {
  @Get('payment.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'max-age=300')
  @Header('Access-Control-Allow-Origin', '*')
  component(): string {
    return component
  }

  @Get('payment-element.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'max-age=300')
  @Header('Access-Control-Allow-Origin', '*')
  element(): string {
    return element
  }
}
