// The matrix of rights: each scope asks for each route of the console, over HTTP (contract, sections 2 and 17).
import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../src/console/console.ts'
import { OPERATOR_SCOPES, SCOPES } from '../../src/contract/access-token.ts'
import { browserOf } from '../support/console.ts'

const ALL = 'merchant merchant:read merchant:accounting merchant:admin merchant:till'
const READ = 'merchant merchant:read merchant:accounting merchant:admin'
const WRITE = 'merchant merchant:admin'
const SELL = 'merchant merchant:admin merchant:till'
const ADMIN = 'merchant:admin'
const ACCOUNTING = 'merchant:accounting merchant:admin'
const OPERATOR = 'operator'
const SUPPORT = 'operator operator:read'
/** Only a person has devices: a session of a token gets 403, whatever its scope. */
const OWN = ''
/** A cashier is led from the first page to the tills. */
const HOME = ALL

/** The scopes that each route accepts: a new route needs a row. */
const ALLOWED: Record<string, string> = {
  'get /operator/me': OWN,
  'get /operator/new-site': OPERATOR,
  'get /operator/people': OPERATOR,
  'get /operator/people/:id': OPERATOR,
  'get /operator/people/:id/remove': OPERATOR,
  'post /operator/me/passkeys': OWN,
  'post /operator/me/passkeys/remove': OWN,
  'post /operator/me/sessions': OWN,
  'post /operator/new-site': OPERATOR,
  'post /operator/people': OPERATOR,
  'post /operator/people/:id': OPERATOR,
  'post /operator/people/:id/invite': OPERATOR,
  'post /operator/people/:id/passkeys/:passkeyId/remove': OPERATOR,
  'post /operator/people/:id/remove': OPERATOR,
  'post /operator/people/:id/sign-out': OPERATOR,
  'post /operator/sites/:siteId/owners': OPERATOR,
  'post /operator/sites/:siteId/owners/:id/invite': OPERATOR,
  'get /': HOME,
  'get /accounts': WRITE,
  'get /addresses': ADMIN,
  'get /addresses/:callback/keys': ADMIN,
  'get /addresses/:id': ADMIN,
  'get /addresses/:id/remove': ADMIN,
  'get /events': READ,
  'get /feed': READ,
  'get /keys': ADMIN,
  'get /keys/:id/revoke': ADMIN,
  'get /me': OWN,
  'get /new': WRITE,
  'get /notification-keys': ADMIN,
  'get /notifications': READ,
  'get /notifications/:id': READ,
  'get /operator/audit': SUPPORT,
  'get /operator/settlement': SUPPORT,
  'get /operator/keys': SUPPORT,
  'get /operator/keys/:id/revoke': OPERATOR,
  'get /operator/sites': SUPPORT,
  'get /operator/sites/:siteId': SUPPORT,
  'get /operator/sites/:siteId/export': OPERATOR,
  'get /operator/stuck': SUPPORT,
  'get /payments': READ,
  'get /payments.csv': READ,
  'get /payments/:id': READ,
  'get /payments/:id/decision': WRITE,
  'get /payments/:id/refund': WRITE,
  'get /payments/:id/closing': WRITE,
  'get /payments/:id/receipt': WRITE,
  'get /people': ADMIN,
  'get /people/:id': ADMIN,
  'get /people/:id/remove': ADMIN,
  'get /qr': READ,
  'get /qr/:uid': READ,
  'get /qr/:uid/:file{picture\\.(png|svg)}': ALL,
  'get /receipts': READ,
  'get /receipts.csv': READ,
  'get /receipts/:id/retry': WRITE,
  'get /receipts/settings': ADMIN,
  'get /settlement': READ,
  'get /settlement.csv': READ,
  'get /settlement.xlsx': READ,
  'get /settlement/files': READ,
  'get /settlement/files/:id': READ,
  'get /settlement/files/:id/delete': ACCOUNTING,
  'get /settlement/upload': ACCOUNTING,
  'post /settlement/files/:id/delete': ACCOUNTING,
  'post /settlement/upload': ACCOUNTING,
  'get /report.csv': READ,
  'get /search': READ,
  'get /settings': ADMIN,
  'get /tills': ALL,
  'get /tills/:uid': ALL,
  'get /tills/:uid/changes': ALL,
  'post /accounts': WRITE,
  'post /addresses': ADMIN,
  'post /addresses/:callback/keys': ADMIN,
  'post /addresses/:callback/keys/:id/activate': ADMIN,
  'post /addresses/:id': ADMIN,
  'post /addresses/:id/remove': ADMIN,
  'post /addresses/:id/test': ADMIN,
  'post /keys': ADMIN,
  'post /keys/:id/revoke': ADMIN,
  'post /me/passkeys': OWN,
  'post /me/passkeys/remove': OWN,
  'post /me/sessions': OWN,
  'post /new': WRITE,
  'post /notification-keys': ADMIN,
  'post /notification-keys/:id/activate': ADMIN,
  'post /notifications': WRITE,
  'post /notifications/:id': WRITE,
  'post /operator/keys/:id/revoke': OPERATOR,
  'post /operator/sites/:siteId/cash-register': OPERATOR,
  'post /operator/sites/:siteId/delete': OPERATOR,
  'post /operator/sites/:siteId/instructions/:instructionId/send': OPERATOR,
  'post /operator/sites/:siteId/limits': OPERATOR,
  'post /operator/sites/:siteId/restore': OPERATOR,
  'post /operator/sites/:siteId/resume': OPERATOR,
  'post /payments/:id/closing': WRITE,
  'post /payments/:id/receipt': WRITE,
  'post /receipts/:id/retry': WRITE,
  'post /receipts/settings': ADMIN,
  'post /payments/:id/decision': WRITE,
  'post /payments/:id/refund': WRITE,
  'post /people': ADMIN,
  'post /people/:id': ADMIN,
  'post /people/:id/invite': ADMIN,
  'post /people/:id/passkeys/:passkeyId/remove': ADMIN,
  'post /people/:id/remove': ADMIN,
  'post /people/:id/sign-out': ADMIN,
  'post /qr/:uid': WRITE,
  'post /settings': ADMIN,
  'post /tills': WRITE,
  'post /tills/:uid': SELL,
}

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

it('each route has a row, and each row a route', () =>
  expect(Object.keys(ALLOWED).sort()).toEqual(ROUTES.map(nameOf).sort()))

describe.each(SCOPES.filter((scope) => scope !== 'network'))('the scope %s', (scope) => {
  const isOperator = OPERATOR_SCOPES.some((one) => one === scope)
  const sub = isOperator ? '*' : `rights-${crypto.randomUUID()}`
  const browser = browserOf()
  const signedIn = browser.signIn({ sub, scope, jti: `rights-${scope}` })
  it.each(ROUTES.map(({ method, path }) => ({ method, path })))(
    'is allowed or refused $method $path as its row says',
    async (route) => {
      await signedIn
      const isOfOperator = route.path.startsWith('/operator/')
      const path = route.path.replaceAll(/:file\{[^}]*\}/g, 'picture.svg').replaceAll(/:\w+/g, 'x')
      // A poll with a good cursor waits for an event.
      const query = path === '/feed' ? '?after=x' : ''
      const address = isOfOperator || isOperator ? (isOfOperator ? path : `/sites/rights${path}`) : path
      const { status, headers } =
        route.method === 'get' ? await browser.get(address + query) : await browser.post(address)
      const isRefused =
        status === 403 || status === 401 || Boolean(headers.get('Location')?.includes('sign-in'))
      expect(isRefused ? 'refused' : 'allowed').toBe(
        ALLOWED[nameOf(route)]?.split(' ').includes(scope) ? 'allowed' : 'refused',
      )
    },
  )
})
