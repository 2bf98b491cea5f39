/// <reference types="vite/types/importMeta.d.ts" />
// The delays between attempts to deliver a notification, as docs/contract.md has them.

const MILLISECONDS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000 }

/** The delays of a text, in milliseconds: a unit counts for all numbers before it. */
export function delaysIn(text: string): number[] {
  const numbers = text.replaceAll(/three times (\d+)/g, '$1 $1 $1').matchAll(/(\d+)|\b([smh])\w*/g)
  const delays: number[] = []
  let waiting: number[] = []
  for (const [, digits, unit = ''] of numbers) {
    if (digits) waiting.push(Number(digits))
    else {
      delays.push(...waiting.map((each) => each * (MILLISECONDS[unit] ?? Number.NaN)))
      waiting = []
    }
  }
  return delays
}

const [contract = ''] = Object.values(
  import.meta.glob<string>('../../docs/contract.md', { query: '?raw', import: 'default', eager: true }),
)

/** Milliseconds from each failed attempt to the next. */
export const RETRY_DELAYS = delaysIn(/repeated after (.*?), each/s.exec(contract)?.[1] ?? '')
