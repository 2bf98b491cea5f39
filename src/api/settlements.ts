// Settlement: the files of banks, and what is in them (contract, section 19).
import * as z from 'zod/mini'
import { dayOf, dayText } from '../contract/days.ts'
import { cursorOf, PageQuery } from '../contract/query.ts'
import {
  ENTRIES_EXAMPLE,
  EntriesAnswer,
  EntriesQuery,
  entryAnswer,
  entryCursorOf,
} from '../contract/settlements/entries.ts'
import {
  FILE_TYPES,
  ImportQuery,
  MAX_FILE,
  SETTLEMENT_EXAMPLE,
  SETTLEMENTS_EXAMPLE,
  SettlementAnswer,
  SettlementsAnswer,
  settlementAnswer,
} from '../contract/settlements/file.ts'
import { timesOfMonth } from '../contract/settlements/month.ts'
import { SettlementUid } from '../contract/uid.ts'
import { ApiError } from '../errors.ts'
import { networkOf } from '../gateway/connection.ts'
import type { SiteContext } from '../gateway/context.ts'
import { removeSettlement } from '../gateway/settlement-deletion.ts'
import { importSettlement } from '../gateway/settlement-import.ts'
import { callSite } from '../gateway/site-client.ts'
import { FileBody } from '../http/file-body.ts'
import { operation } from '../http/operation.ts'
import { replayed } from './answer.ts'

export const SETTLEMENTS_TAG = {
  name: 'Settlement',
  description: 'What the bank paid out: its files, matched to payments and refunds',
}

const COLLECTION = '/payin/v1/sites/{siteId}/settlements'
const ITEM = `${COLLECTION}/{settlementUid}` as const

const Item = z.object({ settlementUid: SettlementUid })

/** Who reads, and who imports and deletes. */
export const SETTLEMENT_READERS = ['merchant', 'merchant:read'] as const
const ACCOUNTANTS = ['merchant:accounting', 'merchant:admin'] as const

/** The operations on settlement files. */
export const settlements = () => [
  operation({
    operationId: 'importSettlement',
    method: 'put',
    path: ITEM,
    parameters: Item,
    query: ImportQuery,
    tag: SETTLEMENTS_TAG,
    summary: 'Import a settlement file',
    description: `The file as the bank gives it, of at most 32 MiB and 100,000 lines, also unpacked; a zip has exactly one \
file. It is stored whole or not at all, and changes no payment and no refund. The same file again: 200, and nothing changes.`,
    scopes: ACCOUNTANTS,
    body: {
      schema: z.instanceof(FileBody),
      examples: {},
      mediaTypes: FILE_TYPES,
      file: { maxSize: MAX_FILE, seconds: 300 },
    },
    answer: {
      created: 'The file is imported',
      schema: SettlementAnswer,
      description: 'An earlier request had imported it',
      headers: ['Idempotent-Replayed'],
      examples: { registry: SETTLEMENT_EXAMPLE },
    },
    errors: [
      'settlement.unreadable',
      'payin.resource.already.exists',
      'settlement.in.progress',
      'settlement.contradicts',
    ],
    handle: importOne,
    toContent: (site, { settlement, isReplayed }) => ({
      value: settlementAnswer(settlement, site.service.config.utcOffset),
      isCreated: !isReplayed,
      headers: replayed(isReplayed),
    }),
  }),
  operation({
    operationId: 'listSettlements',
    method: 'get',
    path: COLLECTION,
    query: PageQuery,
    tag: SETTLEMENTS_TAG,
    summary: 'List the settlement files of the site',
    description: 'Newest first.',
    scopes: SETTLEMENT_READERS,
    answer: {
      schema: SettlementsAnswer,
      description: 'A page of files',
      headers: [],
      examples: { page: SETTLEMENTS_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: list,
    toContent: ({ service: { config } }, { settlements, next }) => ({
      value: {
        settlements: settlements.map((each) => settlementAnswer(each, config.utcOffset)),
        ...(next !== undefined && { nextCursor: cursorOf(next) }),
      },
    }),
  }),
  operation({
    operationId: 'listSettlementEntries',
    method: 'get',
    path: `${COLLECTION}/entries`,
    query: EntriesQuery,
    tag: SETTLEMENTS_TAG,
    summary: 'List the entries of a month',
    description:
      'Oldest first: what the files of the banks have, by `operatedAt`, and what is missing in them (`EXPECTED`). An entry that several files have is there once.',
    scopes: SETTLEMENT_READERS,
    answer: {
      schema: EntriesAnswer,
      description: 'A page of entries',
      headers: [],
      examples: { page: ENTRIES_EXAMPLE },
    },
    errors: ['validation.error'],
    handle: listEntries,
    toContent: ({ service: { config } }, { entries, next }) => ({
      value: {
        entries: entries.map((each) => entryAnswer(each, config.utcOffset)),
        ...(next && { nextCursor: entryCursorOf(next) }),
      },
    }),
  }),
  operation({
    operationId: 'getSettlement',
    method: 'get',
    path: ITEM,
    parameters: Item,
    tag: SETTLEMENTS_TAG,
    summary: 'Get a settlement file',
    description: 'What it has, and how its entries match now. The bytes of the file are not kept.',
    scopes: SETTLEMENT_READERS,
    answer: {
      schema: SettlementAnswer,
      description: 'The file',
      headers: [],
      examples: { registry: SETTLEMENT_EXAMPLE },
    },
    errors: ['validation.error', 'payin.resource.not.found'],
    handle: read,
    toContent: ({ service: { config } }, settlement) => ({
      value: settlementAnswer(settlement, config.utcOffset),
    }),
  }),
  operation({
    operationId: 'deleteSettlement',
    method: 'delete',
    path: ITEM,
    parameters: Item,
    tag: SETTLEMENTS_TAG,
    summary: 'Delete a settlement file',
    description:
      'With its entries, but for those that another file has. So a corrected file can be imported. Again: the same.',
    scopes: ACCOUNTANTS,
    answer: { status: 204, description: 'The site does not have the file any more', headers: [] },
    errors: ['validation.error', 'settlement.in.progress'],
    handle: remove,
  }),
]

const importOne = (
  site: SiteContext,
  {
    path,
    query: { bank, format, part },
    body,
  }: { path: z.output<typeof Item>; query: ImportQuery; body: FileBody },
) => {
  requireLive(site)
  return importSettlement(site, { ...path, bank, format, isPart: part !== undefined }, body)
}

const list = (site: SiteContext, { query }: { query: PageQuery }) => {
  requireLive(site)
  return callSite(site, (object) => object.settlements(site.caller, query))
}

const listEntries = (site: SiteContext, { query: { month, ...query } }: { query: EntriesQuery }) => {
  requireLive(site)
  const asked = { ...query, ...monthOf(site, month) }
  return callSite(site, (object) => object.settlementEntries(site.caller, asked))
}

const read = (site: SiteContext, { path }: { path: z.output<typeof Item> }) => {
  requireLive(site)
  return callSite(site, (object) => object.settlement(site.caller, path.settlementUid))
}

const remove = async (site: SiteContext, { path }: { path: z.output<typeof Item> }) => {
  requireLive(site)
  await removeSettlement(site, path.settlementUid)
  return { status: 204 } as const
}

/** A month, and from which day on a payment without an entry is EXPECTED. */
export function monthOf({ service: { config, now } }: Pick<SiteContext, 'service'>, month: string) {
  return {
    ...timesOfMonth(month, config.utcOffset),
    days: config.settlementDays,
    today: dayText(dayOf(Math.floor(now() / 1000), MOSCOW)),
  }
}

/** Banks tell days by the time of Moscow. */
const MOSCOW = '+03:00'

/** @throws ApiError 404 of a test site: no bank has its payments */
export function requireLive({ service: { config }, siteId }: Pick<SiteContext, 'service' | 'siteId'>): void {
  if (!networkOf(config, siteId).isTest) return
  throw new ApiError('http.url.not.found', `site ${siteId} is a test site, no bank has its payments`)
}
