// Bindings: what the network reports about the accounts that customers bind (contract, section 9).
import * as z from 'zod/mini'
import type { Example } from './example.ts'
import { meta } from './meta.ts'
import { strictObject } from './object.ts'
import { optionalText } from './text.ts'
import { BindingUid } from './uid.ts'

export const BINDING_STATUSES = ['CREATED', 'REJECTED', 'DELETED'] as const
export type BindingStatus = (typeof BINDING_STATUSES)[number]
export const BindingStatus = z.enum(BINDING_STATUSES, `one of ${BINDING_STATUSES.join(', ')}`).apply(meta, {
  id: 'BindingStatus',
  description:
    'CREATED: the customer agreed; REJECTED: the customer refused; DELETED: the customer or the bank ended the binding',
})

/** The network's report of a binding. */
export interface BindingReport {
  bindingUid: string
  status: BindingStatus
  bankMemberId?: string | undefined
  reason?: string | undefined
  /** The connector's own text. */
  reference?: string | undefined
}

const fields = {
  status: BindingStatus,
  bankMemberId: optionalText(64).apply(meta, { description: 'The bank of the account' }),
  reason: optionalText(255).apply(meta, {
    description: 'Why it was rejected or deleted; CUSTOMER_REFUSED: the customer refused',
  }),
  reference: optionalText(200).apply(meta, {
    description: 'Your own text, which every instruction about the binding repeats as `bindingReference`',
  }),
}

/** The body of the network's report: unknown fields are ignored, and so is an optional field that breaks its rule. */
export const BindingReportBody = z.object(fields).apply(meta, { id: 'BindingReport' })

/** The binding within the report of a payment. */
export const BindingReportFields = z
  .object({ bindingUid: BindingUid, ...fields })
  .apply(meta, { id: 'Binding' })

/** What a customer of the sandbox bank answers to the request for a token. */
export type Consent = z.infer<typeof Consent>
export const Consent = z.enum(['CREATED', 'REJECTED'], 'one of CREATED, REJECTED')

/** The body of a binding that the sandbox simulates. */
export const SandboxBinding = strictObject({ status: z._default(Consent, 'CREATED') }).apply(meta, {
  id: 'SandboxBinding',
})

export const BINDING_EXAMPLE = {
  bindingUid: 'B6325171030000001',
  status: 'CREATED',
  bankMemberId: '100000000111',
}

/** The network's reports of bindings. */
export const BINDING_REPORT_EXAMPLES = {
  created: {
    summary: 'The customer agreed',
    value: { status: 'CREATED', bankMemberId: '100000000111' },
  },
  rejected: { summary: 'The customer refused', value: { status: 'REJECTED' } },
  deleted: { summary: 'The customer ended it', value: { status: 'DELETED' } },
} satisfies Record<string, Example>

/** Bindings that the sandbox simulates. */
export const SANDBOX_BINDING_EXAMPLES = {
  agree: { summary: 'The customer agrees', value: {} },
  refuse: { summary: 'The customer refuses', value: { status: 'REJECTED' } },
} satisfies Record<string, Example>
