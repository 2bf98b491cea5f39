// The search of the site: Pagefind, whose place it takes in the search box. A question is taken apart here: words that say nothing are
// dropped, others become the words of the pages, each is looked for by itself, and guides come before operations and the contract.
import { PHRASES, STOP_WORDS, SYNONYMS } from './search-words.js'

/** Pages whose texts are read to rank them. */
const RANKED = 16
/** What a page counts by its address: a guide answers a question, an operation or the contract says the rest. */
const KINDS = [
  [/\/in-depth\/(contract|operations|runbook|connector|banks)/, 0.35],
  [/\/in-depth\//, 0.45],
  [/\/reference\//, 0.45],
  [/\/errors/, 0.9],
  // The first page and the glossary name everything, and say little of it.
  [/\/docs\/(ru)?(\.html)?$|\/words/, 0.5],
]
/** A word of the title says what the page is about. */
const IN_TITLE = 1.8
/** A word counts as if at least so many pages had it: a rare word must not outweigh the subject of the question. */
const RARE = 6

/** One index per language. The index of the question's alphabet is asked, whatever language the page has. */
const indexes = new Map()
let settings = {}

/** What the search box has set for Pagefind. */
export async function options(given) {
  settings = { ...settings, ...given }
}

/** No page has a filter. */
export const filters = async () => ({})

/** Loads what the search of a text needs. */
export async function preload(term) {
  await indexOf(languageOf(term))
}

const languageOf = (term) => (/\p{Script=Cyrillic}/u.test(term) ? 'ru' : 'en')

function indexOf(language) {
  const known = indexes.get(language)
  if (known) return known
  const loaded = load(language)
  indexes.set(language, loaded)
  loaded.catch(() => indexes.delete(language))
  return loaded
}

async function load(language) {
  // All indexes of a module share one WebAssembly: with two languages one would read the memory of the other.
  const { createInstance } = await import(`./pagefind/pagefind.js?${language}`)
  // Pagefind takes the language of the page at this moment, and has no option for it.
  const { documentElement: html } = document
  const { lang } = html
  html.lang = language
  const index = createInstance(settings)
  html.lang = lang
  return index
}

export async function search(term, asked) {
  const language = languageOf(term)
  const index = await indexOf(language)
  const words = wordsOf(term, language)
  // One after the other: searches of one index at a time share its memory, and lose words.
  const lists = []
  for (const word of words) lists.push(await resultsOf(index, word, asked))
  const found = combined(lists)
  const ranked = await Promise.all(found.slice(0, RANKED).map((each) => rankedBy(each, words)))
  ranked.sort((a, b) => b.score - a.score)
  const results = [...ranked, ...found.slice(RANKED)].map(({ result }) => ({
    ...result,
    data: () => dataOf(result),
  }))
  return { results, unfilteredResultCount: results.length, filters: {}, totalFilters: {}, timings: {} }
}

/** The words that the pages are asked for; of a question of nothing but stop words, all of them. */
function wordsOf(term, language) {
  const asked = PHRASES[language].reduce(
    (text, [pattern, words]) => text.replace(pattern, words),
    term.normalize('NFC').toLowerCase(),
  )
  const typed = asked.match(/[\p{L}\p{N}_.-]+/gu) ?? []
  const meant = typed.filter((word) => !STOP_WORDS[language].has(word))
  const words = (meant.length > 0 ? meant : typed).flatMap(
    (word) => SYNONYMS[language].find(([pattern]) => pattern.test(word))?.[1] ?? [word],
  )
  return [...new Set(words)]
}

/** Pagefind looks for a word that no page has by the longest word that it begins with, which can be one letter: such are left out. */
async function resultsOf(index, word, asked) {
  const { results } = await index.search(word, asked)
  const [best] = results
  if (!best) return []
  const { content, locations, meta } = await best.data()
  const all = content.split(/[^\S\uFEFF]+/)
  const matches = [...locations.map((location) => all[location] ?? ''), meta.title ?? ''].map(lettersOf)
  return matches.some((match) => match.includes(beginningOf(word))) ? results : []
}

/** The pages of all words, by how well and how rarely each word is there. */
function combined(lists) {
  const pages = new Map()
  for (const results of lists) {
    const most = results[0]?.score ?? 1
    const rarity = Math.log(1 + 40 / Math.max(results.length, RARE))
    for (const result of results) {
      const page = pages.get(result.id) ?? { result, score: 0, words: 0 }
      page.score += rarity * Math.sqrt(result.score / most)
      page.words++
      pages.set(result.id, page)
    }
  }
  return [...pages.values()].sort((a, b) => b.score - a.score)
}

async function rankedBy({ result, score }, words) {
  const { url, meta } = await result.data()
  const kind = KINDS.find(([pattern]) => pattern.test(url))?.[1] ?? 1
  const title = (meta.title ?? '').split(/\s+/).map(lettersOf)
  const named = words.filter((word) => title.some((each) => each.startsWith(beginningOf(word)))).length
  return { result, score: score * kind * IN_TITLE ** named }
}

/** Pages of the reference have the titles of guides, so they say what they are. */
async function dataOf(result) {
  const data = await result.data()
  if (!/\/reference\//.test(data.url)) return data
  return { ...data, meta: { ...data.meta, title: `${data.meta.title} · API reference` } }
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
