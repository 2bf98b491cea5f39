// Quotation marks of Russian typography.

/** A name that stands within «…»: its own marks become „…“. */
export const nested = (name: string): string => name.replaceAll('«', '„').replaceAll('»', '“')
