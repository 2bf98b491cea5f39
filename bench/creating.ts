// The load of most parts of the bench: creates on many connections.
import type { Setting } from './figures.ts'
import { drive, type Measured } from './load.ts'
import { creates } from './requests.ts'

export const CONNECTIONS = 32
const WARM_UP = 0.3
const FIRST_WARM_UP = 1.5
const SMALLEST_WARM_UP = 0.1

/** @param faults takes those of every load */
export function creating(faults: string[], { isSmallest }: Pick<Setting, 'isSmallest'>) {
  const run = async (port: number, seconds: number, warmUp: number): Promise<Measured> => {
    const request = creates('none')
    const measured = await drive({ port, connections: CONNECTIONS, request, seconds, warmUp })
    faults.push(...measured.faults)
    return measured
  }
  return {
    /** For a server that has just started. */
    warmUp: (port: number) => run(port, 0, isSmallest ? SMALLEST_WARM_UP : FIRST_WARM_UP),
    measure: (port: number, seconds: number) => run(port, seconds, isSmallest ? SMALLEST_WARM_UP : WARM_UP),
  }
}

/** Does a work so many times, on as many connections as the load has. */
export async function inParallel(count: number, work: () => Promise<unknown>): Promise<void> {
  let left = count
  const one = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
}
