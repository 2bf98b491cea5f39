// The chart of the console's first page.
import { expect, it } from 'vitest'
import { chart } from '../../src/console/chart.ts'

const of = (paid: number, refunded: number) => ({ created: 1, payments: 1, paid, refunds: 1, refunded })

/** The middles of two parts: the picture is 720 wide. */
const [FIRST, SECOND] = [180, 540].map((x) => expect.closeTo(x, 0))

it('what was paid stands on the zero line, what was refunded hangs below it, each in the middle of its part and as high as its sum', async () => {
  const drawn = `${await chart({
    parts: [of(100_00, 50_00), of(200_00, 0)],
    before: [of(50_00, 0)],
    label: 'chart',
    nameOf: () => '',
    sumOf: String,
  })}`
  const zero = Number(/class="zero" d="M0 ([\d.]+)H/.exec(drawn)?.[1])
  const bars = Array.from(
    drawn.matchAll(/class="(\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g),
    ([, name, x, y, width, height]) =>
      [name, Number(y) - zero, Number(height), Number(x) + Number(width) / 2] as const,
  )
  const unit = bars.find(([name]) => name === 'refunded')?.[2] ?? 0
  // The picture is 280 high; 34 below it are for names, 32 above it for the sum.
  expect([zero - 4 * unit, zero + unit]).toEqual([expect.closeTo(32, 0), expect.closeTo(246, 0)])
  expect(bars).toEqual([
    ['before', expect.closeTo(-unit, 0), expect.closeTo(unit, 0), FIRST],
    ['paid', expect.closeTo(-2 * unit, 0), expect.closeTo(2 * unit, 0), FIRST],
    ['refunded', 0, unit, FIRST],
    ['paid', expect.closeTo(-4 * unit, 0), expect.closeTo(4 * unit, 0), SECOND],
  ])
})
