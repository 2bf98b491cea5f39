// The search of the site: Pagefind, whose place it takes in the search box. Pagefind looks for a word that no page has by the
// longest word that it begins with, which can be one letter; such words are left out here.
import * as pagefind from './pagefind/pagefind.js'

export * from './pagefind/pagefind.js'

export async function search(term, options) {
  const found = await pagefind.search(term, options)
  const [best] = found.results
  // Every page of the result has the same words.
  if (!best) return found
  const matches = matchesOf(await best.data())
  const words = term.split(/\s+/).filter(lettersOf)
  const known = words.filter((word) => matches.some((match) => match.includes(beginningOf(word))))
  if (known.length === words.length) return found
  return known.length === 0 ? { ...found, results: [] } : search(known.join(' '), options)
}

/** The words of a page that Pagefind found. */
function matchesOf({ content, locations, meta }) {
  const words = content.split(/[^\S\uFEFF]+/)
  return [...locations.map((location) => words[location] ?? ''), meta.title ?? ''].map(lettersOf)
}

/** What a word and its other forms share: at least three letters, and half of them. */
function beginningOf(word) {
  const letters = lettersOf(word)
  return letters.slice(0, Math.max(3, Math.ceil(letters.length / 2)))
}

/** As Pagefind compares: without case, marks and punctuation. */
const lettersOf = (word) =>
  word
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
