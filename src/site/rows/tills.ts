// The column of tills: a JSON array of qrCodeUids; NULL: all.
import { Tills } from '../../contract/tills.ts'

/** The tills of a row; undefined: all. */
export const tillsIn = ({ tills }: { tills: string | null }): string[] | undefined =>
  tills === null ? undefined : Tills.parse(JSON.parse(tills))

/** The column of tills, in an order of its own: the same tills are equal. */
export const tillsColumn = (tills: readonly string[] | null | undefined): string | null =>
  tills ? JSON.stringify([...new Set(tills)].sort()) : null
