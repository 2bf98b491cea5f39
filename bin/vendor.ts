// Copies the documentation viewer's files into the Worker's static assets; wrangler runs it before every build.
import { copyFileSync, mkdirSync } from 'node:fs'

const from = new URL('../node_modules/swagger-ui-dist/', import.meta.url)
const to = new URL('../public/docs/', import.meta.url)

mkdirSync(to, { recursive: true })
for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
  copyFileSync(new URL(file, from), new URL(file, to))
