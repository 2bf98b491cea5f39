// The second confirmation: a form that the object refuses without one is shown with its fields, and comes again with an assertion for
// it (contract, section 12).
import { html } from 'hono/html'
import type { Confirmation, PersonClaims } from '../contract/caller.ts'
import type { Person } from '../contract/person.ts'
import { ApiError, ERRORS } from '../errors.ts'
import { recordError } from '../http/error-handler.ts'
import { originOf } from '../http/path.ts'
import { type RelyingParty, relyingParty } from '../passkeys/relying-party.ts'
import { readOwnPerson } from './own-access.ts'
import { consolePage } from './page.ts'
import { facts } from './parts.ts'
import { passkeys } from './passkeys.ts'
import { CONFIRMATION_TEXTS } from './texts-confirmation.ts'
import type { Confirmed, Route, Visit } from './visit.ts'

/** The field with the JSON of the credential. */
const ASSERTION = 'assertion'

/** A form of a person. */
interface Sent {
  visit: Visit
  person: PersonClaims
  route: Route
  /** Without the assertion. */
  fields: URLSearchParams
}

/**
 * Handles a form of a person, and asks for a confirmation where its act needs one.
 * @param confirmedVisit the same visit, whose calls have the confirmation
 */
export async function handleForm(
  { visit, person, route }: Omit<Sent, 'fields'>,
  confirmedVisit: (confirmation: Confirmation) => Visit,
): Promise<Response> {
  const fields = await visit.form()
  const response = fields.get(ASSERTION)
  fields.delete(ASSERTION)
  const sent = { visit, person, route, fields }
  const confirmation = response === null ? undefined : await confirmationIn(sent, response)
  if (response !== null && !confirmation) return ask(sent, 'refused')
  try {
    return await route.handle(confirmation ? confirmedVisit(confirmation) : visit)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'confirmation.required') throw error
    recordError(visit.c, error)
    return ask(sent, confirmation && 'used')
  }
}

/** The assertion of a form, once it is verified: it is of a passkey of the person, for this form and this session. */
async function confirmationIn(sent: Sent, response: string): Promise<Confirmation | undefined> {
  const { visit } = sent
  const { config, random } = visit.service
  const party = relyingParty(config, originOf(visit.c))
  if (!party) return undefined
  const person = await readOwnPerson(visit)
  const { verifyAssertion } = await passkeys()
  const { purpose, bound, now } = await useOf(sent)
  for (const passkey of person.passkeys) {
    const verified = await verifyAssertion({
      relyingParty: party,
      challenge: { secrets: config.secrets, purpose, bound, now },
      response,
      // The object compares the counter, in the transaction that stores it.
      passkey: { ...passkey, handle: person.handle, counter: 0 },
    })
    if (!verified.ok) continue
    const { counter, challenge } = verified.value
    return {
      challenge: challenge.id,
      expiresAt: challenge.exp,
      passkeyId: passkey.id,
      counter,
      request: random(16).toHex(),
    }
  }
  return undefined
}

/** What a challenge is bound to: the session, and this form with its address and fields. */
async function useOf({ visit, person, fields }: Sent) {
  const { pathname, search } = new URL(visit.c.req.url)
  // A browser sends each line break of a text as CR LF.
  const entries = Array.from(fields, ([name, value]) => [name, value.replaceAll(/\r\n?/g, '\n')])
  const form = new TextEncoder().encode(JSON.stringify([pathname + search, entries]))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', form)).toHex()
  const bound = JSON.stringify([person.sub, person.person.session, hash])
  return { purpose: 'confirm', bound, now: visit.now } as const
}

/** The page that asks. @param problem why it asks again */
async function ask(sent: Sent, problem?: 'refused' | 'used'): Promise<Response> {
  const { visit, route, fields } = sent
  const party = relyingParty(visit.config, originOf(visit.c))
  if (!party) throw new ApiError('confirmation.required', 'passkeys are off at this address')
  const options = await optionsOf(sent, party, await readOwnPerson(visit))
  const texts = CONFIRMATION_TEXTS[visit.language]
  const {
    title = texts.change,
    rows = [],
    back = '',
  }: Partial<Confirmed> = (await route.confirms?.(visit, fields)) ?? {}
  return consolePage(visit, {
    title: texts.title,
    // The section where the form was.
    active: back.split(/[/#?]/)[0] || 'confirmation',
    isNarrow: true,
    status: ERRORS['confirmation.required'].status,
    main: html`<h1>${texts.title}</h1>
      ${problem && html`<p class="alert" role="alert"><strong>${texts[problem]}</strong></p>`}
      <section class="card"><h2>${title}</h2>${facts(rows)}</section>
      <form method="post" data-passkey="get" data-options="${JSON.stringify(options)}">
        ${Array.from(fields, ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
        <input type="hidden" name="${ASSERTION}" data-response>
        <p class="alert" role="alert" data-failed hidden><strong>${texts.failed}</strong></p>
        <p class="warn" data-unsupported hidden>${texts.unsupported}</p>
        <noscript><p class="warn">${texts.noScript}</p></noscript>
        <p class="hint">${texts.lead}</p>
        <div class="actions"><button class="primary" hidden>${texts.confirm}</button><a href="${visit.base}${back}">${texts.cancel}</a></div>
      </form>
      <script src="${visit.root}passkeys.js" type="module"></script>`,
  })
}

async function optionsOf(sent: Sent, party: RelyingParty, person: Person): Promise<object> {
  const { config, random } = sent.visit.service
  const { requestOptions } = await passkeys()
  return requestOptions({
    relyingParty: party,
    challenge: { secret: config.secrets[0], id: random(16), ...(await useOf(sent)) },
    passkeys: person.passkeys.map(({ id }) => id),
  })
}
