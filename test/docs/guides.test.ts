// The guides: both languages have the same, and the page on errors has every error.
import { describe, expect, it } from 'vitest'
import { ERRORS } from '../../src/errors.ts'

const texts = import.meta.glob<string>('../../docs/guides/*/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const guides = (language: string) =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([file, text]) => {
      const [, name] = new RegExp(`/${language}/([\\w-]+)\\.md$`).exec(file) ?? []
      return name === undefined ? [] : [[name, text] as const]
    }),
  )
const [en, ru] = [guides('en'), guides('ru')]

it('are the same in both languages', () => {
  expect(Object.keys(en).length).toBeGreaterThan(8)
  expect(Object.keys(ru)).toEqual(Object.keys(en))
})

describe.each(Object.keys(en))('%s', (name) => {
  const shapeOf = (text = '') => ({
    headings: Array.from(text.matchAll(/^(#+) /gm), ([, level]) => level),
    examples: Array.from(text.matchAll(/^<!-- example \w+ -->$/gm), ([example]) => example),
    // What is quoted can be translated.
    commands: Array.from(text.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, command = '']) =>
      command.replace(/"(name|comment|paymentPurpose|tokenizationPurpose)":"[^"]*"/g, '"$1":"…"'),
    ),
  })

  it('has the same parts, examples and commands in both languages', () =>
    expect(shapeOf(ru[name])).toEqual(shapeOf(en[name])))
})

it.each([
  ['English', en],
  ['Russian', ru],
])('the guide on errors has every error with its status, in %s', (_, { errors = '' }) => {
  const sections = Array.from(
    errors.matchAll(/^### `([\w.-]+)`\n\n\*\*(\d+)\.\*\* \S/gm),
    ([, code, status]) => [code, Number(status)],
  )
  const known = sections.filter(([code = '']) => `${code}` in ERRORS)
  expect(known).toEqual(Object.entries(ERRORS).map(([code, { status }]) => [code, status]))
})
