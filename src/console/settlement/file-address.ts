// Where the page of a file of a bank is, and how a list names the file.

/** @param base from the page to /console/sites/{siteId}/ */
export const fileAddress = (base: string, settlementUid: string): string =>
  `${base}settlement/files/${encodeURIComponent(settlementUid)}`

/** The name of a file, as long as a row has room for it: its end tells apart the files of one upload or of one day. */
export function shortName(settlementUid: string): string {
  const characters = Array.from(settlementUid)
  return characters.length <= 26
    ? settlementUid
    : `${characters.slice(0, 15).join('')}…${characters.slice(-8).join('')}`
}
