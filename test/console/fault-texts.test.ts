// The faults of settlement files in Russian: of each text that a parser writes.
import { expect, it } from 'vitest'
import { faultInRussian } from '../../src/console/settlement/fault-texts.ts'

const PARSERS = import.meta.glob<string>('../../src/settlement/formats/*.ts', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** Texts in quotes that say what is there, or what must be: with 5 in place of what a template has. */
const TEXTS = Object.values(PARSERS).flatMap((source) =>
  Array.from(source.matchAll(/(['`])((?:is|has|must|follows) (?:(?!\1).)*)\1/g), ([, , text = '']) =>
    text.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '5'),
  ),
)

it('are found in the sources', () => expect(TEXTS.length).toBeGreaterThan(70))

it.each([...new Set(TEXTS)])('%s has a Russian text', (text) => {
  const russian = faultInRussian(text)
  expect(russian).toBeDefined()
  expect(russian).not.toMatch(/\b(?:is|are|must|has|be|the|of)\b/)
})

it.each([
  ['is 1,234, must have two digits behind a point', '«1,234», после точки нужны две цифры'],
  ['is empty, must be digits', 'пусто, нужны цифры'],
  ['is missing, must be a column', 'столбца или поля нет, должно быть'],
  ['has 20 cells, must have 21', 'ячеек: 20, нужно 21'],
  [
    'is 99.00, must be 98.60, the amount less the fees',
    '«99.00», по остальным числам файла должно быть 98.60',
  ],
  ['is -0.71, differs from -0.70 of the file a, must be b', '«-0.71», а в файле «a, must be b» «-0.70»'],
  ['is not stated, differs from 2026-11-21 of the file a', 'не указано, а в файле «a» «2026-11-21»'],
  // A cell can have what a rule has, and a sign that a replacement would take for another.
  ['is a, must be b, must be digits', '«a, must be b», нужны цифры'],
  ['is $1 $&, must be digits', '«$1 $&», нужны цифры'],
])('%s: %s', (text, russian) => expect(faultInRussian(text)).toBe(russian))

it('a text that no rule has stays as it is', () => expect(faultInRussian('another text')).toBeUndefined())
