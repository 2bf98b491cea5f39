// Text in windows-1251, which Russian spreadsheets take a file of CSV for.

const BYTES: ReadonlyMap<string, number> = new Map(
  Array.from({ length: 128 }, (_, i) => [
    new TextDecoder('windows-1251').decode(Uint8Array.of(128 + i)),
    128 + i,
  ]),
)
/** In place of what the code page lacks. */
const LACKING = 0x3f

/** The bytes of a text; a character that the code page lacks is a question mark. */
export const inWindows1251 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.toWellFormed(), (character) => {
    const code = character.codePointAt(0) ?? LACKING
    return code < 128 ? code : (BYTES.get(character) ?? LACKING)
  })
