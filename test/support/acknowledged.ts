// A load of creates and payments, with a record of what was acknowledged, and a check that the service has all of it, once.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from './cluster.ts'
import { linkIdIn, qrCodeOf, type Site } from './site-at.ts'
import { eventsOf, linksOf } from './site-records.ts'

/** What takes the requests of sites: an instance, or a balancer. */
type Reached = Pick<Instance, 'site'>

/** A QR code that a merchant was told of. */
export interface Acknowledged {
  siteId: string
  qrCodeUid: string
  payload: string
  /** Whether the network was told that its payment is taken. */
  isPaid: boolean
}

export interface Load {
  acknowledged: readonly Acknowledged[]
  /** What was not acknowledged: the status with the answer, or the error of the connection. */
  failures: readonly string[]
  /** Resolves when so many more are acknowledged. */
  more(count: number): Promise<void>
  /** Ends it, after the answers to the requests that are in flight. */
  end(): Promise<void>
}

/** Creates QR codes through instances, which may change, and reports a payment of every third one. */
export function load(instances: () => readonly Reached[], siteIds: readonly string[], clients: number): Load {
  const acknowledged: Acknowledged[] = []
  const failures: string[] = []
  let count = 0
  let hasEnded = false
  const one = async (site: Site, number: number) => {
    const qrCodeUid = `load-${number}`
    const created = await site.create(qrCodeUid)
    if (created.status !== 200) throw new Error(`${created.status} ${created.text}`)
    const { payload } = qrCodeOf(created).qrCode
    const told = { siteId: site.siteId, qrCodeUid, payload, isPaid: false }
    acknowledged.push(told)
    if (number % 3 !== 0) return
    const paid = await site.report(linkIdIn(created), `pay-${qrCodeUid}`)
    if (paid.status !== 200) throw new Error(`${paid.status} ${paid.text}`)
    told.isPaid = true
  }
  const client = async () => {
    while (!hasEnded) {
      const number = count++
      const all = instances()
      const site = all[number % all.length]?.site(siteIds[number % siteIds.length] ?? '')
      if (!site) throw new Error('a load needs an instance and a site')
      await one(site, number).catch(async (error) => {
        failures.push(String(error))
        await sleep(20)
      })
    }
  }
  const running = Array.from({ length: clients }, client)
  return {
    acknowledged,
    failures,
    async more(wanted) {
      const until = acknowledged.length + wanted
      while (acknowledged.length < until) await sleep(20)
    },
    async end() {
      hasEnded = true
      await Promise.all(running)
    },
  }
}

/** What is wrong: an acknowledged QR code or payment that the service lacks, or has twice, or otherwise. */
export async function losses(instance: Reached, all: readonly Acknowledged[]): Promise<string[]> {
  const problems: string[] = []
  for (const [siteId, told] of Map.groupBy(all, (each) => each.siteId)) {
    const site = instance.site(siteId)
    const links = await linksOf(site.ask)
    const events = await eventCounts(site)
    for (const { qrCodeUid, payload, isPaid } of told) {
      const has = links.get(qrCodeUid) ?? []
      if (has.length !== 1 || has[0] !== payload) {
        problems.push(`${siteId} ${qrCodeUid}: its links are ${has.join(', ')}, must be ${payload}`)
      }
      const created = events.get(`qrCode.created ${qrCodeUid}`) ?? 0
      const completed = events.get(`payment.completed ${qrCodeUid}`) ?? 0
      if (created !== 1) problems.push(`${siteId} ${qrCodeUid}: created ${created} times`)
      // An answer can be lost after the commit.
      if (completed > 1 || (isPaid && completed === 0)) {
        problems.push(`${siteId} ${qrCodeUid}: paid ${completed} times`)
      }
    }
  }
  return problems
}

/** How many events of a type a QR code has: `qrCode.created uid`. */
async function eventCounts(site: Site): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for await (const { type, qrCodeUid } of eventsOf(site.ask)) {
    const name = `${type} ${qrCodeUid}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** Resolves when every site takes a create through an instance again. */
export async function untilWritable(instance: Reached, siteIds: readonly string[]): Promise<void> {
  const uid = crypto.randomUUID()
  const isWritable = async (siteId: string) =>
    (
      await instance
        .site(siteId)
        .create(uid)
        .catch(() => undefined)
    )?.status === 200
  await Promise.all(
    siteIds.map(async (siteId) => {
      while (!(await isWritable(siteId))) await sleep(100)
    }),
  )
}
