// Serves the storefront of the demonstration: a page and its script.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Controller, Get, Header } from '@nestjs/common'
import { PluginCommonModule, VendurePlugin } from '@vendure/core'

/** From `dist/demo`. */
const read = (file: string) => readFileSync(join(__dirname, '../..', file), 'utf8')

@Controller()
class Storefront {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  page(): string {
    return read('demo/page.html')
  }

  @Get('storefront/shop.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  script(): string {
    return read('demo/page.mjs')
  }
}

@VendurePlugin({ imports: [PluginCommonModule], controllers: [Storefront], compatibility: '^3.7.0' })
export class StorefrontPlugin {}
