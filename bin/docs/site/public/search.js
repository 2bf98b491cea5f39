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
  [/\/questions/, 0.65],
]
/** A word of the title says what the page is about. */
const IN_TITLE = 1.8
/** A word of a heading says what its section answers. */
const IN_HEADING = 3
/** What a page counts more, if a heading of it has all words of the question. */
const ANSWERED = 6
/** Pages whose headings say what they answer; those of the others name operations. */
const ANSWERS = /\/(guides\/|errors)/
/** What a word counts in a heading that was not typed, but is what the pages call it. */
const AS_MEANT = 0.5
/** What a word counts that was typed, and for which the pages have another one. */
const AS_TYPED = 0.3
/** How many sections of a page are shown: as many as the search box shows, so that it keeps their order. */
const SECTIONS = 3
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
  for (const word of words) lists.push({ ...word, results: await resultsOf(index, word.text, asked) })
  const found = combined(lists)
  const asksFor = lists.reduce((sum, { isTyped, results }) => sum + (isTyped ? rarityOf(results) : 0), 0)
  const ranked = await Promise.all(found.slice(0, RANKED).map((each) => rankedBy(each, words, asksFor)))
  ranked.sort((a, b) => b.score - a.score)
  const results = [...ranked, ...found.slice(RANKED)].map(({ result, sections }) => ({
    ...result,
    data: () => dataOf(result, sections),
  }))
  return { results, unfilteredResultCount: results.length, filters: {}, totalFilters: {}, timings: {} }
}

/**
 * The words that the pages are asked for; of a question of nothing but stop words, all of them. What was typed and the pages call
 * otherwise is looked for in sections alone.
 */
function wordsOf(term, language) {
  const asked = term.normalize('NFC').toLowerCase()
  const typed = meantIn(asked, language)
  const meant = meantIn(
    PHRASES[language].reduce((text, [pattern, words]) => text.replace(pattern, words), asked),
    language,
  ).flatMap((word) => SYNONYMS[language].find(([pattern]) => pattern.test(word))?.[1] ?? [word])
  return [...new Set([...meant, ...typed])].map((text) => ({
    text,
    isMeant: meant.includes(text),
    isTyped: typed.includes(text),
  }))
}

function meantIn(text, language) {
  const all = text.match(/[\p{L}\p{N}_.-]+/gu) ?? []
  const meant = all.filter((word) => !STOP_WORDS[language].has(word))
  return meant.length > 0 ? meant : all
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

const rarityOf = (results) => Math.log(1 + 40 / Math.max(results.length, RARE))

/** The pages of all words, by how well and how rarely each word is there. */
function combined(lists) {
  const pages = new Map()
  for (const { results, ...word } of lists) {
    const most = results[0]?.score ?? 1
    const rarity = rarityOf(results)
    for (const result of results) {
      const page = pages.get(result.id) ?? { result, score: 0, found: [] }
      page.score += rarity * Math.sqrt(result.score / most) * (word.isMeant ? 1 : AS_TYPED)
      page.found.push({ word, rarity, result })
      pages.set(result.id, page)
    }
  }
  return [...pages.values()].sort((a, b) => b.score - a.score)
}

/** @param asksFor how much the words say that were typed, together */
async function rankedBy({ result, score, found }, words, asksFor) {
  const { url, meta } = await result.data()
  const kind = KINDS.find(([pattern]) => pattern.test(url))?.[1] ?? 1
  const title = lettersIn(meta.title)
  const inTitle = words.filter(({ text, isMeant }) => isMeant && isIn(title, text)).length
  const sections = await sectionsOf(found)
  const named = Math.max(0, ...sections.map((section) => section.named))
  const answered = ANSWERS.test(url) ? Math.min(1, named / asksFor) ** 3 : 0
  return { result, score: score * kind * IN_TITLE ** inTitle * (1 + ANSWERED * answered), sections }
}

/** The sections of a page that have words, the best first; `named` is how much of what was typed their heading has. */
async function sectionsOf(found) {
  const sections = new Map()
  for (const { word, rarity, result } of found) {
    const { sub_results } = await result.data()
    for (const part of sub_results) {
      const section = sections.get(part.url) ?? { part, score: 0, named: 0, words: 0 }
      const { length } = part.locations
      section.score += (rarity * length) / (length + 1)
      if (isIn(lettersIn(part.title), word.text)) {
        const counts = rarity * (word.isTyped ? 1 : AS_MEANT)
        section.score += IN_HEADING * counts
        section.named += counts
        section.words++
      }
      if (length > section.part.locations.length) section.part = part
      sections.set(part.url, section)
    }
  }
  // Of two headings that have the same words of the question, the one that says nothing else.
  for (const section of sections.values())
    section.score *= 1 + section.words / (1 + meantOf(section.part.title).length)
  return [...sections.values()].sort((a, b) => b.score - a.score)
}

const meantOf = (title = '') => meantIn(title.toLowerCase(), languageOf(title))

/** Pages of the reference have the titles of guides, so they say what they are. The best sections come first. */
async function dataOf(result, sections) {
  const data = await result.data()
  const sub_results = sections?.slice(0, SECTIONS).map(({ part }) => part) ?? data.sub_results
  if (!/\/reference\//.test(data.url)) return { ...data, sub_results }
  return { ...data, sub_results, meta: { ...data.meta, title: `${data.meta.title} · API reference` } }
}

/** The words of a heading; of one with hyphens or dots its parts too. */
const lettersIn = (text = '') => [text.split(/\s+/), text.split(/[\s.-]+/)].flat().map(lettersOf)
const isIn = (letters, word) => letters.some((each) => each.startsWith(beginningOf(word)))

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
