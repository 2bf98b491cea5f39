// The matrix of rights: each scope asks for each operation, over HTTP (contract, section 2).
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { operationsOf } from '../../src/api/operations.ts'
import { readConfig } from '../../src/config.ts'
import { OPERATOR_SCOPES, SCOPES } from '../../src/contract/access-token.ts'
import { freshSite } from '../support/admin.ts'
import { call, sandbox, tokenOf } from '../support/service.ts'

/** The scopes that each operation accepts: a new operation needs a row. */
const ALLOWED: Record<string, string> = {
  listPaymentReceipts: 'merchant merchant:read merchant:accounting merchant:admin',
  requestReceipt: 'merchant merchant:admin',
  closeReceipt: 'merchant merchant:admin',
  listReceipts: 'merchant merchant:read merchant:accounting merchant:admin',
  getReceipt: 'merchant merchant:read merchant:accounting merchant:admin',
  retryReceipt: 'merchant merchant:admin',
  reportReceipt: 'network',
  listNetworkReceipts: 'network',
  setCashRegister: 'operator',
  removeCashRegister: 'operator',
  listOwners: 'operator operator:read',
  inviteOwner: 'operator',
  inviteOwnerAgain: 'operator',
  listOperators: 'operator operator:read',
  addOperator: 'operator',
  changeOperator: 'operator',
  removeOperator: 'operator',
  inviteOperator: 'operator',
  removeOperatorPasskey: 'operator',
  endOperatorSessions: 'operator',
  addPerson: 'merchant:admin',
  changePerson: 'merchant:admin',
  removePerson: 'merchant:admin',
  invitePerson: 'merchant:admin',
  removePasskey: 'merchant:admin',
  endPersonSessions: 'merchant:admin',
  listPeople: 'merchant:admin',
  listApiKeys: 'merchant:admin',
  createApiKey: 'merchant:admin',
  revokeApiKey: 'merchant:admin',
  listAudit: 'operator operator:read',
  listSettlementsOfSites: 'operator operator:read',
  listCallbacks: 'merchant:admin',
  getCallback: 'merchant:admin',
  putCallback: 'merchant:admin',
  deleteCallback: 'merchant:admin',
  getDayReport: 'merchant merchant:read merchant:accounting merchant:admin',
  listEvents: 'merchant merchant:read merchant:accounting merchant:admin',
  listQrCodeEvents: 'merchant merchant:read merchant:accounting merchant:admin',
  getQrCodeImage: 'merchant merchant:read merchant:accounting merchant:admin merchant:till',
  listNetworkBindings: 'network',
  listWaitingCharges: 'network',
  reportPayment: 'network',
  reportBinding: 'network',
  reportRefund: 'network',
  listNotificationKeys: 'merchant:admin',
  createNotificationKey: 'merchant:admin',
  activateNotificationKey: 'merchant:admin',
  listCallbackKeys: 'merchant:admin',
  createCallbackKey: 'merchant:admin',
  activateCallbackKey: 'merchant:admin',
  listNotifications: 'merchant merchant:read merchant:accounting merchant:admin',
  groupNotifications: 'merchant merchant:read merchant:accounting merchant:admin',
  getNotification: 'merchant merchant:read merchant:accounting merchant:admin',
  redeliverNotification: 'merchant merchant:admin',
  testNotification: 'merchant merchant:admin',
  listOperatorKeys: 'operator operator:read',
  revokeOperatorKey: 'operator',
  getBankNumbers: 'merchant merchant:read merchant:accounting merchant:admin',
  getPaymentsReport: 'merchant merchant:read merchant:accounting merchant:admin',
  listPayments: 'merchant merchant:read merchant:accounting merchant:admin',
  listQrCodePayments: 'merchant merchant:read merchant:accounting merchant:admin',
  getPayment: 'merchant merchant:read merchant:accounting merchant:admin',
  decidePayment: 'merchant merchant:admin',
  createQrCode: 'merchant merchant:admin',
  putQrCode: 'merchant merchant:admin',
  getQrCode: 'merchant merchant:read merchant:accounting merchant:admin merchant:till',
  listQrCodes: 'merchant merchant:read merchant:accounting merchant:admin merchant:till',
  cancelQrCode: 'merchant merchant:admin',
  listNetworkQrCodes: 'network',
  listWaitingRefunds: 'network',
  refundPayment: 'merchant merchant:admin',
  refundQrCode: 'merchant merchant:admin',
  listRefunds: 'merchant merchant:read merchant:accounting merchant:admin',
  getRefund: 'merchant merchant:read merchant:accounting merchant:admin',
  getQrCodeRefund: 'merchant merchant:read merchant:accounting merchant:admin',
  putSale: 'merchant merchant:admin merchant:till',
  getSale: 'merchant merchant:read merchant:accounting merchant:admin merchant:till',
  listSales: 'merchant merchant:read merchant:accounting merchant:admin merchant:till',
  cancelSale: 'merchant merchant:admin merchant:till',
  paySandbox: 'merchant merchant:admin',
  bindSandbox: 'merchant merchant:admin',
  search: 'merchant merchant:read merchant:accounting merchant:admin',
  importSettlement: 'merchant:accounting merchant:admin',
  listSettlements: 'merchant merchant:read merchant:accounting merchant:admin',
  listSettlementEntries: 'merchant merchant:read merchant:accounting merchant:admin',
  getSettlement: 'merchant merchant:read merchant:accounting merchant:admin',
  deleteSettlement: 'merchant:accounting merchant:admin',
  getSettlementMonth: 'merchant merchant:read merchant:accounting merchant:admin',
  getSettings: 'merchant:admin',
  putSettings: 'merchant:admin',
  patchSettings: 'merchant:admin',
  putLogo: 'merchant:admin',
  deleteLogo: 'merchant:admin',
  deleteSite: 'operator',
  restoreSite: 'operator',
  putLimits: 'operator',
  listSites: 'operator operator:read',
  getSite: 'operator operator:read',
  sendInstruction: 'operator',
  resumeSite: 'operator',
  exportSite: 'operator',
  payByToken: 'merchant merchant:admin',
  listTokens: 'merchant merchant:admin',
  deleteToken: 'merchant merchant:admin',
}

const read = readConfig({ ...env, PAYMENT_NETWORK: 'sandbox' })
if (!read.ok) throw new Error(read.problems.join('; '))
const operations = operationsOf(read.config)

it('each operation has a row, and each row an operation', () => {
  expect(Object.keys(ALLOWED).sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
})

describe.each(SCOPES)('the scope %s', (scope) => {
  const sub = OPERATOR_SCOPES.some((one) => one === scope) ? '*' : undefined
  it.each(operations.map(({ operationId, method, path }) => ({ operationId, method, path })))(
    'is allowed or refused $operationId as its row says',
    async ({ operationId, method, path }) => {
      const { siteId } = freshSite()
      const token = await tokenOf({ sub: sub ?? siteId, jti: `of-${scope}`, scope })
      const address = path.replace('{siteId}', siteId).replaceAll(/\{\w+\}/g, 'x')
      const body = method === 'get' || method === 'delete' ? undefined : {}
      const { status } = await call(address, { method: method.toUpperCase(), token, body }, sandbox)
      const isAllowed = ALLOWED[operationId]?.split(' ').includes(scope) ?? false
      expect(status === 401 || status === 403 ? status : 'allowed').toBe(isAllowed ? 'allowed' : 403)
    },
  )
})
