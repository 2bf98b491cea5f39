// The format of the bench's results: figures, and the parts that produce them.
import * as z from 'zod'

/** The figures of a whole run; a ratio of speeds is how many times as fast ours is. */
export interface Figures {
  /** CPU time of our server per request, of that of the plain Worker: creates with 32 connections in 100 sites. */
  many_sites_cpu_vs_plain: number
  /** The same of creates with one connection. */
  alone_cpu_vs_plain: number
  /** The same of creates with 32 connections in one site. */
  one_site_cpu_vs_plain: number
  /** The same of reading one QR code. */
  read_cpu_vs_plain: number
  /** The same four, of those of the build that is compared with. */
  many_sites_cpu_vs_against: number
  alone_cpu_vs_against: number
  one_site_cpu_vs_against: number
  read_cpu_vs_against: number
  /** With 32 connections in one site, as all that follow. */
  create_vs_against: number
  create_vs_ceiling: number
  create_svg_vs_ceiling: number
  create_png_vs_ceiling: number
  p99_vs_median: number
  /** CPU time of each contender's server by scenario, in microseconds a request. */
  cpu_micros: Record<string, Record<string, number>>
  /** 20 quiet sites by situation: milliseconds, their p99 of that without the loud site, of all requests and by turns. */
  quiet_sites: Record<
    string,
    {
      median: number
      p99: number
      of_all?: number
      of_turns?: number
      /** Of the server. */
      cpu_percent: number
    }
  >
  /** Microseconds of a picture, and how many times as long the other libraries take. */
  picture_micros: Record<'encode' | 'svg' | 'png', number>
  pictures_vs: Record<string, Record<'encode' | 'svg' | 'png', number>>
  full_site_vs_empty: number
  bytes_per_qr_code: number
  /** Milliseconds of a page of a status that 20 of 1,000,000 QR codes have. */
  list_rare_status_ms: Record<'first' | 'median', number>
  /** Of the server with that site, at its start and after the load. */
  memory_mib: Record<'start' | 'end', number>
  /** Milliseconds of the slowest page of 100 of 1,000,000 payments of one STATIC QR code: the median of its times. */
  payments_page_ms: number
  /** Milliseconds of the list of the DYNAMIC QR codes, where one of 1,000,000 is. */
  list_rare_type_ms: number
  /** Milliseconds from the report of a payment to the response of a long poll. */
  long_poll_ms: number
  /** How fast creating is beside a merchant's 1,000 long polls, of what it is without. */
  create_beside_long_polls: number
  /** How fast creating is beside 5,200 payers' long polls, of what it is without. */
  create_beside_payers: number
  /** Milliseconds from the answer to the report of a payment to its notification. */
  notify_ms: number
  /** Notifications of one site, to an endpoint that takes 100 ms; 10,000 wait. */
  deliveries_per_second: number
  /** How fast creating is while 10,000 notifications wait for a dead endpoint, of what it is without. */
  create_beside_dead_endpoint: number
  /** Bytes of a QR code that is paid and notified. */
  bytes_per_paid_qr_code: number
  /** CPU time of a create with a receipt of ten items, of that of one without. */
  create_with_receipt_cpu: number
  /** Bytes that a registered document adds to a site, besides what its code keeps: ten items, names of 40 Cyrillic characters. */
  bytes_per_receipt: number
  /** How fast creating is while 10,000 documents wait for a connector that does not answer, of what it is without. */
  create_beside_waiting_receipts: number
  /**
   * A file of 100,000 lines by its bank: the seconds of its import, MiB of workerd more than before at most, and the p99 of creates
   * meanwhile of that before.
   */
  settlement: Record<string, Record<'seconds' | 'memory_mib' | 'p99_same_site' | 'p99_other_site', number>>
  /** Codes that the connector registers at a fake of each bank: how many a second, milliseconds of one, CPU time of its process. */
  register_at_bank: Record<string, Record<'per_second' | 'median_ms' | 'cpu_micros', number>>
  /** Milliseconds to the first byte of the payer's page. */
  page_ttfb_ms: number
  /** On a slow phone: milliseconds to the first paint, 1,000 bytes, layout shift. */
  pages: Record<string, Record<'paintMs' | 'kilobytes' | 'shift', number>>
  /** How fast creating is by npm run serve, of what it is by the Worker alone in workerd. */
  create_selfhosted: number
  /** Megabytes (10^6 bytes) a second that npm run backup copies of one large site. */
  backup_mb_per_second: number
  /** How fast creating is while that site is backed up, of what it is without. */
  create_during_backup: number
  /** Milliseconds from kill -9 to the first create. */
  restart_ms: number
  /** By how many mebibytes the server grows while it sends its first report of 1,000,000 payments. */
  report_growth_mib: number
  /** The same of a server in operation: it has answered 20,000 creates and reads. */
  report_growth_warm_mib: number
  /** The same two of the export of the site. */
  export_growth_mib: number
  export_growth_warm_mib: number
  /** How fast creating is while retention deletes 100,000 QR codes, of what it is without. */
  create_beside_retention: number
  retention_per_second: number
  /** New sites, their first creates one after the other. */
  new_sites_per_second: number
  /** Milliseconds of a page of 100 of 10,000 sites. */
  list_sites_ms: number
  /** Milliseconds of the page of the 100 that are stuck, of 10,000 sites. */
  list_stuck_sites_ms: number
  /** Milliseconds of the console of a site with 1,000,000 QR codes and payments; of groups of pages the slowest. */
  console_ms: Record<string, Record<'median' | 'p95' | 'cpu', number>>
  /** Three instances of a cluster beside one process. */
  cluster_vs_single: {
    /** Of the machine, which all instances share. */
    cores: number
    /** CPU time per create, of that of one process: 32 connections in 100 sites. */
    cpu: number
    /** Milliseconds of a create with one connection: of one process, and of the cluster by the delay of its bucket in milliseconds. */
    create_ms: Record<string, number>
    /** Requests of the bucket per create, by their method: with one connection, and with 32 in one site and in 100. */
    requests_per_create: Record<'quiet' | 'busy_site' | 'many_sites', Record<string, number>>
  }
  /** Of three instances at rest. */
  cluster_idle_requests_per_minute: number
  /** From kill -9 of an instance until all sites are writable through all others: the slowest. */
  failover_seconds: number
  /** Behind deploy/haproxy.cfg, under load: SIGTERM and start of an instance; a rolling upgrade of all. */
  failed_requests_of_stop: number
  failed_requests_of_upgrade: number
  /** Seconds of the slowest request but the long answers, of a site of which nothing is in memory. */
  cold_request_seconds: number
  gzip_kib: Record<'worker' | 'console', number>
  startup_ms: number
}

/** What a part works with. */
export const Setting = z.object({
  /** Its own directory, removed after it. */
  directory: z.string(),
  /** The directory of the build. */
  ours: z.string(),
  /** The directory of another build of the service, to compare with. */
  against: z.string().optional(),
  rounds: z.number(),
  /** Seconds of one measurement under load. */
  seconds: z.number(),
  /** The size of the site in `cold`, in 10^9 bytes. */
  gigabytes: z.number(),
  /** Whether it only shows that the part runs: the numbers are so small that the figures say nothing. */
  isSmallest: z.boolean(),
})
export type Setting = z.infer<typeof Setting>

export interface Report {
  tables: string[]
  figures: Partial<Figures>
  /** Any fault makes its figures invalid. */
  faults: string[]
}

export type Part = (setting: Setting) => Promise<Report>
