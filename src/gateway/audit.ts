// Records an act of an operator in the audit: its intent before it, its result after it (contract, section 16).
import type { Act, ActDetails, AuditQuery, AuditRow, NewAuditRow } from '../contract/audit.ts'
import { faultOf, logLine } from '../contract/log-line.ts'
import { ApiError, ERRORS } from '../errors.ts'
import type { Platform, SiteContext } from './context.ts'
import { callObject } from './site-client.ts'

type AuditPlatform = Pick<Platform, 'audit' | 'sleep' | 'random' | 'limited' | 'now' | 'log'>

/** An act whose intent is recorded. */
export interface RecordedAct {
  /** Records what became of it. It happened, whether or not that can be recorded: a failure is only logged. */
  done(details?: ActDetails): Promise<void>
  /** Records with what it was refused, or failed. */
  failed(error: unknown): Promise<void>
}

/**
 * Records the intent of an act.
 * @throws ApiError service.unavailable where it cannot be written: the act must not begin
 */
export async function recordIntent(
  { service, siteId, caller }: Pick<SiteContext, 'siteId' | 'caller'> & { service: AuditPlatform },
  act: Act,
  details: ActDetails,
): Promise<RecordedAct> {
  const row = {
    act,
    siteId: siteId === '' ? undefined : siteId,
    keyId: caller.keyId,
    label: caller.label,
    personId: caller.person?.id,
    name: caller.person?.name,
    details,
  }
  const intent = await add(service, { ...row, result: 'STARTED' })
  const end = async (result: NewAuditRow['result'], more: ActDetails = {}) => {
    try {
      await add(service, { ...row, details: { ...details, ...more }, result, intent })
    } catch (error) {
      const message = 'the result of an act is not in the audit'
      const more = { act, site: row.siteId, intent, result, fault: faultOf(error) }
      service.log(logLine(service.now(), 'error', message, more))
    }
  }
  return {
    done: (more) => end('DONE', more),
    failed: (error) => {
      const errorCode = error instanceof ApiError ? error.code : 'internal.error'
      return end(ERRORS[errorCode].status < 500 ? 'REFUSED' : 'FAILED', { errorCode })
    },
  }
}

/** A page of the audit, newest first; `next` is the last number, where there are more. @throws ApiError service.unavailable */
export async function listAudit(
  platform: AuditPlatform,
  query: AuditQuery,
): Promise<{ rows: AuditRow[]; next?: number | undefined }> {
  const read = await callAudit(platform, (audit) => audit.list(query))
  const rows = read.slice(0, query.limit)
  return { rows, next: read.length > rows.length ? rows.at(-1)?.number : undefined }
}

async function add(platform: AuditPlatform, row: Omit<NewAuditRow, 'uid'>): Promise<number> {
  const uid = platform.random(16).toHex()
  try {
    const number = await callAudit(platform, (audit) => audit.add({ uid, ...row }))
    const { siteId: site, ...more } = row
    platform.log(logLine(platform.now(), 'notice', 'audit', { number, site, ...more }))
    return number
  } catch (fault) {
    if (fault instanceof ApiError) throw fault
    throw new ApiError('service.unavailable', 'the audit cannot be written, send the request again', {
      fault,
    })
  }
}

const callAudit = <T>(
  { audit, sleep, random, limited }: AuditPlatform,
  call: (audit: ReturnType<Platform['audit']>) => Promise<T>,
): Promise<T> => callObject({ object: audit, sleep, random, limited }, 'the audit', call)
