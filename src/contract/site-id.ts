// The identifier of a merchant site, and the names of the objects beside the sites'.

/** 1 to 64 of `A-Z a-z 0-9 . _ -`, not `.` or `..` (contract, section 3). */
export const SITE_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/

/** Whether the siteId is one of those that are reserved for test sites (contract, section 10). */
export const isTestSiteId = (siteId: string): boolean => siteId.endsWith('-test')

/** The name of the object by which the service checks that its storage can be written: no site can have it. */
export const PROBE_OBJECT = '/readyz'

/** What a site's object throws where it does not know its name: the call has not run. */
export const UNNAMED = 'the object has no name, must be reached by the name of its site'

/** The name of the one object that has the list of sites. */
export const REGISTRY = 'registry'

/** The name of the one object that has the audit. */
export const AUDIT = 'audit'
