// node generate.ts OUTPUT WORK: makes the site of the pages in DOCS_CONTENT. Two languages, the sidebar, our style; nothing
// comes from another origin.
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

const [output = '', work = ''] = process.argv.slice(2)

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
      head: [{ tag: 'script', attrs: { type: 'module', src: '/docs/page.js' } }],
      disable404Route: true,
      credits: false,
      pagination: true,
      plugins: [
        {
          name: 'texts',
          hooks: {
            // A plugin must have it.
            'config:setup': () => {},
            // Starlight's own text says "not yet".
            'i18n:setup': ({ injectTranslations }) =>
              injectTranslations({ ru: { 'i18n.untranslatedContent': 'Эта страница только на английском' } }),
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
