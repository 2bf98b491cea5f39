// The site of the demonstration at /.

/** The site of the demonstration. */
export const DEMO_SITE = 'demo'
