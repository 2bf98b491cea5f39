// The storefront of the demo: one page. A real one is a site of its own that calls the same addresses.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http'
import { ContainerRegistrationKeys } from '@medusajs/framework/utils'

const page = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8')

export async function GET({ scope, headers }: MedusaRequest, response: MedusaResponse): Promise<void> {
  const query = scope.resolve(ContainerRegistrationKeys.QUERY)
  const { data } = await query.graph({
    entity: 'api_key',
    fields: ['token'],
    filters: { type: 'publishable' },
  })
  const lang = headers['accept-language']?.startsWith('en') ? 'en' : 'ru'
  response
    .type('html')
    .send(page.replace('{key}', String(data[0]?.token)).replace('lang="ru"', `lang="${lang}"`))
}
