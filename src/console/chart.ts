// The chart of a period, drawn as SVG: solid bars are what was paid in an hour or on a day, bars below the line what was refunded,
// hollow bars what was paid in the period before.
import { html } from 'hono/html'
import type { PartFigures } from '../contract/day-report.ts'
import type { Html } from '../web/layout.ts'

const [WIDTH, HEIGHT, BOTTOM, TOP] = [720, 280, 34, 32]
/** The height of the least amount, so that it is seen. */
const LEAST = 2

interface Chart {
  parts: readonly PartFigures[]
  /** The parts of the period before, by their place in it. */
  before: readonly PartFigures[]
  /** What the chart shows, for a screen reader. */
  label: string
  /** The text below a bar; empty for none. */
  nameOf(part: number): string
  /** The text at the highest line. @param minorUnits its height */
  sumOf(minorUnits: number): string
}

export function chart({ parts, before, label, nameOf, sumOf }: Chart): Html {
  const count = Math.max(parts.length, before.length)
  const [step, refunded] = [WIDTH / count, Math.max(...parts.map((part) => part.refunded))]
  const highest = nice(Math.max(1, ...[...parts, ...before].map(({ paid }) => paid)))
  const scale = (HEIGHT - BOTTOM - TOP) / (highest + refunded)
  const zero = TOP + highest * scale
  const bar = (className: string, part: number, sum: number, share: number) => {
    if (sum === 0) return ''
    const [height, width] = [Math.max(LEAST, Math.abs(sum) * scale), step * share]
    const x = fixed(part * step + (step - width) / 2)
    const y = fixed(sum > 0 ? zero - height : zero)
    return html`<rect class="${className}" x="${x}" y="${y}" width="${fixed(width)}" height="${fixed(height)}" rx="2"/>`
  }
  const lines = [highest, highest / 2, 0].map((sum) => ({ sum, y: fixed(zero - sum * scale) }))
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${lines.map(
    ({ sum, y }) => html`<path class="${sum > 0 ? 'grid' : 'zero'}" d="M0 ${y}H${WIDTH}"/>`,
  )}${before.map(({ paid }, part) => bar('before', part, paid, 0.8))}${parts.map((part, at) => [
    bar('paid', at, part.paid, 0.56),
    bar('refunded', at, -part.refunded, 0.56),
  ])}<text x="0" y="${TOP - 6}">${sumOf(highest)}</text>${parts.map(
    (_, part) =>
      nameOf(part) &&
      html`<text x="${fixed((part + 0.5) * step)}" y="${HEIGHT - 6}" text-anchor="middle">${nameOf(part)}</text>`,
  )}</svg>`
}

/** The least number of 2, 4, 10, 20, 40, 100 … units of the currency that is not less than hundredths of it. */
function nice(minorUnits: number): number {
  for (let power = 100; ; power *= 10) {
    const found = [2, 4, 10].find((each) => each * power >= minorUnits)
    if (found !== undefined) return found * power
  }
}

const fixed = (value: number): string => value.toFixed(1).replace(/\.0$/, '')
