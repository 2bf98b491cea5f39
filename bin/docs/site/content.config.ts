// Where the pages are: the build writes them, from docs/ and from the OpenAPI document.

import { docsSchema } from '@astrojs/starlight/schema'
import { defineCollection } from 'astro/content/config'
import { glob } from 'astro/loaders'

export const collections = {
  docs: defineCollection({
    loader: glob({ base: process.env.DOCS_CONTENT ?? '', pattern: '**/*.md' }),
    schema: docsSchema(),
  }),
}
