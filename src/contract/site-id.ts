// The identifier of a merchant site.

/** 1 to 64 of `A-Z a-z 0-9 . _ -`, not `.` or `..` (contract, section 3). */
export const SITE_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/
