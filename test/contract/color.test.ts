// Contrasts of colours, as WCAG 2.2 defines them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLACK, contrast, legibleOn, WHITE, withContrast } from '../../src/contract/color.ts'

const colors = fc
  .tuple(...Array.from({ length: 3 }, () => fc.integer({ min: 0, max: 255 })))
  .map((channels) => `#${channels.map((each) => each.toString(16).padStart(2, '0')).join('')}`)

describe('the contrast of two colours', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    // On both sides of the threshold 0.04045, below which the curve is a line.
    ['#010101', '#ffffff', 20.8733],
    ['#0b0b0b', '#ffffff', 19.6826],
    ['#767676', '#ffffff', 4.5422],
    ['#ff0000', '#ffffff', 3.9985],
    ['#008000', '#ffffff', 5.1374],
    ['#0000ff', '#ffffff', 8.5925],
    ['#0000ff', '#ff0000', 2.1489],
    ['#1b4fd6', '#1b4fd6', 1],
  ])('of %s and %s is %d', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 3)
    expect(contrast(other, one)).toBe(contrast(one, other))
  })
})

it('a text on any colour is legible', () => {
  fc.assert(fc.property(colors, (color) => contrast(legibleOn(color), color) >= 4.5))
})

it.each([
  ['#767676', '#ffffff'],
  ['#777777', '#000000'],
])('a text on %s is %s', (color, text) => {
  expect(legibleOn(color)).toBe(text)
})

describe.each([
  ['white', WHITE, BLACK],
  ['black', BLACK, WHITE],
])('on %s', (_, ground, towards) => {
  it('a colour with enough contrast stays as it is; any other gets enough', () => {
    fc.assert(
      fc.property(colors, (color) => {
        const changed = withContrast(color, ground, 4.5, towards)
        return contrast(color, ground) >= 4.5 ? changed === color : contrast(changed, ground) >= 4.5
      }),
    )
  })
})

it('a colour changes no more than it must', () => {
  expect(withContrast('#ffff00', WHITE, 4.5, BLACK)).toBe('#737300')
})
