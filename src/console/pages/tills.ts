// Tills: COUNTER codes, each with its latest payment.
import { html } from 'hono/html'
import type { QrCode } from '../../contract/qr-code.ts'
import { seeOther } from '../../http/response.ts'
import type { Html } from '../../web/layout.ts'
import { money } from '../../web/payer/formats.ts'
import { when } from '../formats.ts'
import { consolePage } from '../page.ts'
import {
  asked,
  codeAddress,
  empty,
  type FormError,
  field,
  formError,
  pageCursor,
  pager,
  table,
  textsOf,
} from '../parts.ts'
import { CODE_TEXTS } from '../texts-codes.ts'
import { PEOPLE, READERS, type Route, type Visit, WRITERS } from '../visit.ts'

export const TILLS: readonly Route[] = [
  { method: 'get', path: '/tills', scopes: PEOPLE, handle: (visit) => tills(visit) },
  { method: 'post', path: '/tills', scopes: WRITERS, handle: createTill },
]

interface Tried extends FormError {
  value: string
}

async function tills(visit: Visit, tried?: Tried): Promise<Response> {
  const texts = CODE_TEXTS[visit.language].tills
  const { qrCodes, next } = await visit.call('listQrCodes', {
    query: { type: 'COUNTER', status: 'CREATED', cursor: asked(visit, 'cursor') },
  })
  const [only, ...others] = qrCodes
  if (asked(visit, 'first') && only && others.length === 0)
    return seeOther(visit.c, codeAddress(visit.base, only.qrCodeUid, true))
  const title = textsOf(visit).nav.tills
  const main = html`<h1>${title}</h1>
    <section class="card" data-live>${
      qrCodes.length > 0
        ? tillsTable(qrCodes, visit)
        : empty(texts.none, visit.may(...WRITERS) ? texts.noneAdvice : texts.askForOne)
    }</section>
    ${pager(visit, pageCursor(next))}
    ${
      visit.may(...WRITERS) &&
      html`<form class="card" method="post"><h2>${texts.newTill}</h2>${tried?.alert}
      ${field({
        name: 'uid',
        label: texts.name,
        value: tried?.value,
        hint: texts.nameHint,
        isRequired: true,
        maxLength: 200,
      })}
      <button class="primary">${texts.create}</button></form>`
    }`
  return consolePage(visit, {
    title,
    main,
    active: 'tills',
    feed: visit.may(...READERS) ? visit.feed : undefined,
    status: tried?.status ?? 200,
  })
}

/** The tills, each with the latest payment. */
function tillsTable(codes: readonly QrCode[], visit: Visit): Html {
  const texts = CODE_TEXTS[visit.language].tills
  const shared = textsOf(visit)
  return table(
    [
      [texts.till, 'name'],
      [texts.lastPaid, 'when'],
      [shared.amount, 'sum'],
    ],
    codes.map(({ qrCodeUid, payment }) => [
      html`<a href="${codeAddress(visit.base, qrCodeUid, true)}"><bdi>${qrCodeUid}</bdi></a>`,
      // A cashier sees no payment of others: none is shown, and none is denied.
      payment ? when(payment.at, visit) : visit.may(...READERS) && texts.neverPaid,
      payment && money(payment.amount, visit.language),
    ]),
    shared.nav.tills,
  )
}

async function createTill(visit: Visit): Promise<Response> {
  const uid = (await visit.form()).get('uid')?.trim() ?? ''
  try {
    await visit.call('createQrCode', { body: { qrCodeUid: uid, qrCode: { type: 'COUNTER' } } })
  } catch (error) {
    const rules = { qrCodeUid: CODE_TEXTS[visit.language].tills.badName }
    return tills(visit, { ...formError(error, visit, rules), value: uid })
  }
  return seeOther(visit.c, codeAddress(visit.base, uid, true))
}
