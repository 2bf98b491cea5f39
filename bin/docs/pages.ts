// The pages of the site as Markdown files: the guides in two languages, the reference, and the longer documents.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS } from '../../src/errors.ts'
import type { OpenApiDocument } from '../../src/openapi/objects.ts'
import { unfolded } from './examples.ts'
import { notificationsPage, resourcePage, slugOf } from './reference.ts'
import { tabbed } from './tabs.ts'

export interface Page {
  /** Below the content folder: `ru/guides/refunds.md`. */
  path: string
  text: string
}

/** How documents link to a page of the site that is no document: it opens beside npm start. */
const LOCAL_DOCS = 'http://127.0.0.1:8787/docs/'

/** Stands for the root of the service in links; the build makes it relative, because PUBLIC_URL may have a path. */
export const ROOT_LINK = 'https://root.invalid/'

const docs = join(import.meta.dirname, '../../docs')

/** The guides, in the order of the sidebar; `file` is in docs/guides/{language}. */
export const GUIDES = [
  { file: 'index', slug: 'index', en: 'Overview', ru: 'Обзор' },
  { file: 'five-minutes', slug: 'guides/five-minutes', en: 'Five minutes', ru: 'За пять минут' },
  {
    file: 'notifications',
    slug: 'guides/notifications',
    en: 'Receive notifications',
    ru: 'Уведомления',
  },
  { file: 'refunds', slug: 'guides/refunds', en: 'Refunds', ru: 'Возвраты' },
  { file: 'receipts', slug: 'guides/receipts', en: 'Receipts (54-FZ)', ru: 'Чеки (54-ФЗ)' },
  { file: 'settlement', slug: 'guides/settlement', en: 'Settlement', ru: 'Выплаты банка' },
  { file: 'tokens', slug: 'guides/tokens', en: 'Tokens', ru: 'Токены' },
  {
    file: 'counter-and-static',
    slug: 'guides/counter-and-static',
    en: 'Counter and static codes',
    ru: 'Касса и постоянные коды',
  },
  { file: 'vendure', slug: 'guides/vendure', en: 'Vendure', ru: 'Vendure' },
  { file: 'medusa', slug: 'guides/medusa', en: 'Medusa', ru: 'Medusa' },
  { file: 'people', slug: 'guides/people', en: 'People', ru: 'Сотрудники' },
  { file: 'testing', slug: 'guides/testing', en: 'Testing', ru: 'Тестирование' },
  { file: 'errors', slug: 'errors', en: 'Errors', ru: 'Ошибки' },
  {
    file: 'questions',
    slug: 'guides/questions',
    en: 'Questions and answers',
    ru: 'Вопросы и ответы',
  },
  { file: 'going-live', slug: 'guides/going-live', en: 'Going live with a bank', ru: 'Запуск с банком' },
  { file: 'self-hosting', slug: 'guides/self-hosting', en: 'Self-hosting', ru: 'На своём сервере' },
  { file: 'words', slug: 'guides/words', en: 'Words of the two addresses', ru: 'Слова двух адресов' },
] as const

/** The resources, in the order of the sidebar; `tag` is a group of operations in the OpenAPI document. */
export const REFERENCE = [
  { tag: 'QR codes', ru: 'QR-коды' },
  { tag: 'Payments', ru: 'Платежи' },
  { tag: 'Refunds', ru: 'Возвраты' },
  { tag: 'Receipts', ru: 'Чеки' },
  { tag: 'Tokens', ru: 'Токены' },
  { tag: 'Sales', ru: 'Продажи' },
  { tag: 'Settlement', ru: 'Сверка' },
  { tag: 'Reports', ru: 'Отчёты' },
  { tag: 'Events', ru: 'События' },
  { tag: 'Notifications', ru: 'Уведомления' },
  { tag: 'Settings', ru: 'Настройки' },
  { tag: 'API keys', ru: 'Ключи API' },
  { tag: 'People', ru: 'Сотрудники' },
  { tag: 'Payment network', ru: 'Платёжная сеть' },
  { tag: 'Search', ru: 'Поиск' },
  { tag: 'Sandbox bank', ru: 'Тестовый банк' },
  { tag: 'Operator', ru: 'Оператор' },
].map(({ tag, ru }) => ({ tag, slug: slugOf(tag), en: tag, ru }))

/** Documents of docs/ that are pages of the site as they are. */
export const IN_DEPTH = [
  { file: 'contract', en: 'The contract', ru: 'Контракт' },
  { file: 'console', en: 'The console', ru: 'Кабинет' },
  { file: 'operations', en: 'Operations', ru: 'Эксплуатация' },
  { file: 'self-hosting', en: 'Self-hosting in full', ru: 'Свой сервер подробно' },
  { file: 'runbook', en: 'Alerts and what to do', ru: 'Тревоги и действия' },
  { file: 'connector', en: 'Connecting to the network', ru: 'Подключение к сети' },
  { file: 'banks', en: 'Banks', ru: 'Банки' },
  { file: 'cash-registers', en: 'Cash registers', ru: 'Кассы' },
  { file: 'settlement', en: 'Settlement files of banks', ru: 'Файлы выплат банков' },
].map((document) => ({ ...document, slug: `in-depth/${document.file}` }))

export function pagesOf(document: OpenApiDocument): Page[] {
  const guides = (['en', 'ru'] as const).flatMap((language) =>
    GUIDES.map(({ file, slug }) => {
      const text = readFileSync(join(docs, 'guides', language, `${file}.md`), 'utf8')
      return { path: pathOf(slug, language), text: page(text, `guides/${language}`, language) }
    }),
  )
  const reference = REFERENCE.map(({ tag, slug }) => ({
    path: pathOf(slug, 'en'),
    text: withTitle(
      tag === 'Notifications' ? notificationsPage(document) : resourcePage(document, tag),
      'tableOfContents: false',
    ),
  }))
  const inDepth = IN_DEPTH.map(({ file, slug }) => ({
    path: pathOf(slug, 'en'),
    text: page(readFileSync(join(docs, `${file}.md`), 'utf8'), '', 'en'),
  }))
  return [...guides, ...reference, ...inDepth]
}

const pathOf = (slug: string, language: 'en' | 'ru') => `${language === 'ru' ? 'ru/' : ''}${slug}.md`

/** A document of the repository as a page: links and commands as the site needs them. */
function page(text: string, folder: string, language: 'en' | 'ru'): string {
  const changed = outsideCode(unfolded(text).replace(/^```mermaid\n.*?^```\n/gms, ''), (prose) =>
    withErrorAnchors(linked(prose, folder, language)),
  )
  return withTitle(tabbed(changed))
}

/** The heading is the page's title, its first paragraph the description. */
function withTitle(text: string, more = ''): string {
  const [, title = '', body = ''] = /^# (.+)\n([\s\S]*)$/.exec(text.trimStart()) ?? []
  const [first = ''] = body.trim().split('\n\n')
  const description = /^[\p{L}`*]/u.test(first) ? plain(first) : title
  const head = [`title: ${JSON.stringify(plain(title))}`, `description: ${JSON.stringify(description)}`, more]
  return `---\n${head.filter(Boolean).join('\n')}\n---\n${body}`
}

const plain = (markdown: string) =>
  markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')

/** Changes what is not a block of code. */
const outsideCode = (text: string, change: (prose: string) => string) =>
  text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : change(part)))
    .join('')

/**
 * Links to other documents lead to their pages, and say where those are in English alone; of a link to a source file the
 * text stays, for the site has no source.
 */
function linked(text: string, folder: string, language: 'en' | 'ru'): string {
  return text.replace(/(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g, (link, label: string, to: string) => {
    const reference = to.startsWith(LOCAL_DOCS) ? to.slice(LOCAL_DOCS.length) : undefined
    if (reference === undefined && /^(https?:|#)/.test(to)) return link
    const [address = '', hash] = to.split('#')
    const path =
      reference ?? new URL(address, `https://docs.invalid/${folder ? `${folder}/` : ''}`).pathname.slice(1)
    const slug = slugOfFile(path, language)
    if (slug === undefined) return label
    const note = /^ru\/(reference|in-depth)\//.test(slug) ? ' (англ.)' : ''
    return `[${label}](/docs/${slug}${hash ? `#${hash}` : ''})${note}`
  })
}

function slugOfFile(path: string, language: 'en' | 'ru'): string | undefined {
  const prefix = language === 'ru' ? 'ru/' : ''
  const guide = /^guides\/(?:en|ru)\/([\w-]+)\.md$/.exec(path)?.[1]
  const resource = /^reference\/([\w-]+)$/.exec(path)?.[1]
  if (resource !== undefined) return `${prefix}reference/${resource}`
  if (guide === undefined) {
    const document = IN_DEPTH.find(({ file }) => path === `${file}.md`)
    return document && prefix + document.slug
  }
  const found = GUIDES.find(({ file }) => file === guide)
  if (!found) throw new Error(`a guide links to ${path}, which is not a guide`)
  return found.slug === 'index' ? prefix : prefix + found.slug
}

/** `Link: <…/docs/errors#validation.error>` in an error's answer leads to the heading of its code. */
const withErrorAnchors = (text: string) =>
  text.replace(/^### `([\w.-]+)`/gm, (heading, code: string) =>
    code in ERRORS ? `<a class="anchor" id="${code}"></a>\n\n${heading}` : heading,
  )
