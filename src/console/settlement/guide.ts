// The guide of settlement, from the pages of the console.
import { html } from 'hono/html'
import type { Html } from '../../web/layout.ts'
import { SETTLEMENT_TEXTS } from '../texts-settlement.ts'
import type { Visit } from '../visit.ts'

export const guideAddress = ({ root, language }: Visit): string =>
  `${root}docs/${language === 'ru' ? 'ru/' : ''}guides/settlement/`

/** The guide says where each bank has its file. */
export const guideLink = (visit: Visit): Html =>
  html`<a href="${guideAddress(visit)}">${SETTLEMENT_TEXTS[visit.language].guide}</a>`
