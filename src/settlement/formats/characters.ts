// Finds text that was decoded with another encoding than it has, and characters that no text has.

export type Encoding = 'utf-8' | 'windows-1251' | 'ibm866'

/** What bytes from 0x80 to 0xbf are in windows-1251: in UTF-8 these continue a character. */
const CONTINUATION = new TextDecoder('windows-1251').decode(
  Uint8Array.from({ length: 64 }, (_, i) => 0x80 + i),
)
// Neither of the characters that a class gives a meaning is among them: the brackets, ^, \ and -.
const NEXT = `[${CONTINUATION}]`

/** A text of windows-1251 whose bytes are UTF-8 throughout: Russian words are not. */
const READ_AS_1251 = new RegExp(String.raw`^(?:[\0-\x7f]|[В-Я]${NEXT}|[а-п]${NEXT}{2}|[р-ф]${NEXT}{3})*$`)

const PLAIN = /^[\t -~]*$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x08\x0a-\x1f\x7f-\x9f]/

/** What is wrong with the characters of a text that was decoded with `encoding`; undefined where nothing is. */
export function wrongCharacters(text: string, encoding: Encoding): string | undefined {
  if (PLAIN.test(text)) return undefined
  const [control] = CONTROL.exec(text) ?? []
  if (control !== undefined) {
    const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
    return `has the character U+${code}, must have none that controls`
  }
  if (encoding === 'utf-8' && text.includes('\ufffd')) return 'is not UTF-8, must be'
  if (encoding === 'windows-1251' && READ_AS_1251.test(text)) return 'is UTF-8, must be windows-1251'
  return undefined
}

/** Every other byte of Latin text in UTF-16 is 0. */
const UTF_16 = /^(?:яю|юя|\ufffd\ufffd)?(?:.\0.\0|\0.\0.)/s

/** Whether a text that begins a file was decoded from UTF-16. */
export const isUtf16 = (text: string): boolean => UTF_16.test(text)
