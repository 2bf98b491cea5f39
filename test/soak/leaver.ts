// A site of which nobody else asks anything: the operator deletes it, and restores it.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { asOperator } from '../support/serve.ts'
import { isOfFetch, UNAVAILABLE } from './answers.ts'

export const LEAVER = 'leaver'
/** Of five in a second. */
const MAX_TRIES = 1_500

interface Leaving {
  /** Of what takes the next request. */
  address(): string
  /** Creates the site's QR code `kept`, or has its answer repeated. */
  create(): Promise<{ status: number; text: string }>
  /** Reads it. */
  read(): Promise<{ status: number }>
}

/** Its callers are told that it is gone, and then it is as before. */
export async function deleteAndRestore({ address, create, read }: Leaving): Promise<void> {
  const operate = (method: string, below: string, body?: object) =>
    answered(() => asOperator({ address: address() }, below, { method, ...(body && { body }) }))
  const before = await answered(create)
  const deleted = await operate('DELETE', `/sites/${LEAVER}`, { siteId: LEAVER, force: true })
  const { status } = await answered(read)
  const restored = await operate('POST', `/sites/${LEAVER}/restore`)
  expect([before.status, deleted.status, status, restored.status]).toEqual([200, 202, 410, 200])
  expect((await answered(create)).text).toBe(before.text)
}

/** The answer in the end: an earlier fault can end a process amid a request, and each of these can be repeated. */
async function answered<T extends { status: number }>(send: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      const answer = await send()
      if (answer.status !== UNAVAILABLE || tries === MAX_TRIES) return answer
    } catch (error) {
      if (!isOfFetch(error) || tries === MAX_TRIES) throw error
    }
    await sleep(200)
  }
}
