// What a rule of a site's database is.
export interface SiteRule {
  rule: string
  /** Selects a text for each violation. */
  violations: string
}
