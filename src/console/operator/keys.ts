// The keys of operators: who has one, when it was used, and its revocation.
import { html } from 'hono/html'
import { ApiError } from '../../errors.ts'
import { when } from '../formats.ts'
import { afterRevocation, keyState, lastUse, revocationForm } from '../keys.ts'
import { consolePage } from '../page.ts'
import { type FormError, facts, formError, notice, pathOf, table } from '../parts.ts'
import { KEY_TEXTS } from '../texts-keys.ts'
import { OPERATOR_TEXTS } from '../texts-operator.ts'
import { OPERATOR_READERS, OPERATORS, type Route, type Visit } from '../visit.ts'

const PATH = '/operator/keys'

export const OPERATOR_KEYS: readonly Route[] = [
  { method: 'get', path: PATH, scopes: OPERATOR_READERS, handle: showKeys },
  {
    method: 'get',
    path: `${PATH}/:id/revoke`,
    scopes: OPERATORS,
    handle: (visit) => askToRevoke(visit),
  },
  { method: 'post', path: `${PATH}/:id/revoke`, scopes: OPERATORS, handle: revokeKey },
]

async function showKeys(visit: Visit): Promise<Response> {
  const texts = OPERATOR_TEXTS[visit.language].keys
  const shared = KEY_TEXTS[visit.language]
  const keys = await visit.call('listOperatorKeys')
  const rows = keys
    .toReversed()
    .map((key) => [
      html`<bdi>${key.label || shared.unnamed}</bdi>${
        key.id === visit.claims.jti && html` <small>${shared.own}</small>`
      } <code class="uid">${key.id}</code>`,
      keyState(key, visit),
      lastUse(key, visit),
      when(key.expiresAt, visit),
      key.revokedAt === undefined &&
        visit.may(...OPERATORS) &&
        html`<a class="button" href="${addressOf(visit, key.id)}">${shared.revoke}</a>`,
    ])
  return consolePage(visit, {
    title: texts.title,
    active: 'operator/keys',
    main: html`<h1>${texts.title}</h1>${notice(visit, shared.done)}<p>${texts.lead}</p>
      <p><code>npm run -s token -- '*' --scope operator --label anna --days 90</code></p>
      <section class="card">${table(
        [
          [shared.name, 'name'],
          [shared.state, 'state'],
          [shared.lastUsed],
          [shared.expires],
          [shared.action],
        ],
        rows,
        texts.title,
      )}<p class="hint">${shared.lastUsedHint}</p></section>`,
  })
}

const addressOf = ({ base }: Visit, id: string): string =>
  `${base}operator/keys/${encodeURIComponent(id)}/revoke`

async function askToRevoke(visit: Visit, refused?: FormError): Promise<Response> {
  const texts = KEY_TEXTS[visit.language]
  const { id = '' } = pathOf(visit, '/{id}/revoke')
  const key = (await visit.call('listOperatorKeys')).find((each) => each.id === id)
  if (!key) throw new ApiError('payin.resource.not.found', 'there is no such key')
  return consolePage(visit, {
    title: texts.revokeTitle,
    active: 'operator/keys',
    isNarrow: true,
    status: refused?.status ?? 200,
    main: html`<h1>${texts.revokeTitle}</h1>${refused?.alert}
      <section class="card">${facts([
        [texts.name, key.label || texts.unnamed],
        [texts.id, html`<code>${key.id}</code>`],
      ])}
      ${revocationForm(id, visit, `${visit.base}operator/keys`)}</section>`,
  })
}

async function revokeKey(visit: Visit): Promise<Response> {
  const { id: keyId = '' } = pathOf(visit, '/{id}/revoke')
  try {
    await visit.call('revokeOperatorKey', { path: { keyId } })
  } catch (error) {
    const { lastOne } = OPERATOR_TEXTS[visit.language].keys
    return askToRevoke(visit, formError(error, visit, { 'payin.incorrect-method-invocation': lastOne }))
  }
  return afterRevocation(keyId, visit, `${visit.base}operator/keys`)
}
