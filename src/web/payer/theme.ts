// The colours of the payer's page that follow from the shop's own: legible on both grounds, light and dark.
import { BLACK, legibleOn, WHITE, withContrast } from '../../contract/color.ts'

/** --ground of public/payer.css in the light, --card in the dark: the grounds with the least contrast. */
const LIGHT = '#f2f4f7'
const DARK = '#17191f'

/**
 * Rules beside public/payer.css.
 * @param color of the shop's buttons, `#1b4fd6`
 * @param part of the page that has them
 */
export function themeOf(color: string, part = ':root'): string {
  const dark = withContrast(color, DARK, 3, WHITE)
  return `${part}{${rules(color, withContrast(color, LIGHT, 4.5, BLACK))}}@media (prefers-color-scheme:dark){${part}{${rules(dark, withContrast(color, DARK, 4.5, WHITE))}}}`
}

/** Rules beside public/print.css: paper is white, whatever the screen is. */
export const paperThemeOf = (color: string): string => `:root{${rules(color, color)}}`

const rules = (button: string, link: string) => `--act:${button};--on-act:${legibleOn(button)};--link:${link}`
