// The refusal that Medusa answers with 400, and shows to the person who asked.
import { MedusaError } from '@medusajs/framework/utils'

export const refused = (message: string): MedusaError =>
  new MedusaError(MedusaError.Types.NOT_ALLOWED, message)
