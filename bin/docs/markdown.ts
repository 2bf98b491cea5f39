// The descriptions of an OpenAPI document as HTML.
import { html } from 'hono/html'

/** Paragraphs and lists. */
export const text = (markdown: string) =>
  markdown.split('\n\n').map((block) =>
    block.startsWith('- ')
      ? html`<ul>${block
          .split(/^- /m)
          .slice(1)
          .map((item) => html`<li>${inline(item)}</li>`)}</ul>`
      : html`<p>${inline(block)}</p>`,
  )

/** Text with `code` and **strong**. */
export const inline = (markdown: string) =>
  markdown.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    return part.startsWith('**') ? html`<strong>${part.slice(2, -2)}</strong>` : html`${part}`
  })
