// The pages for people, in one module that is loaded with the first of them (docs/decisions/0137-pages-for-people-are-a-module.md).
import { takeContact } from '../gateway/typed-contact.ts'
import { errorPage, notFoundPage } from './error-page.ts'
import { healthPage } from './health-page.ts'
import { createDemo, home } from './home.ts'
import { banksPage } from './payer/banks-page.ts'
import { payerPage } from './payer/page.ts'
import { printView } from './payer/print-view.ts'
import { payerViews } from './payer/view.ts'

export const PAGES = {
  ...{ home, createDemo, healthPage, errorPage, notFoundPage },
  ...{ payerViews, payerPage, printView, banksPage, takeContact },
}
