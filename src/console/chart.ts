// The chart of a day: an hour is a bar, drawn as SVG. Hollow bars are QR codes that were created, solid ones payments.
import { html } from 'hono/html'
import type { DayFigures } from '../contract/day-report.ts'
import type { Html } from '../web/layout.ts'

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [720, 220, 44, 32, 12]
const STEP = (WIDTH - LEFT) / 24
const BAR = STEP * 0.72

/** @param label what the chart shows, for a screen reader */
export function chart({ hours }: Pick<DayFigures, 'hours'>, label: string): Html {
  const highest = nice(Math.max(...hours.flatMap(({ created, payments }) => [created, payments])))
  const height = HEIGHT - BOTTOM - TOP
  const y = (count: number) => TOP + height * (1 - count / highest)
  const bar = (className: string, hour: number, count: number, inset: number) =>
    count > 0 &&
    html`<rect class="${className}" x="${fixed(LEFT + hour * STEP + (STEP - BAR) / 2 + inset)}" y="${fixed(
      y(count),
    )}" width="${fixed(BAR - 2 * inset)}" height="${fixed(y(0) - y(count))}" rx="2"/>`
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${[
    0,
    highest / 2,
    highest,
  ].map(
    (count) =>
      html`<path class="grid" d="M${LEFT} ${fixed(y(count))}H${WIDTH}"/>${
        Number.isInteger(count) &&
        html`<text x="${LEFT - 6}" y="${fixed(y(count) + 4)}" text-anchor="end">${count}</text>`
      }`,
  )}${hours.map(({ created, payments }, hour) => [
    bar('made', hour, created, 0),
    bar('paid', hour, payments, 3),
    hour % 3 === 0 &&
      html`<text x="${fixed(LEFT + (hour + 0.5) * STEP)}" y="${HEIGHT - 6}" text-anchor="middle">${hour}</text>`,
  ])}</svg>`
}

/** The least number of 2, 4, 10, 20, 40, 100 … that is not less: its half is a whole number. */
function nice(count: number): number {
  for (let power = 1; ; power *= 10) {
    const found = [2, 4, 10].find((each) => each * power >= count)
    if (found !== undefined) return found * power
  }
}

const fixed = (value: number): string => value.toFixed(1).replace(/\.0$/, '')
