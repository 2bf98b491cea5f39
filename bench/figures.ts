// What the bench says in figures, and what its parts are.
import type { Build } from './build.ts'

/** The figures of a whole run; a ratio is how many times as fast ours is. */
export interface Figures {
  create_vs_ceiling: number
  create_svg_vs_ceiling: number
  create_png_vs_ceiling: number
  create_vs_fastify: number
  create_png_vs_fastify: number
  create_png_vs_plain: number
  p99_vs_median: number
  encode_vs_uqr: number
  encode_vs_qr: number
  png_vs_qrcode: number
  svg_vs_qrcode: number
  full_site_vs_empty: number
  bytes_per_qr_code: number
  /** Milliseconds from the report of a payment to the answer of who waits for it. */
  waiter_hears_ms: number
  /** How fast creating is beside a thousand who wait, of what it is without. */
  create_beside_waiters: number
  /** How fast creating is beside 5,200 payers' long polls, of what it is without. */
  create_beside_payers: number
  bundle_gzip_kb: number
  startup_ms: number
}

/** What a part works with. */
export interface Setting {
  /** Its own directory, removed at the end. */
  directory: string
  /** The Worker as it is deployed. */
  ours: Build
  rounds: number
  /** Seconds of one measurement under load. */
  seconds: number
}

export interface Report {
  tables: string[]
  figures: Partial<Figures>
  /** What went wrong, in words; anything at all makes the run invalid. */
  faults: string[]
}

export type Part = (setting: Setting) => Promise<Report>
