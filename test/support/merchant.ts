// A merchant's server in tests inside workerd: it takes the requests that the service sends out.
import { vi } from 'vitest'
import * as z from 'zod'
import { NotificationsAnswer } from '../../src/contract/notifications/log.ts'
import type { FreshSite } from './admin.ts'
import { strict } from './strict.ts'

let host = ''
/** The address of the merchant's server of this test: notifications of an earlier test's site do not reach it. */
export const callbackUrl = (path = '/notifications') => `https://${host}${path}`
/** The address of another server of the same merchant. */
export const shopUrl = (shop: string, path = '/notifications') => `https://${shop}.${host}${path}`

/** A notification as the merchant's server receives it. */
export interface Received {
  url: string
  id: string
  headers: Headers
  body: string
  redirect: Request['redirect']
}

/** What the merchant's server does with a notification; by default it answers 204. */
type Answer = (received: Received) => Response | Promise<Response>

/**
 * The merchant's server until the mocks are restored: every outgoing request of this file's tests goes to it.
 * @param answer can be replaced meanwhile
 */
export function merchantServer(answer: Answer = () => new Response(null, { status: 204 })) {
  host = `${crypto.randomUUID()}.example`
  const server = {
    answer,
    received: [] as Received[],
    /** Waits for the notifications, and returns them in the order in which they came. */
    got: (count: number): Promise<Received[]> =>
      vi.waitFor(
        () => {
          if (server.received.length < count) throw new Error(`${server.received.length} notifications`)
          return server.received
        },
        { timeout: 50_000, interval: 5 },
      ),
  }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    const { url, headers, redirect } = request
    if (!`.${new URL(url).host}`.endsWith(`.${host}`)) return new Response(null, { status: 410 })
    const id = headers.get('webhook-id') ?? ''
    const received = { url, id, headers, redirect, body: await request.text() }
    server.received.push(received)
    return server.answer(received)
  })
  return server
}

/** Sets the settings of the site. */
export async function configure({ ask }: FreshSite, settings: Record<string, unknown>): Promise<void> {
  const response = await ask('/settings', { method: 'PUT', body: settings })
  if (response.status !== 200) throw new Error(await response.text())
}

/** Makes a notification key; @param of whose: `/callbacks/shop-2` */
export async function makeKey({ ask }: FreshSite, of = ''): Promise<{ id: string; key: string }> {
  const response = await ask(`/settings${of}/notificationKeys`, { method: 'POST' })
  return z.object({ id: z.string(), key: z.string() }).parse(await response.json())
}

/** A page of the site's notifications; by default the newest 100. */
export async function logOf({ ask }: FreshSite, query = 'limit=100') {
  return strict(NotificationsAnswer).parse(await (await ask(`/notifications?${query}`)).json())
}
