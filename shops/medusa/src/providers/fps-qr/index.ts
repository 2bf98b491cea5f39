// The payment module provider, as medusa-config names it.
import { ModuleProvider, Modules } from '@medusajs/framework/utils'
import { FpsQrPaymentProvider } from './provider.js'

export default ModuleProvider(Modules.PAYMENT, { services: [FpsQrPaymentProvider] })
