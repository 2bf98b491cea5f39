// Joining by an invitation: the guest makes a passkey, and is signed in (contract, section 17).
import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { OPERATOR } from '../contract/access-token.ts'
import type { Invited } from '../contract/person.ts'
import { ApiError } from '../errors.ts'
import { callPeople, callRegistry } from '../gateway/site-client.ts'
import type { AppEnv } from '../http/app-env.ts'
import { limitRate } from '../http/auth.ts'
import { readForm } from '../http/body.ts'
import { recordError } from '../http/error-handler.ts'
import { type InvitationLink, readInvitation } from '../http/invitations.ts'
import { originOf } from '../http/path.ts'
import { seeOther, withCookies } from '../http/response.ts'
import { relyingParty } from '../passkeys/relying-party.ts'
import { alonePage } from './alone-page.ts'
import { languageOf } from './cookies.ts'
import { deviceName } from './device-name.ts'
import type { ConsoleHost } from './host.ts'
import { consoleOf, homeOf } from './locations.ts'
import { passkeyForm, RESPONSE } from './passkey-form.ts'
import { passkeys } from './passkeys.ts'
import { personCookies } from './sessions.ts'
import { PEOPLE_TEXTS } from './texts-people.ts'

/** Bytes of a form with the answer of an authenticator. */
export const MAX_PASSKEY_FORM = 32 * 1024

export function joinRoutes(app: Hono<AppEnv>, { service }: ConsoleHost): void {
  const { config } = service
  const seconds = () => Math.floor(service.now() / 1000)

  /** Whom a code invites; undefined for one that cannot be used. */
  async function invitation(c: Context<AppEnv>, code: string) {
    const link = await readInvitation(config.secrets, code, seconds())
    if (!link) return undefined
    const { siteId, invitationId } = link
    c.set('siteId', siteId)
    await limitRate(service, 'form', siteId, invitationId)
    const guest = await callPeople({ service, siteId, isRead: true }, (site) => site.invited(invitationId))
    return guest && { link, guest }
  }

  app.get('/console/join', async (c) => {
    const code = c.req.query('code') ?? ''
    const invited = await invitation(c, code)
    return invited ? invitationPage(c, code, invited) : endedPage(c)
  })

  app.post('/console/join', async (c) => {
    const form = await readForm(c, service, MAX_PASSKEY_FORM)
    const code = form.get('code') ?? ''
    const invited = await invitation(c, code)
    const party = relyingParty(config, originOf(c))
    if (!invited || !party) return endedPage(c)
    const { siteId, invitationId } = invited.link
    const { verifyRegistration } = await passkeys()
    const verified = await verifyRegistration({
      relyingParty: party,
      challenge: { secrets: config.secrets, purpose: 'join', bound: invitationId, now: seconds() },
      response: form.get(RESPONSE),
    })
    if (!verified.ok) return invitationPage(c, code, invited, true)
    const { challenge: _, ...made } = verified.value
    const passkey = { ...made, label: deviceName(c.req.header('User-Agent')) }
    const session = service.random(16).toHex()
    try {
      // Before the passkey is stored: a sign-in by it finds its site here.
      await callRegistry(service, (registry) => registry.recordHandle(invited.guest.handle, siteId))
      const begun = await callPeople({ service, siteId }, (site) => site.join(invitationId, passkey, session))
      c.set('personId', begun.personId)
      return withCookies(seeOther(c, `./${homeOf(siteId)}`), await personCookies(c, service, siteId, begun))
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'auth.unauthorized') throw error
      recordError(c, error)
      return endedPage(c)
    }
  })

  async function invitationPage(
    c: Context<AppEnv>,
    code: string,
    { link, guest }: { link: InvitationLink; guest: Invited },
    hasFailed = false,
  ): Promise<Response> {
    const language = languageOf(c)
    const texts = PEOPLE_TEXTS[language].join
    const party = relyingParty(config, originOf(c))
    const shop = guest.shop ?? (link.siteId === OPERATOR ? texts.deployment : link.siteId)
    const role = PEOPLE_TEXTS[language].roles[guest.role][0]
    const content = html`<h1>${texts.title(guest.name)}</h1><p>${texts.lead(shop, role)}</p>
      ${hasFailed && html`<p class="alert" role="alert"><strong>${texts.failedNow}</strong></p>`}
      ${party ? await form(party) : html`<p class="warn">${texts.off}</p>`}`
    return alonePage(c, config, {
      title: texts.title(guest.name),
      main: content,
      status: hasFailed ? 401 : 200,
    })

    async function form(party: NonNullable<ReturnType<typeof relyingParty>>) {
      const { creationOptions } = await passkeys()
      const options = await creationOptions({
        relyingParty: party,
        challenge: {
          secret: config.secrets[0],
          id: service.random(16),
          purpose: 'join',
          bound: link.invitationId,
          now: seconds(),
        },
        shop,
        person: guest,
      })
      return html`<p>${texts.how}</p>${passkeyForm({
        language,
        root: `${consoleOf(c)}../`,
        method: 'create',
        options,
        action: 'join',
        button: texts.create,
        fields: { code },
        exists: texts.exists,
      })}`
    }
  }

  /** One page for all: used, replaced, expired, or of a removed person. */
  function endedPage(c: Context<AppEnv>): Promise<Response> {
    const { endedTitle, ended } = PEOPLE_TEXTS[languageOf(c)].join
    return alonePage(c, config, {
      title: endedTitle,
      main: html`<h1>${endedTitle}</h1><p>${ended}</p>`,
      status: 401,
    })
  }
}
