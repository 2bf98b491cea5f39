// The examples of the guides: npm run examples writes those that tests run into the guides, so that a guide is whole where it is read.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A mark, and below it what was written there. */
const EXAMPLE = /^<!-- example (\w+) -->\n(?:(?:(?!<!-- example )[\s\S])*?^<!-- end of example -->\n)?/gm
/** What makes the languages after the first one open by a click; the site has tabs instead. */
const FOLD =
  /^<!-- (?:example \w+|end of example) -->\n+|^<details><summary>\w+<\/summary>\n+|^<\/details>\n+/gm

/**
 * Writes the example below each mark `<!-- example create -->`: Node from the client's README, Python and PHP from examples/.
 * @param read gives the text of a file, by its path from the root
 * @throws Error where an example has no source
 */
export function withExamples(guide: string, read: (file: string) => string): string {
  return guide.replace(EXAMPLE, (_, name: string) => {
    const source = new RegExp(`\`\`\`js\\n// ${name}\\.mjs\\n([\\s\\S]*?)\\n\`\`\``)
    const [, js] = source.exec(read('client/README.md')) ?? []
    if (js === undefined) throw new Error(`client/README.md has no example ${name}.mjs`)
    const folder = (language: string) => (name === 'receive' ? 'receiver/receiver' : `${language}/${name}`)
    const parts = [
      `<!-- example ${name} -->`,
      block('js', js),
      folded('Python', block('python', read(`examples/${folder('python')}.py`))),
      folded('PHP', block('php', read(`examples/${folder('php')}.php`))),
      '<!-- end of example -->\n',
    ]
    return parts.join('\n\n')
  })
}

const block = (language: string, code: string) => `\`\`\`${language}\n${code.trim()}\n\`\`\``
const folded = (name: string, code: string) => `<details><summary>${name}</summary>\n\n${code}\n\n</details>`

/** The examples as blocks of code that follow each other, which the site shows as tabs. */
export const unfolded = (guide: string): string =>
  guide.replace(EXAMPLE, (example) => example.replace(FOLD, ''))

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  const guides = join(root, 'docs/guides')
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  for (const name of readdirSync(guides, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue
    const file = join(guides, name)
    const text = readFileSync(file, 'utf8')
    const filled = withExamples(text, read)
    if (filled !== text) writeFileSync(file, filled)
  }
}
