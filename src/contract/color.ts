// Colours as a merchant writes them, and their contrast (WCAG 2.2, "relative luminance" and "contrast ratio").

/** `#1b4fd6`. */
export const COLOR = /^#[0-9a-f]{6}$/i

export const WHITE = '#ffffff'
export const BLACK = '#000000'

/** The contrast ratio of two colours, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The colour of a text that is legible on another: of white and black one always has a contrast of 4.5. */
export const legibleOn = (color: string): string => (contrast(color, WHITE) >= 4.5 ? WHITE : BLACK)

/** The colour, mixed with another until it has a contrast with a ground. */
export function withContrast(color: string, ground: string, least: number, towards: string): string {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, towards, share)
    if (contrast(mixed, ground) >= least) return mixed
  }
  return towards
}

const mix = (color: string, other: string, share: number): string => {
  const to = channels(other)
  const mixed = channels(color).map((each, i) => Math.round(each + ((to[i] ?? 0) - each) * share))
  return `#${mixed.map((each) => each.toString(16).padStart(2, '0')).join('')}`
}

const channels = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((each) => {
    const value = each / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
