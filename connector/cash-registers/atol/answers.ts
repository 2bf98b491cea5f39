// The answers of ATOL that its document gives, and what is only assumed of them: the document itself is not stored.
import * as z from 'zod'
import { kopecksOf } from '../../amounts.ts'
import type { Answers } from '../../banks/answers.ts'
import { type DocumentState, FISCAL_FIELDS, type Fiscal } from '../cash-register.ts'

/** Statuses that a gateway gives, too, or that are about the token: they say nothing of a document. */
const NOT_OF_A_DOCUMENT = [401, 403, 404, 408, 425, 429] as const

/**
 * Assumed: what says that no document was made. Of a failure without a `uuid` ATOL has kept nothing; one with it was tried.
 * Another attempt under another `external_id` makes no second document. After a `timeout` the register can print late.
 */
const STATED_FAILURES: readonly string[] = ['system', 'driver', 'agent']

const Failure = z.object({
  code: z.union([z.int(), z.string()]).nullish(),
  text: z.string().nullish(),
  type: z.string(),
})

const textOf = ({ code, text }: z.output<typeof Failure>): string =>
  `${text || 'the cash register gives no reason'}${code == null ? '' : ` (${code})`}`

export const TOKEN: Answers<string> = {
  executed: {
    status: 200,
    body: z.object({ token: z.string().min(1) }).transform(({ token }) => token),
    says: 'POST getToken → {token, error, timestamp}',
  },
}

/** A repeat has an error beside the `uuid` of the first document. */
export const REGISTER: Answers<string> = {
  executed: {
    except: NOT_OF_A_DOCUMENT,
    body: z.object({ uuid: z.string().min(1).max(128) }).transform(({ uuid }) => uuid),
    says: 'a repeat answers with the first document’s uuid, in an answer that has an error beside it',
  },
  refused: [
    {
      except: NOT_OF_A_DOCUMENT,
      body: z
        .object({
          uuid: z.literal('').nullish(),
          status: z.literal('fail'),
          error: Failure.refine(({ type }) => STATED_FAILURES.includes(type)),
        })
        .transform(({ error }) => textOf(error)),
      says: '{uuid, status: "fail", error: {error_id, code, text, type}}',
      isAssumed: true,
    },
  ],
}

/** ATOL writes numbers and texts. A number that JSON does not keep exactly is no number of a document. */
const textUpTo = (max: number) =>
  z
    .union([z.string(), z.int().transform(String)])
    .pipe(z.string().min(1).max(max))
    .optional()
    .catch(undefined)

const Number20 = textUpTo(20)

const Payload = z.object({
  total: z.union([z.number(), z.string()]),
  fn_number: Number20,
  fiscal_document_number: Number20,
  fiscal_document_attribute: Number20,
  ecr_registration_number: Number20,
  shift_number: Number20,
  fiscal_receipt_number: Number20,
  receipt_datetime: Number20,
  ofd_receipt_url: textUpTo(500),
})
type Payload = z.output<typeof Payload>

const Common = z.object({ uuid: z.string(), external_id: z.string().nullish() })
const Report = z.discriminatedUnion('status', [
  Common.extend({ status: z.literal('wait') }),
  Common.extend({ status: z.literal('done'), payload: Payload }),
  Common.extend({ status: z.literal('fail'), error: Failure }),
])
export type Report = z.output<typeof Report>

export const REPORT: Answers<Report> = {
  executed: {
    except: NOT_OF_A_DOCUMENT,
    body: Report,
    says: 'GET report/{uuid}: the answer, with the payload when it is done',
  },
}

/** What a report states of a document. @param expected its key, and its sum in kopecks */
export function stateOf(report: Report, expected: { key: string; amount: number }): DocumentState {
  const { uuid: note, external_id: key } = report
  if (key != null && key !== expected.key)
    return { status: 'IN_DOUBT', reason: 'the cash register states another document under this uuid' }
  if (report.status === 'wait') return { status: 'PENDING', note }
  if (report.status === 'fail') {
    const { error } = report
    return { status: 'FAILED', reason: textOf(error), canRetry: STATED_FAILURES.includes(error.type) }
  }
  const total = kopecksOf(String(report.payload.total))
  if (total === expected.amount) return { status: 'REGISTERED', fiscal: fiscalOf(report.payload) }
  return {
    status: 'IN_DOUBT',
    reason: `the cash register states a document of ${report.payload.total} RUB`,
    note,
  }
}

function fiscalOf(payload: Payload): Fiscal {
  const fields = {
    fn: payload.fn_number,
    fd: payload.fiscal_document_number,
    fpd: payload.fiscal_document_attribute,
    registration: payload.ecr_registration_number,
    shift: payload.shift_number,
    number: payload.fiscal_receipt_number,
    dateTime: momentOf(payload.receipt_datetime),
    url: payload.ofd_receipt_url?.match(/^https?:\/\/.+/)?.[0],
  }
  const stated: Fiscal = {}
  for (const name of FISCAL_FIELDS) {
    const value = fields[name]
    if (value !== undefined) stated[name] = value
  }
  return stated
}

/** ISO 8601 of `22.07.2023 09:14:38`. Assumed: in Moscow, as what is sent. */
function momentOf(text: string | undefined): string | undefined {
  const [, day, month, year, clock] = /^(\d\d)\.(\d\d)\.(\d{4}) (\d\d:\d\d:\d\d)$/.exec(text ?? '') ?? []
  const moment = `${year}-${month}-${day}T${clock}+03:00`
  return year !== undefined && !Number.isNaN(Date.parse(moment)) ? moment : undefined
}
