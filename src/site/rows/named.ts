// Rows that a QR code names: they need no entry in the index by QR code.
//
// Each entry of an index is a row written, which costs as much as the row itself (docs/scale.md). The row of a code is written
// anyway when the code is created, ends or is paid, and so is the row of a refund. So it takes the numbers of those events and of
// that payment, which have `named` = 1. All others have 0, and a new site has these alone in its indexes (decision 153). The queries
// are the same in a site whose indexes have all rows. A build that knows no `named` leaves it 0, so its rows are found too.

/** Of rows that the index has. SQLite uses a partial index only where the query says its condition. */
export const UNNAMED = 'named = 0'

/**
 * The numbers of the events that the rows of QR codes name, and NULL where they name none.
 * @param codes the numbers of the codes, in parentheses: a binding with a number, or a query
 */
const namedByCodes = (codes: string): string =>
  `SELECT created_event FROM qr_codes WHERE number IN ${codes}
   UNION ALL SELECT ended_event FROM qr_codes WHERE number IN ${codes}`

/** The same, with the events that the refunds of the payments name which the codes show. */
export const namedEvents = (codes: string): string =>
  `${namedByCodes(codes)}
   UNION ALL SELECT event FROM refunds WHERE payment IN (${shownPayments(codes)})
   UNION ALL SELECT completed_event FROM refunds WHERE payment IN (${shownPayments(codes)})`

const indexedEvents = (codes: string): string =>
  `SELECT number FROM events WHERE qr_code IN ${codes} AND ${UNNAMED}`

/** The numbers of all events of QR codes, with repeats and NULL. */
export const eventsOfCodes = (codes: string): string =>
  `${indexedEvents(codes)} UNION ALL ${namedEvents(codes)}`

/** The same of QR codes that show no payment. */
export const eventsOfUnpaid = (codes: string): string =>
  `${indexedEvents(codes)} UNION ALL ${namedByCodes(codes)}`

/** By what the index of payments has them: the number of the QR code, or where it is not known, the id of the link. */
const INDEXED = 'ifnull(payments.qr_code, payments.link_id)'

/** The payments that the index has of a QR code, or of the id of a link that is not known yet: it is to follow. */
export const INDEXED_PAYMENTS = `${UNNAMED} AND ${INDEXED} =`

/** The numbers of the payments of a QR code, with repeats and NULL. @param page continues the range of the index */
export const paymentsOfCode = (code: string, page = ''): string =>
  `SELECT * FROM (SELECT number FROM payments WHERE ${INDEXED_PAYMENTS} ${code} ${page})
   UNION ALL ${shownPayments(`(${code})`)}`

/** The payments that QR codes show. */
const shownPayments = (codes: string): string => `SELECT payment FROM qr_codes WHERE number IN ${codes}`
