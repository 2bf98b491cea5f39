// The examples in the guides are those of the client's README and of examples/, which other tests run.
import { describe, expect, it } from 'vitest'
import { unfolded, withExamples } from '../../bin/docs/examples.ts'

const files = import.meta.glob<string>(
  ['../../docs/guides/*/*.md', '../../client/README.md', '../../examples/*/*.{py,php}'],
  { query: '?raw', import: 'default', eager: true },
)
const read = (file: string): string => {
  const text = files[`../../${file}`]
  if (text === undefined) throw new Error(`there is no ${file}`)
  return text
}
const guides = Object.entries(files).filter(
  ([file, text]) => file.includes('/guides/') && text.includes('<!-- example '),
)

it('are in ten guides', () => expect(guides.length).toBe(10))

describe.each(guides)('%s', (_, text) => {
  it('has each example as its source has it: npm run examples writes them', () =>
    expect(text).toBe(withExamples(text, read)))

  it('is a page of blocks of code alone, without what folds them', () => {
    expect(unfolded(text)).not.toMatch(/<!--|<\/?details>/)
    const blocks = (of: string) => of.match(/^```\w+\n[\s\S]*?^```$/gm)
    expect(blocks(unfolded(text))).toEqual(blocks(text))
  })
})

it('an example that is not written yet takes no text of the next one', () => {
  const [[, guide = ''] = []] = guides
  const both = `<!-- example wait -->\n\nbetween\n\n${guide}`
  expect(withExamples(both, read)).toBe(
    `${withExamples('<!-- example wait -->\n', read)}\nbetween\n\n${guide}`,
  )
})

it('an example without a source is refused by its name', () =>
  expect(() => withExamples('<!-- example nothing -->\n', read)).toThrow(
    'client/README.md has no example nothing.mjs',
  ))
