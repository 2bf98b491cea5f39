// `check`: whether the credentials and tokens work, and what is left undone. It changes nothing, but by --register.

import { endingTokens, endText } from '../config/token-ends.ts'
import { bankOf, type Core, type OpenBank, type OpenSite } from '../core.ts'
import { openMemory } from '../disk/database.ts'
import { whyWaiting } from '../inbox/problems.ts'
import { subjectText } from '../links/codes/late-asks.ts'
import { messageOf } from '../log.ts'
import { differenceText } from '../money/payment/amount-differences.ts'
import type { CheckResult } from '../partner.ts'
import { PLATFORM } from '../platform.ts'
import { ListFailed, listRefunds } from '../service/service.ts'
import { type Authority, authorityText } from '../tls/authorities.ts'
import { unsentRefunds } from './held.ts'
import { allowOnly, configOf, coreOn, type Options, openCoreFor, type Print } from './options.ts'
import { receiptsToSettle } from './settle-receipt.ts'

/** A connector at work always has webhooks, reports and cancellations that are younger and have had no answer. */
const ON_ITS_WAY_MS = 60_000

/** @returns the exit code: 1 where something fails */
export async function check(options: Options, print: Print): Promise<number> {
  allowOnly('check', options, ['register', 'site'])
  const core = coreOf(options)
  const now = core.platform.now()
  const before = now - ON_ITS_WAY_MS
  const { banks, registers, sites } = partsOf(core, options.site)
  const isWhole = options.site === undefined
  let failures = 0
  const show = (subject: string, { isGood, text }: CheckResult) => {
    if (!isGood) failures++
    print(`${isGood ? 'ok  ' : 'FAIL'} ${subject}: ${text}`)
  }
  const showEnds = (subject: string, part: string) => {
    for (const end of endingTokens(core.tokenEnds, core.platform.now()).filter(
      ({ owner }) => owner === part,
    )) {
      const text = endText(end, now)
      if (end.endsAt > now) print(`warn ${subject}: ${text}`)
      else show(subject, { isGood: false, text })
    }
  }
  const showAuthorities = (subject: string, authorities: readonly Authority[]) => {
    for (const authority of authorities) show(subject, { isGood: true, text: authorityText(authority) })
  }
  for (const open of registers) {
    const subject = open.name
    showAuthorities(subject, open.authorities)
    for (const result of await tried(() => open.register.checkCredentials())) show(subject, result)
    for (const text of open.register.lacks) print(`note ${subject}: cannot ${text}`)
    showEnds(subject, `cashRegisters.${subject}`)
  }
  const toSettle = isWhole ? toSettleOf(core) : new Map<string, CheckResult[]>()
  for (const bank of banks) {
    showAuthorities(bank.name, bank.authorities)
    for (const result of await tried(() => bank.bank.checkCredentials())) show(bank.name, result)
    const register = options.register ?? false
    for (const result of await tried(() => bank.bank.checkWebhook({ url: bank.webhookUrl, register }))) {
      show(bank.name, result)
    }
    for (const text of bank.bank.lacks) print(`note ${bank.name}: cannot ${text}`)
    showEnds(bank.name, `banks.${bank.name}`)
    const held = toSettle.get(bank.name) ?? []
    if (isWhole) for (const result of unfinishedOf(core, bank, before, held)) show(bank.name, result)
  }
  for (const [name, results] of toSettle)
    if (!core.banks.has(name))
      for (const result of results) show(`${name}, which the configuration lacks`, result)
  for (const site of sites) {
    for (const result of await tried(() => checkToken(core, site))) show(site.siteId, result)
    for (const result of await tried(async () => (await site.account.check?.()) ?? []))
      show(site.siteId, result)
    for (const result of reservedOf(core, site)) show(site.siteId, result)
    showEnds(site.siteId, `sites.${site.siteId}`)
    if (isWhole) for (const result of notAcceptedOf(core, site, before)) show(site.siteId, result)
  }
  if (isWhole) for (const [name, result] of receiptsOf(core)) show(name, result)
  if (isWhole)
    for (const difference of core.disk.amountDifferences.open())
      show(difference.bank, { isGood: false, text: `${differenceText(difference)}: see settle` })
  print(failures === 0 ? 'all is well' : `${failures} failed`)
  return failures === 0 ? 0 : 1
}

/** All, or one site with its bank: whether it works, and not what is unfinished. @throws Error where there is no such site */
function partsOf({ banks, cashRegisters, sites }: Core, siteId: string | undefined) {
  if (siteId === undefined)
    return { banks: [...banks.values()], registers: [...cashRegisters.values()], sites: [...sites.values()] }
  const site = sites.get(siteId)
  if (!site) throw new Error(`--site is ${siteId}, must be one of the configuration`)
  return { banks: [site.bank], registers: site.cashRegister ? [site.cashRegister] : [], sites: [site] }
}

/** Without --data, such as before the first run, there is no disk to read. @throws Error where no connector has run on --data */
function coreOf(options: Options): Core {
  if (options.data !== undefined) return openCoreFor(options)
  return coreOn(openMemory(PLATFORM.now()), configOf(options))
}

async function tried(find: () => Promise<CheckResult[]>): Promise<CheckResult[]> {
  try {
    return await find()
  } catch (error) {
    return [{ isGood: false, text: messageOf(error) }]
  }
}

async function checkToken(core: Core, site: OpenSite): Promise<CheckResult[]> {
  try {
    for await (const _ of listRefunds(core, site)) break
    return [{ isGood: true, text: `the service takes the token; its bank is ${site.bank.name}` }]
  } catch (error) {
    if (error instanceof ListFailed && error.isDeleted) {
      const text = 'the service has deleted the site: take it out of the configuration'
      return [{ isGood: true, text }]
    }
    const isOld = error instanceof ListFailed && error.status === 404
    return [{ isGood: false, text: isOld ? 'the service has no lists for reconciliation' : messageOf(error) }]
  }
}

/** How many more COUNTER codes the site can have, where its bank reserves their ids. */
function reservedOf({ disk }: Core, { account, bank }: OpenSite): CheckResult[] {
  const { reservedQrcIds: ids = [] } = account
  if (ids.length === 0) return []
  const { length } = disk.reservedIds.free(bank.bank.identity, ids)
  return [{ isGood: true, text: `${length} of ${ids.length} cashRegisterQrcIds are free` }]
}

function unfinishedOf(
  core: Core,
  { name }: OpenBank,
  before: number,
  toSettle: CheckResult[],
): CheckResult[] {
  const { disk } = core
  const waiting = disk.webhooks
    .waiting()
    .filter(({ bank, attempts, receivedAt }) => bank === name && (attempts > 0 || receivedAt < before))
  const unresolved = disk.lateAsks
    .unresolved()
    .filter(({ site, qrcId }) => disk.codes.bankOf(site, qrcId) === name)
  const cancellations = disk.cancellations
    .all()
    .filter(({ reference, since }) => bankOf(core, reference)?.name === name && since < before)
  return [
    ...cancellations.map(({ site, qrcId, since }) => ({
      isGood: false,
      text: `${site} ${qrcId}: cancelled ${new Date(since).toISOString()}, the bank has not confirmed it`,
    })),
    ...unresolved.map((subject) => ({
      isGood: false,
      text: `${subjectText(subject)}: the bank does not state whether it was paid: see reconcile`,
    })),
    ...toSettle,
    ...waiting.map((row) => ({
      isGood: false,
      text: `the webhook ${row.id} of ${new Date(row.receivedAt).toISOString()} is not reported: ${whyWaiting(row)}`,
    })),
  ]
}

/** How many documents `settle` lists, by the cash register; the configuration can lack it. */
const receiptsOf = (core: Core): [name: string, CheckResult][] =>
  Array.from(
    Map.groupBy(receiptsToSettle(core), ({ register }) => register),
    ([name, { length }]) => [name, { isGood: false, text: `${length} documents have no result: see settle` }],
  )

/** How much `settle` lists, by the bank; the configuration can lack it. */
function toSettleOf(core: Core): Map<string, CheckResult[]> {
  const { refunds, charges } = core.disk
  const kinds: [string, { bank: string }[]][] = [
    ['refunds are held', refunds.held()],
    ['refunds have not been sent for 72 hours', unsentRefunds(core)],
    ['charges are held', charges.held()],
  ]
  const results = new Map<string, CheckResult[]>()
  for (const [what, rows] of kinds)
    for (const [bank, { length }] of Map.groupBy(rows, ({ bank }) => bank)) {
      const result = { isGood: false, text: `${length} ${what}: see settle` }
      results.set(bank, [...(results.get(bank) ?? []), result])
    }
  return results
}

function notAcceptedOf({ disk }: Core, { siteId }: OpenSite, before: number): CheckResult[] {
  const ofSite = ({ site }: { site: string }) => site === siteId
  return [
    ...disk.reports
      .unknown()
      .filter(ofSite)
      .map(({ path, answer }) => ({ isGood: true, text: `not needed by the service: ${path}: ${answer}` })),
    ...disk.reports
      .notAccepted()
      .filter((row) => ofSite(row) && (row.answer !== '' || row.createdAt < before))
      .map(({ path, answer }) => ({
        isGood: false,
        text: `not accepted: ${path}: ${answer || 'not yet sent'}`,
      })),
  ]
}
