// A hash that names an entry.
import { hash } from 'node:crypto'

/** SHA-256 of a text in UTF-8, as hex. */
export const digestOf = (text: string): string => hash('sha256', text, 'hex')
