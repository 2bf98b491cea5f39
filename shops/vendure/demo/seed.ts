// What the demonstration shop sells, and how it is paid.
import type { INestApplicationContext } from '@nestjs/common'
import { GlobalFlag } from '@vendure/common/lib/generated-types'
import {
  ChannelService,
  CurrencyCode,
  LanguageCode,
  PaymentMethodService,
  Populator,
  ProductService,
  ProductVariantService,
  type RequestContext,
  RequestContextService,
  TaxCategoryService,
} from '@vendure/core'
import { HANDLER_CODE } from '../src/settings'

/** The payment method of the shop, by which the address for notifications is named. */
export const METHOD = 'sbp'

export interface Connected {
  baseUrl: string
  siteId: string
  token: string
  notificationKey: string
}

const PRODUCTS = [
  { slug: 'green-tea', ru: 'Зелёный чай, 100 г', en: 'Green tea, 100 g', price: 25_000 },
  { slug: 'cup', ru: 'Чашка', en: 'Cup', price: 39_990 },
]

/** Fills an empty shop; one that is filled stays. */
export async function seed(
  app: INestApplicationContext,
  connected: Connected,
  origin: string,
): Promise<void> {
  const contexts = app.get(RequestContextService)
  const first = await contexts.create({ apiType: 'admin' })
  if ((await app.get(PaymentMethodService).findAll(first)).totalItems > 0) return
  await app.get(ChannelService).update(first, {
    id: first.channelId,
    availableLanguageCodes: [LanguageCode.ru, LanguageCode.en],
    availableCurrencyCodes: [CurrencyCode.RUB],
    defaultCurrencyCode: CurrencyCode.RUB,
    defaultLanguageCode: LanguageCode.ru,
    pricesIncludeTax: true,
  })
  await app.get(Populator).populateInitialData({
    defaultLanguage: LanguageCode.ru,
    defaultZone: 'Россия',
    countries: [{ code: 'RU', name: 'Россия', zone: 'Россия' }],
    taxRates: [{ name: 'НДС', percentage: 22 }],
    shippingMethods: [{ name: 'Доставка', price: 5_000, taxRate: 22 }],
    paymentMethods: [],
    collections: [],
  })
  const ctx = await contexts.create({ apiType: 'admin' })
  await seedProducts(app, ctx)
  await app.get(PaymentMethodService).create(ctx, {
    code: METHOD,
    enabled: true,
    handler: { code: HANDLER_CODE, arguments: argumentsOf(connected, origin) },
    translations: [
      { languageCode: LanguageCode.ru, name: 'СБП', description: '' },
      { languageCode: LanguageCode.en, name: 'SBP', description: '' },
    ],
  })
}

async function seedProducts(app: INestApplicationContext, ctx: RequestContext): Promise<void> {
  const [taxCategory] = (await app.get(TaxCategoryService).findAll(ctx)).items
  for (const { slug, ru, en, price } of PRODUCTS) {
    const named = (languageCode: LanguageCode, name: string) => ({
      languageCode,
      name,
      slug,
      description: '',
    })
    const { id: productId } = await app.get(ProductService).create(ctx, {
      enabled: true,
      translations: [named(LanguageCode.ru, ru), named(LanguageCode.en, en)],
    })
    await app.get(ProductVariantService).create(ctx, [
      {
        ...{ productId, sku: slug, price, trackInventory: GlobalFlag.FALSE },
        ...(taxCategory && { taxCategoryId: taxCategory.id }),
        translations: [
          { languageCode: LanguageCode.ru, name: ru },
          { languageCode: LanguageCode.en, name: en },
        ],
      },
    ])
  }
}

const argumentsOf = (connected: Connected, origin: string) =>
  Object.entries({
    ...connected,
    testSite: 'false',
    returnUrl: `${origin}/?order={code}`,
    minutes: '60',
    receipts: 'false',
    vatFromTaxes: 'false',
    checkOnSave: 'true',
  }).map(([name, value]) => ({ name, value }))
