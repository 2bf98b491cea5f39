// Joins blocks of code in several languages into one example with tabs.

const TABS: Record<string, string> = { sh: 'curl', js: 'Node', python: 'Python', php: 'PHP' }

/** Blocks of code in different languages that follow each other are one example: tabs. */
export function tabbed(text: string): string {
  return text.replace(/(?:^```(?:sh|js|python|php)\n(?:(?!```).*\n)*```\n\n?){2,}/gm, (blocks) => {
    const panels = Array.from(blocks.matchAll(/^```(\w+)\n[\s\S]*?^```$/gm), ([block, language = '']) => ({
      name: TABS[language] ?? language,
      block,
    }))
    if (new Set(panels.map(({ name }) => name)).size < panels.length) return blocks
    return `<docs-tabs>\n\n${panels
      .map(
        ({ name, block }) =>
          `<section data-tab="${name}">\n\n<p class="tab-name">${name}</p>\n\n${block}\n\n</section>`,
      )
      .join('\n\n')}\n\n</docs-tabs>\n\n`
  })
}
