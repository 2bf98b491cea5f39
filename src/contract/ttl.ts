// When a ttl ends, of a QR code or of a sale (contract, sections 3 and 15).

/**
 * The end of a ttl in Unix seconds. The column `end_at` of the table `qr_codes` has it in SQL too, because a released
 * table is never edited: a property test of the creation of codes compares the two.
 * @param createdAt Unix seconds
 * @param ttl whole minutes
 */
export const endOfTtl = (createdAt: number, ttl: number): number => createdAt + ttl * 60
