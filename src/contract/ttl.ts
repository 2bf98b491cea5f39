// When a ttl ends, of a QR code or of a sale (contract, sections 3 and 15).

/**
 * The end of a ttl in Unix seconds. The column `end_at` of the table `qr_codes` has the same formula.
 * @param createdAt Unix seconds
 * @param ttl whole minutes
 */
export const endOfTtl = (createdAt: number, ttl: number): number => createdAt + ttl * 60
