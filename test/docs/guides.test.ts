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

describe('the guide on errors', () => {
  /** The sections of codes: the code, the status, and the text after it on one line. */
  const sectionsOf = ({ errors = '' }: Record<string, string>) =>
    Array.from(
      errors.matchAll(/^### `([\w.-]+)`\n\n\*\*(\d+)\.\*\* (\S[\s\S]*?)(?=\n### |\n## |$(?![\s\S]))/gm),
      ([, code = '', status, text = '']) => ({
        code,
        status: Number(status),
        text: text.replaceAll(/\s+/g, ' '),
      }),
    )

  it.each([
    ['English', en],
    ['Russian', ru],
  ])('has every error with its status, in %s', (_, texts) =>
    expect(sectionsOf(texts).map(({ code, status }) => [code, status])).toEqual(
      Object.entries(ERRORS).map(([code, { status }]) => [code, status]),
    ),
  )

  it('begins with the words of the service, in English', () => {
    const sentences = Object.entries(ERRORS).map(([code, { when }]) => [code, `${when}.`])
    const length = new Map(sentences.map(([code = '', text = '']) => [code, text.length]))
    expect(sectionsOf(en).map(({ code, text }) => [code, text.slice(0, length.get(code))])).toEqual(sentences)
  })

  it.each([
    ['http.url.not.found', '`//payin/v1`', '`//payin/v1`'],
    ['http.media.type.not.supported', '`Content-Encoding` such as `gzip` is refused', '`gzip`'],
    ['service.unavailable', 'memory limit', 'память'],
  ])('%s names a cause that people stumble over', (code, english, russian) => {
    const textOf = (texts: Record<string, string>) =>
      sectionsOf(texts).find((section) => section.code === code)?.text
    expect(textOf(en)).toContain(english)
    expect(textOf(ru)).toContain(russian)
  })
})
