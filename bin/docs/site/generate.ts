// Runs Starlight on the pages in DOCS_CONTENT: node generate.ts OUTPUT WORK. Two languages, a sidebar, our style.
import { join } from 'node:path'
import starlight from '@astrojs/starlight'
import { build } from 'astro'
import { GUIDES, IN_DEPTH, REFERENCE, ROOT_LINK } from '../pages.ts'

const here = import.meta.dirname
const item = ({ slug, en, ru }: { slug: string; en: string; ru: string }) => ({
  slug,
  label: en,
  translations: { ru },
})

/** What Starlight has in English only, or says in other words. */
const RUSSIAN = {
  // Its own text says "not yet".
  'i18n.untranslatedContent': 'Эта страница только на английском',
  'search.cancelLabel': 'Отмена',
  'pagefind.clear_search': 'Очистить',
  'pagefind.load_more': 'Показать ещё',
  'pagefind.search_label': 'Поиск по документации',
  'pagefind.filters_label': 'Фильтры',
  'pagefind.zero_results': 'По запросу «[SEARCH_TERM]» ничего не найдено',
  'pagefind.many_results': 'Найдено по запросу «[SEARCH_TERM]»: [COUNT]',
  'pagefind.one_result': 'Найдено по запросу «[SEARCH_TERM]»: [COUNT]',
  'pagefind.alt_search':
    'По запросу «[SEARCH_TERM]» ничего не найдено. Показано найденное по запросу «[DIFFERENT_TERM]»',
  'pagefind.search_suggestion': 'По запросу «[SEARCH_TERM]» ничего не найдено. Попробуйте другой запрос:',
  'pagefind.searching': 'Идёт поиск по запросу «[SEARCH_TERM]»…',
}

const [output = '', work = ''] = process.argv.slice(2)

// The highlighter leaves a line half coloured after half a second of the clock. On a slow machine the site would differ.
const { now } = Date
const begin = now()
Date.now = () => begin + Math.trunc((now() - begin) / 1000)

await build({
  configFile: false,
  logLevel: 'error',
  root: here,
  srcDir: here,
  publicDir: join(here, 'public'),
  outDir: output,
  cacheDir: join(work, 'cache'),
  base: '/docs',
  build: { format: 'file', inlineStylesheets: 'never' },
  compressHTML: true,
  devToolbar: { enabled: false },
  // A script in the page would need a hash in its Content-Security-Policy.
  vite: { build: { assetsInlineLimit: 0 } },
  image: { service: { entrypoint: 'astro/assets/services/noop' } },
  integrations: [
    starlight({
      title: { en: 'FPS payment QR codes', ru: 'QR-коды СБП' },
      logo: { src: join(here, '../../../public/icon.svg'), alt: '' },
      favicon: '/icon.svg',
      defaultLocale: 'root',
      locales: { root: { label: 'English', lang: 'en' }, ru: { label: 'Русский', lang: 'ru' } },
      customCss: [join(here, 'style.css')],
      head: ['language', 'page'].map((name) => ({
        tag: 'script',
        attrs: { type: 'module', src: `/docs/${name}.js` },
      })),
      disable404Route: true,
      credits: false,
      pagination: true,
      plugins: [
        {
          name: 'texts',
          hooks: {
            // A plugin must have it.
            'config:setup': () => {},
            'i18n:setup': ({ injectTranslations }) => injectTranslations({ ru: RUSSIAN }),
          },
        },
      ],
      expressiveCode: {
        themes: ['github-dark', 'github-light'],
        useStarlightUiThemeColors: true,
        // Nothing scrolls sideways, on a phone either.
        defaultProps: { wrap: true, preserveIndent: true, frame: 'none' },
        styleOverrides: { borderRadius: '0.5rem', codeFontSize: '0.8125rem', uiFontSize: '0.8125rem' },
      },
      sidebar: [
        { label: 'Guides', translations: { ru: 'Руководства' }, items: GUIDES.map(item) },
        {
          label: 'API reference',
          translations: { ru: 'Справочник (англ.)' },
          items: REFERENCE.map(item),
        },
        {
          label: 'In depth',
          translations: { ru: 'Подробно (англ.)' },
          collapsed: true,
          items: IN_DEPTH.map(item),
        },
        { label: 'Start page', translations: { ru: 'Главная страница' }, link: ROOT_LINK },
        {
          label: 'OpenAPI 3.1',
          link: `${ROOT_LINK}openapi.json`,
        },
      ],
    }),
  ],
})
