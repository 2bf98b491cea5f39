// The pages of receipts, in one module that is loaded with the first of them.
import { closingForm, makeClosing } from './closing.ts'
import { file } from './file.ts'
import { list } from './list.ts'
import { makeForm, makeReceipt } from './make.ts'
import { receiptsOf } from './of-payment.ts'
import { registerPart, registerRules, typedRegister } from './register.ts'
import { retry, retryForm } from './retry.ts'
import { saveSettings, settings } from './settings.ts'

export const RECEIPT_PAGES = {
  ...{ receiptsOf, registerPart, registerRules, typedRegister },
  routes: {
    ...{ list, file, settings, saveSettings },
    ...{ retryForm, retry, makeForm, make: makeReceipt, closingForm, close: makeClosing },
  },
}
