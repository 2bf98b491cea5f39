// qrcId: the network's identifier of a link, which this service or a bank has made (contract, section 14).

export const QRC_ID = /^[A-Za-z0-9._-]{1,64}$/

/** Whether a text has the form of one. */
export const isQrcId = (text: string): boolean => QRC_ID.test(text)
