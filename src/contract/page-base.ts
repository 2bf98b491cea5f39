// The address of the payers' pages of a site (contract, section 13).

/** What a page's link follows. @param url of the service, without a slash at its end */
export const pageBase = (url: string, siteId: string): string => `${url}/pay/${siteId}`
