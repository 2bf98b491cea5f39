// Pictures of QR codes in one process: ours beside five libraries, each as its documentation has it used.
import { randomBytes } from 'node:crypto'
import bwip from 'bwip-js/node'
import { correction, generate } from 'lean-qr'
import { toPngBuffer } from 'lean-qr/extras/node_export'
import { toSvgSource } from 'lean-qr/extras/svg'
import encodeQr from 'qr'
import QRCode from 'qrcode'
import * as uqr from 'uqr'
import { formatLink } from '../src/fps/link.ts'
import { makeLinkId, PREFIXES } from '../src/fps/link-id.ts'
import { encode } from '../src/qr/encode.ts'
import { png } from '../src/qr/png.ts'
import { svg } from '../src/qr/svg.ts'
import { SECRET } from '../test/support/secret.ts'
import type { Part } from './figures.ts'
import { median, ratio } from './statistics.ts'
import { figure, table, times } from './table.ts'

const SIDE = 300
const LINKS = 100
const SLICE_MS = 100
const WARM_UP_MS = 400

const links = Array.from({ length: LINKS }, () =>
  formatLink({
    base: 'https://qr.example/pay/demo',
    id: makeLinkId(SECRET, 'demo', PREFIXES.dynamic, { now: Date.now(), random: randomBytes(7) }),
    type: 'DYNAMIC',
    bank: '100000000000',
    amount: { minorUnits: 123_456, currency: 'RUB' },
  }),
)

type Draw = (link: string) => unknown
type Job = 'encode' | 'svg' | 'png'

// Level M at least, the mask with the fewest penalty points, a quiet zone of four modules.
const uqrOptions = { ecc: 'M', boostEcc: true, border: 4 } as const
const qrOptions = { ecc: 'medium', border: 4 } as const
const qrcodeOptions = { errorCorrectionLevel: 'M', margin: 4, width: SIDE } as const
const leanOptions = { minCorrectionLevel: correction.M }
// A module of this library is two pixels wide at scale 1.
const bwipOptions = (text: string) => ({ bcid: 'qrcode', text, eclevel: 'M', scale: 3, padding: 8 })

const libraries: Record<string, Partial<Record<Job, Draw>>> = {
  ours: {
    encode,
    svg: (link) => svg(encode(link), SIDE, SIDE),
    png: (link) => png(encode(link), SIDE, SIDE),
  },
  uqr: {
    encode: (link) => uqr.encode(link, uqrOptions),
    svg: (link) => uqr.renderSVG(link, uqrOptions),
  },
  qr: {
    encode: (link) => encodeQr(link, 'raw', qrOptions),
    svg: (link) => encodeQr(link, 'svg', qrOptions),
  },
  qrcode: {
    encode: (link) => QRCode.create(link, qrcodeOptions),
    svg: (link) => QRCode.toString(link, { ...qrcodeOptions, type: 'svg' }),
    png: (link) => QRCode.toBuffer(link, { ...qrcodeOptions, type: 'png' }),
  },
  'lean-qr': {
    encode: (link) => generate(link, leanOptions),
    svg: (link) => toSvgSource(generate(link, leanOptions), { width: SIDE, height: SIDE }),
    png: (link) =>
      toPngBuffer(generate(link, leanOptions), { scale: 6, on: [0, 0, 0], off: [255, 255, 255] }),
  },
  'bwip-js': {
    encode: (link) => bwip.raw('qrcode', link, 'eclevel=M'),
    svg: (link) => bwip.toSVG(bwipOptions(link)),
    png: (link) => bwip.toBuffer(bwipOptions(link)),
  },
}
const JOBS: readonly Job[] = ['encode', 'svg', 'png']

export const pictures: Part = async ({ rounds, isSmallest }) => {
  const cells = Object.entries(libraries).flatMap(([library, draws]) =>
    JOBS.flatMap((job) => {
      const draw = draws[job]
      return draw ? [{ library, job, draw, perSecond: [] as number[] }] : []
    }),
  )
  for (const { draw } of cells) await speed(draw, isSmallest ? 1 : WARM_UP_MS)
  for (let round = 0; round < rounds; round++) {
    for (const { draw, perSecond } of round % 2 === 0 ? cells : cells.toReversed()) {
      perSecond.push(await speed(draw, isSmallest ? 1 : SLICE_MS))
    }
  }

  const speeds = (library: string, job: Job) =>
    cells.find((cell) => cell.library === library && cell.job === job)?.perSecond ?? []
  const versus = (library: string, job: Job) => ratio(speeds('ours', job), speeds(library, job))
  return {
    tables: [
      table(
        `Pictures of ${LINKS} links, µs each and how many times as long as ours (medians of ${rounds} rounds)`,
        ['', 'encode', '', 'SVG', '', `PNG ${SIDE}`, ''],
        Object.keys(libraries).map((library) => [
          library,
          ...JOBS.flatMap((job) => [
            figure(1e6 / median(speeds(library, job))),
            library === 'ours' ? '' : times(versus(library, job)),
          ]),
        ]),
      ),
    ],
    figures: {
      picture_micros: ofJobs((job) => 1e6 / median(speeds('ours', job))),
      pictures_vs: Object.fromEntries(
        Object.keys(libraries)
          .filter((library) => library !== 'ours')
          .map((library) => [library, ofJobs((job) => versus(library, job))] as const),
      ),
    },
    faults: [],
  }
}

const ofJobs = (value: (job: Job) => number): Record<Job, number> => ({
  encode: value('encode'),
  svg: value('svg'),
  png: value('png'),
})

/** Links drawn per second, one after the other for about so many milliseconds. */
async function speed(draw: Draw, milliseconds: number): Promise<number> {
  const started = performance.now()
  let drawn = 0
  let elapsed = 0
  while (elapsed < milliseconds) {
    // The clock is read once for several links: reading it is not free beside the fastest of these.
    for (let i = 0; i < 5; i++) {
      const drawing = draw(links[drawn++ % LINKS] ?? '')
      if (drawing instanceof Promise) await drawing
    }
    elapsed = performance.now() - started
  }
  return (drawn / elapsed) * 1000
}
