// Tokens: stored payment authorisations of accounts that customers have bound (contract, section 9).
import * as z from 'zod/mini'
import { BINDING_STATUSES } from './binding.ts'
import { formatDateTime } from './date-time.ts'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { Cursor, limitParameter, nextCursor } from './query.ts'
import { unicodeText } from './text.ts'

export const TOKEN_STATUSES = ['WAITING', ...BINDING_STATUSES, 'EXPIRED'] as const
export type TokenStatus = (typeof TOKEN_STATUSES)[number]
export const TokenStatus = z.enum(TOKEN_STATUSES).apply(meta, {
  id: 'TokenStatus',
  description:
    'WAITING: the customer has not answered; CREATED: it can be charged; REJECTED: the customer refused; DELETED: the merchant, the customer or the bank ended it; EXPIRED: its lifetime ended',
})

export const ENDED_BY = ['merchant', 'payer', 'network', 'clock'] as const
/** Who ended a token: the merchant's call, the payer on the page, the customer or the bank at the bank, its lifetime. */
export type EndedBy = (typeof ENDED_BY)[number]
export const EndedBy = z.enum(ENDED_BY).apply(meta, {
  id: 'EndedBy',
  description:
    'Who ended the token. merchant: its call; payer: on the payer’s page; network: the customer or the bank, at the bank; clock: its lifetime ended',
})

/** A token as its site keeps it; times are Unix seconds. */
export interface Token {
  status: TokenStatus
  /** Present while the token can be charged. */
  value?: string | undefined
  /** The last four characters of its value; they stay when the token can be charged no more. */
  last4?: string | undefined
  expiresAt?: number | undefined
  /** Present of a token that is DELETED or EXPIRED. */
  ended?: { by: EndedBy; at: number } | undefined
}

/** A token in a list: with the customer's account, the QR code by which it came, and the bank of the account. */
export type ListedToken = Token & {
  account: string
  qrCodeUid?: string | undefined
  bankMemberId?: string | undefined
}

/** The end of a token's value, by which people distinguish tokens. */
export const last4Of = (value: string): string => value.slice(-4)

export const TokenAnswer = z
  .object({
    status: TokenStatus,
    value: z.optional(z.string()).apply(meta, {
      format: 'uuid',
      description:
        'The secret that charges the account; present if the token is CREATED, for the scope `merchant`',
    }),
    last4: z
      .optional(z.string())
      .apply(meta, { description: 'The last four characters of `value`, if `value` is absent' }),
    expiredDate: z.optional(z.iso.datetime({ offset: true })).apply(meta, {
      description: 'From this second on no new charge of the token is taken',
    }),
    endedBy: z.optional(EndedBy),
    endedOn: z
      .optional(z.iso.datetime({ offset: true }))
      .apply(meta, { description: 'When it ended; present if the token is DELETED or EXPIRED' }),
  })
  .apply(meta, { id: 'Token' })

/**
 * The answer that shows a token.
 * @param offset the deployment's offset from UTC
 * @param showsValue whether the caller may see the value
 */
export const tokenAnswer = (
  { status, value, last4, expiresAt, ended }: Token,
  offset: string,
  showsValue: boolean,
): z.infer<typeof TokenAnswer> => ({
  status,
  ...(showsValue && value !== undefined ? { value } : last4 !== undefined && { last4 }),
  ...(expiresAt !== undefined && { expiredDate: formatDateTime(expiresAt, offset) }),
  ...(ended && { endedBy: ended.by, endedOn: formatDateTime(ended.at, offset) }),
})

const ListedTokenAnswer = z
  .extend(TokenAnswer, {
    tokenizationAccount: z
      .optional(z.string())
      .apply(meta, { description: 'The customer in your system; absent if the QR code named none' }),
    qrCodeUid: z
      .optional(z.string())
      .apply(meta, { description: 'Absent if the site does not have the QR code' }),
    bankMemberId: z.optional(z.string()),
  })
  .apply(meta, { id: 'ListedToken' })

export const TokensAnswer = z
  .object({
    tokens: z.array(ListedTokenAnswer),
    nextCursor: nextCursor('tokens'),
  })
  .apply(meta, { id: 'TokenPage' })
export type TokensAnswer = z.infer<typeof TokensAnswer>

/**
 * The answer that shows a token in a list.
 * @param offset the deployment's offset from UTC
 * @param showsValue whether the caller may see the value
 */
export const listedTokenAnswer = (
  { account, qrCodeUid, bankMemberId, ...token }: ListedToken,
  offset: string,
  showsValue = true,
): z.infer<typeof ListedTokenAnswer> => ({
  ...tokenAnswer(token, offset, showsValue),
  ...(account !== '' && { tokenizationAccount: account }),
  ...(qrCodeUid !== undefined && { qrCodeUid }),
  ...(bankMemberId !== undefined && { bankMemberId }),
})

const ACCOUNT = '`tokenizationAccount` of the QR code that requested the token; by default empty'
const Account = z._default(unicodeText(64), '').apply(meta, { description: ACCOUNT })

/** A value is not validated: a refusal must not show it, and one that no token has is refused anyway. */
const TokenValue = z
  .string('a string')
  .apply(meta, { description: '`token.value` of a QR code', format: 'uuid' })

/** The body that charges a token. */
export const ChargeBody = strictObject({ token: TokenValue, tokenizationAccount: Account }).apply(meta, {
  id: 'ChargeRequest',
})

/** The customer's account, by its name and by the one that it had before. */
const ACCOUNT_NAMES = {
  tokenizationAccount: z.optional(unicodeText(64)).apply(meta, { description: ACCOUNT }),
  customerAccountId: z.optional(unicodeText(64)).apply(meta, {
    deprecated: true,
    description: 'The same, by its earlier name: send `tokenizationAccount`',
  }),
}

interface NamedAccount {
  tokenizationAccount?: string | undefined
  customerAccountId?: string | undefined
}

/** The account that a request names; by default the empty one. */
export const accountOf = ({ tokenizationAccount, customerAccountId }: NamedAccount): string =>
  tokenizationAccount ?? customerAccountId ?? ''

/** Refuses two names of the account with two values. */
const oneAccount = z.check<NamedAccount>(({ value, issues }) => {
  const { tokenizationAccount, customerAccountId } = value
  if (tokenizationAccount === undefined || customerAccountId === undefined) return
  if (tokenizationAccount === customerAccountId) return
  const message = 'the same as tokenizationAccount, or absent'
  issues.push({ code: 'custom', input: customerAccountId, path: ['customerAccountId'], message })
})

/** The body that deletes a token. */
export const TokenDeletionBody = strictObject({ ...ACCOUNT_NAMES, token: TokenValue })
  .check(oneAccount)
  .apply(meta, { id: 'TokenDeletion' })

export const TokensQuery = strictObject({
  ...ACCOUNT_NAMES,
  account: z.optional(z.literal('any', 'any')).apply(meta, {
    description: '`any`: the tokens of all accounts, and not of one; not beside an account',
  }),
  limit: limitParameter({ byDefault: 100, max: 100 }),
  cursor: z.optional(Cursor),
}).check(
  oneAccount,
  z.check(({ value, issues }) => {
    const named = value.tokenizationAccount ?? value.customerAccountId
    if (value.account === undefined || named === undefined) return
    issues.push({
      code: 'custom',
      input: value.account,
      path: ['account'],
      message: 'absent beside an account',
    })
  }),
)

const value = '0b9a3c1e-5d2f-4a7b-8c6d-1e2f3a4b5c6d'

export const TOKENS_EXAMPLE: Example = {
  summary: 'The only token of the customer',
  value: {
    tokens: [
      {
        status: 'CREATED',
        value,
        expiredDate: '2027-11-20T20:11:40+03:00',
        tokenizationAccount: 'customer-7',
        qrCodeUid: 'order-1001',
        bankMemberId: '100000000111',
      },
    ],
  },
}

/** Charges of a token. */
export const CHARGE_EXAMPLES = {
  charge: {
    summary: 'Charge the customer’s token',
    value: { token: value, tokenizationAccount: 'customer-7' },
  },
} satisfies Record<string, Example>

/** Deletions of a token. */
export const TOKEN_DELETION_EXAMPLES = {
  delete: { summary: 'Forget the account', value: { tokenizationAccount: 'customer-7', token: value } },
} satisfies Record<string, Example>
