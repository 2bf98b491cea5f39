// What a shop sells: a region of roubles, a delivery, tea. Does nothing in a shop that has a product.
import type { MedusaContainer } from '@medusajs/framework/types'
import { ContainerRegistrationKeys, Modules, ProductStatus } from '@medusajs/framework/utils'
import {
  createProductsWorkflow,
  createRegionsWorkflow,
  createShippingOptionsWorkflow,
  createShippingProfilesWorkflow,
  createStockLocationsWorkflow,
  createUserAccountWorkflow,
  linkSalesChannelsToStockLocationWorkflow,
} from '@medusajs/medusa/core-flows'
import { ADMIN } from './admin.ts'

/** @returns the publishable key of the storefront, which Medusa makes with its first start */
export async function seed(container: MedusaContainer): Promise<string> {
  const [key] = await container.resolve(Modules.API_KEY).listApiKeys({ type: 'publishable' })
  if (!key) throw new Error('the shop has no publishable key')
  const [, products] = await container.resolve(Modules.PRODUCT).listAndCountProducts()
  if (products === 0) await seedNew(container)
  return key.token
}

async function seedNew(container: MedusaContainer): Promise<void> {
  const [channel] = await container.resolve(Modules.SALES_CHANNEL).listSalesChannels()
  if (!channel) throw new Error('the shop has no sales channel')
  await createRegionsWorkflow(container).run({
    input: {
      regions: [
        { name: 'Россия', currency_code: 'rub', countries: ['ru'], payment_providers: ['pp_fps-qr_sbp'] },
      ],
    },
  })
  const { result: profiles } = await createShippingProfilesWorkflow(container).run({
    input: { data: [{ name: 'Tea', type: 'default' }] },
  })
  const profileId = profiles[0]?.id ?? ''
  await addDelivery(container, channel.id, profileId)
  await createProductsWorkflow(container).run({
    input: {
      products: [
        {
          title: 'Чай «Утро»',
          status: ProductStatus.PUBLISHED,
          shipping_profile_id: profileId,
          sales_channels: [{ id: channel.id }],
          options: [{ title: 'Вес', values: ['100 г'] }],
          variants: [
            {
              title: '100 г',
              manage_inventory: false,
              options: { Вес: '100 г' },
              prices: [{ amount: 250, currency_code: 'rub' }],
            },
          ],
        },
      ],
    },
  })
  await addAdmin(container)
}

async function addDelivery(container: MedusaContainer, channelId: string, profileId: string): Promise<void> {
  const link = container.resolve(ContainerRegistrationKeys.LINK)
  const { result: locations } = await createStockLocationsWorkflow(container).run({
    input: { locations: [{ name: 'Склад', address: { address_1: '', country_code: 'ru' } }] },
  })
  const locationId = locations[0]?.id ?? ''
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: locationId },
    [Modules.FULFILLMENT]: { fulfillment_provider_id: 'manual_manual' },
  })
  const set = await container.resolve(Modules.FULFILLMENT).createFulfillmentSets({
    name: 'Доставка',
    type: 'shipping',
    service_zones: [{ name: 'Россия', geo_zones: [{ country_code: 'ru', type: 'country' }] }],
  })
  await link.create({
    [Modules.STOCK_LOCATION]: { stock_location_id: locationId },
    [Modules.FULFILLMENT]: { fulfillment_set_id: set.id },
  })
  await createShippingOptionsWorkflow(container).run({
    input: [
      {
        name: 'Курьер',
        price_type: 'flat',
        provider_id: 'manual_manual',
        service_zone_id: set.service_zones[0]?.id ?? '',
        shipping_profile_id: profileId,
        type: { label: 'Курьер', description: 'Завтра', code: 'courier' },
        prices: [{ currency_code: 'rub', amount: 99.9 }],
        rules: [
          { attribute: 'enabled_in_store', operator: 'eq', value: 'true' },
          { attribute: 'is_return', operator: 'eq', value: 'false' },
        ],
      },
    ],
  })
  await linkSalesChannelsToStockLocationWorkflow(container).run({
    input: { id: locationId, add: [channelId] },
  })
}

async function addAdmin(container: MedusaContainer): Promise<void> {
  const { authIdentity, error } = await container.resolve(Modules.AUTH).register('emailpass', { body: ADMIN })
  if (!authIdentity) throw new Error(error ?? 'the user of the admin was not made')
  await createUserAccountWorkflow(container).run({
    input: { authIdentityId: authIdentity.id, userData: { email: ADMIN.email } },
  })
}
