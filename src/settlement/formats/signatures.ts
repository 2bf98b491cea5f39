// Knows a file by how it begins, so that a refusal can say which file it is.

export const FILES = {
  html: 'HTML',
  zip: 'a zip',
  pdf: 'PDF',
  json: 'JSON',
  tbank: "T-Bank's registry",
  raiffeisen: "Raiffeisenbank's registry",
  statement: 'a statement 1CClientBankExchange',
  tochka: "Tochka's registry",
  tochkaPay: "Tochka Pay Gateway's registry",
} as const
export type FileKind = keyof typeof FILES

const ZIP = /^PK[^ -~]{2}/

const SIGNATURES: readonly [FileKind, RegExp][] = [
  ['html', /^\s*<(?:!doctype|html|head|body|\?xml)/i],
  ['zip', ZIP],
  ['pdf', /^%PDF-/],
  ['json', /^\s*[[{]/],
  ['statement', /^1CClientBankExchange/],
  ['raiffeisen', /^(?:Instant Payments C2B|Instant Payments B2C|Acquiring) Transactions report /],
  ['tochkaPay', /(?:^|;)(?:TRANS_DATE|TRANSACTION_ID)(?:;|$)/],
  ['tbank', /^\d+;(?:[^;]*;){2}[^;]*;\d\d\.\d\d\.\d{4};\d\d:\d\d:\d\d;MSK;/],
]

/** What is wrong with the first line of a file that must be of one kind; undefined where it is not known as another one. */
export function otherFile(firstLine: string, wanted: FileKind): string | undefined {
  const [kind] = SIGNATURES.find(([, signature]) => signature.test(firstLine)) ?? []
  const isWanted = kind === wanted || (kind === 'json' && wanted === 'tochka')
  return kind === undefined || isWanted ? undefined : `is ${FILES[kind]}, must be ${FILES[wanted]}`
}

export const ZIP_SIGNATURE_BYTES = 4

/** Whether a file that begins so is a zip. @param head its first bytes, `ZIP_SIGNATURE_BYTES` of them if it has as many */
export const isZip = (head: Uint8Array): boolean => ZIP.test(new TextDecoder('latin1').decode(head))
