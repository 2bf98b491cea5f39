// Sites with something of everything, so that an input that is wrong in one place is right in the others.
import * as z from 'zod'
import { mintToken } from '../../bin/mint-token.ts'
import type { QrCodeAnswer } from '../../src/contract/qr-code-answer.ts'
import type { BankDeployment } from '../support/bank-deployment.ts'
import { SECRET } from '../support/secret.ts'
import { linkIdIn, qrCodeOf, siteAt } from '../support/site-at.ts'
import type { Site } from './draw.ts'

type Merchant = ReturnType<typeof siteAt>

const Page = z.object({ nextCursor: z.string().optional() })
const Tokens = z.object({ tokens: z.array(z.object({ value: z.string().optional() })) })
const Notifications = z.object({ notifications: z.array(z.object({ id: z.string() })) })

/** Who signs in to the console, and what it then sends. */
export async function signIn(
  address: string,
  siteId: string,
  scope: string,
): Promise<{ cookie: string; keyId: string }> {
  const token = await mintToken(SECRET, { siteId, scope, days: 1 })
  const response = await fetch(`${address}/console/sign-in`, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ token }) },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
  })
  const [cookie] = response.headers.getSetCookie().map((each) => each.split(';', 1)[0])
  if (!cookie) throw new Error(`nobody is let in: ${response.status}`)
  const claims = z
    .object({ jti: z.string() })
    .parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()))
  return { cookie, keyId: claims.jti }
}

/** A site of the sandbox. @param epoch part of every name, so that it can be furnished again */
export async function furnish(address: string, siteId: string, epoch: number): Promise<Site> {
  const site = siteAt(() => address, SECRET, siteId)
  const uid = (name: string) => `${name}-${epoch}`
  const [open, paid, free, cancelled] = await Promise.all([
    site.create(uid('open')),
    site.create(uid('paid')),
    site.create(uid('free'), {
      amount: undefined,
      tokenizationAccount: 'customer-7',
      flags: ['CREATE_TOKEN'],
    }),
    site.create(uid('cancelled')),
  ])
  const [fixed, counter, token] = await Promise.all([
    site.create(uid('fixed'), {}, { type: 'STATIC' }),
    site.create(uid('counter'), { amount: undefined }, { type: 'COUNTER' }),
    site.create(uid('token'), { amount: undefined, tokenizationAccount: 'customer-7' }, { type: 'TOKEN' }),
  ])
  const codes = [open, paid, free, cancelled, fixed, counter, token]
  await site.report(linkIdIn(paid), uid('pay'))
  await site.report(linkIdIn(fixed), uid('pay-fixed'))
  await site.refund(uid('pay'), uid('refund'), 1)
  await site.bind(linkIdIn(token), uid('binding'))
  await site.ask(`/sbp/qrCodes/${uid('cancelled')}`, { method: 'DELETE' })
  await site.ask(`/sbp/qrCodes/${uid('counter')}/sales/${uid('sale')}`, {
    method: 'PUT',
    body: { amount: { value: 5 } },
  })
  return {
    ...(await known(site)),
    ...{ siteId, session: await signIn(address, siteId, 'merchant:admin') },
    pages: codes.map((code) => pageOf(qrCodeOf(code))),
    qrcIds: codes.map(linkIdIn),
    qrCodeUids: codes.map((code) => qrCodeOf(code).qrCodeUid),
    paymentUids: [uid('pay'), uid('pay-fixed')],
  }
}

/** A site whose links come from a bank, with a code that can be paid and one that is. */
export async function furnishLive(deployment: BankDeployment, siteId: string, epoch: number): Promise<Site> {
  const { address = '' } = deployment.service
  const site = siteAt(() => address, SECRET, siteId)
  const merchant = deployment.merchant(siteId)
  const codes = [await merchant.make(`open-${epoch}`), await merchant.make(`paid-${epoch}`)]
  const [, paid] = codes
  if (paid) await deployment.bankOf(siteId).pay(paid.qrcId)
  await merchant.has(`paid-${epoch}`, 'PAYED')
  const payments = z
    .object({ payments: z.array(z.object({ paymentId: z.string() })) })
    .parse(await site.value(`/sbp/qrCodes/paid-${epoch}/payments`))
  return {
    ...(await known(site)),
    ...{ siteId, session: await signIn(address, siteId, 'merchant:admin') },
    pages: codes.map(({ pageUrl }) => pathOf(pageUrl)),
    qrcIds: codes.map(({ qrcId }) => qrcId),
    qrCodeUids: [`open-${epoch}`, `paid-${epoch}`],
    paymentUids: payments.payments.map(({ paymentId }) => paymentId),
  }
}

/** What only the site itself can tell. */
async function known(site: Merchant): Promise<Pick<Site, 'tokens' | 'cursors' | 'notificationIds'>> {
  const { tokens } = Tokens.parse(await site.value('/tokens?customerAccountId=customer-7&limit=3'))
  const { notifications } = Notifications.parse(await site.value('/notifications?limit=3'))
  const lists = [
    '/sbp/qrCodes?limit=1',
    '/payments?limit=1',
    '/events?limit=1',
    '/events?before=end&limit=1',
    '/search?q=pay&limit=1',
  ]
  const cursors = await Promise.all(
    lists.map(async (list) => Page.parse(await site.value(list)).nextCursor ?? ''),
  )
  return {
    tokens: tokens.flatMap(({ value }) => value ?? []),
    notificationIds: notifications.map(({ id }) => id),
    cursors: cursors.filter((cursor) => cursor !== ''),
  }
}

const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search
const pageOf = ({ pageUrl }: QrCodeAnswer): string => pathOf(pageUrl)
