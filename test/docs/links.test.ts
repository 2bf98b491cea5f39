// The links between documents, as GitHub and the documentation site follow them.
import { expect, it } from 'vitest'

const texts = Object.fromEntries(
  Object.entries(
    import.meta.glob<string>(
      ['../../*.md', '../../{docs,client,connector,examples}/**/*.md', '!**/node_modules/**'],
      {
        query: '?raw',
        import: 'default',
        eager: true,
      },
    ),
  ).map(([file, text]) => [new URL(file, 'file:///test/docs/').pathname, text]),
)

/** The id that GitHub, and the site, give a heading: of its punctuation nothing is left. */
const idOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

const prose = (text: string): string => text.replaceAll(/^ *```.*?^ *```$/gms, '')

function idsOf(text: string): Set<string> {
  const counts = new Map<string, number>()
  return new Set(
    Array.from(prose(text).matchAll(/^#+ (.+)$/gm), ([, heading = '']) => {
      const id = idOf(heading)
      const count = counts.get(id) ?? 0
      counts.set(id, count + 1)
      return count === 0 ? id : `${id}-${count}`
    }),
  )
}

it('a link to a heading of a document leads to it', () => {
  const ids = Object.fromEntries(Object.entries(texts).map(([file, text]) => [file, idsOf(text)]))
  let followed = 0
  const broken = Object.entries(texts).flatMap(([file, text]) =>
    Array.from(prose(text).matchAll(/\]\(([^)\s#]*)#([^)\s]+)\)/g)).flatMap(([link, to = '', id = '']) => {
      const known = ids[new URL(to, `file://${file}`).pathname]
      if (/^\w+:/.test(to) || !known) return []
      followed++
      return known.has(id) ? [] : [`${file}: ${link}`]
    }),
  )
  expect(broken).toEqual([])
  expect(followed).toBeGreaterThan(100)
})

it('no document has a section twice, but the changelog', () => {
  const repeated = Object.entries(texts).flatMap(([file, text]) => {
    const headings = Array.from(prose(text).matchAll(/^## .+$/gm), String)
    return headings.filter((each, i) => headings.indexOf(each) < i).map((each) => `${file}: ${each}`)
  })
  expect(repeated.filter((each) => !each.startsWith('/CHANGELOG.md'))).toEqual([])
})
