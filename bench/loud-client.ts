// A client in a process of its own: what its responses cost is not in the latencies that the bench measures beside it.
import * as z from 'zod'
import { driveOpenLoop } from './load.ts'
import { creates, ONE_SITE, siteOf, sometimes } from './requests.ts'

/** What it sends: creates of one site; or as many requests, of which one in ten is a create and the others ask for /healthz. */
const REQUESTS = {
  creates: creates('none', ONE_SITE),
  floor: sometimes(10, creates('none', [await siteOf('steady')])),
}
const Order = z.object({
  port: z.number(),
  rate: z.number(),
  seconds: z.number(),
  warmUp: z.number(),
  requests: z.enum(['creates', 'floor']),
  accepts: z.enum(['429', '503']),
})
export type Order = z.infer<typeof Order>

process.on('message', async (message) => {
  const { requests, ...load } = Order.parse(message)
  const { faults } = await driveOpenLoop({
    ...load,
    request: REQUESTS[requests],
    isCoarse: true,
  })
  process.send?.(faults)
})
