// The sites that share the credentials of a bank, as the connector's configuration has them.
import * as z from 'zod'
import { BANKS, type SettlementBank } from '../../../src/settlement/sources.ts'
import { readDocument } from '../../onboard/entry.ts'

/** Where a file of the bank goes. */
export interface Target {
  bank: SettlementBank
  /** The address of the service, without a slash at the end. */
  service: string
  sites: readonly string[]
}

const Service = z.url({ protocol: /^https?$/ })

/** @param name of the credentials. @throws Error naming what the configuration lacks */
export function targetIn(path: string, name: string): Target {
  const { document } = readDocument(path)
  const { banks, sites } = document
  const service = Service.safeParse(document.service)
  if (!service.success) throw new Error(`--config is ${path}, its service must be the URL of the service`)
  const found = Object.hasOwn(banks, name) ? banks[name] : undefined
  if (!found)
    throw new Error(`--bank is ${name}, must be one of banks in ${path}: ${Object.keys(banks).join(', ')}`)
  const bank = BANKS.find((kind) => kind === found.bank)
  if (!bank) throw new Error(`--bank is ${name}, its bank in ${path} must be one of ${BANKS.join(', ')}`)
  const own = Object.keys(sites).filter((siteId) => sites[siteId]?.bank === name)
  if (own.length === 0) throw new Error(`--bank is ${name}, which no site of ${path} has`)
  return { bank, service: service.data.replace(/\/+$/, ''), sites: own }
}
