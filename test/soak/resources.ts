// Memory and descriptors of the processes over time.
import { readdirSync, readFileSync } from 'node:fs'

interface Sample {
  time: number
  bytes: number
  descriptors: number
}

/** What one process has used, from its start to its end. */
interface Life {
  name: string
  pid: number
  samples: Sample[]
}

/** By what part of its mean memory or descriptors of a process may grow in an hour. */
export const MAX_GROWTH = 0.05
const HOUR_MS = 3_600_000
/** What a process needs to warm up. */
const WARM_UP_MS = 600_000
/** A trend of a shorter time is that of its load. The calm part of an hour is longer. */
const LONG_MS = 1_500_000
/** Of so many samples the lowest counts: what garbage collection gives back does not grow. */
const WINDOW = 60

export class Resources {
  readonly #lives: Life[] = []

  /** Reads what the processes use now. @param pids by name; undefined while one does not run */
  sample(pids: Record<string, number | undefined>): void {
    for (const [name, pid] of Object.entries(pids)) {
      const sample = pid === undefined ? undefined : sampleOf(pid)
      if (pid === undefined || !sample) continue
      let life = this.#lives.findLast((each) => each.name === name)
      if (life?.pid !== pid) {
        life = { name, pid, samples: [] }
        this.#lives.push(life)
      }
      life.samples.push(sample)
    }
  }

  /** Of the longest life of each process: memory and descriptors in ten parts of it, and their trends after the warm-up. */
  table(): string[][] {
    return this.#longest().map(([name, lives, samples]) => {
      const [first, last] = [samples[0], samples.at(-1)]
      const minutes = ((last?.time ?? 0) - (first?.time ?? 0)) / 60_000
      const parts = (of: (sample: Sample) => number) =>
        Array.from({ length: 11 }, (_, i) => samples[Math.round((i * (samples.length - 1)) / 10)])
          .map((sample) => (sample ? of(sample).toFixed(0) : ''))
          .join(' ')
      const warm = warmOf(samples)
      const trend = (of: (sample: Sample) => number) =>
        warm.length < 2 * WINDOW ? 'too short' : `${(trendOf(warm, of) * 100).toFixed(1)} % an hour`
      return [
        ...[`${name}, for ${minutes.toFixed(1)} min`, `${lives}`],
        ...[parts(mebibytes), trend(bytesOf), parts(descriptorsOf), trend(descriptorsOf)],
      ]
    })
  }

  /** Processes whose memory or descriptors grow by more than a part of their mean in an hour, in lives that are long enough to say so. */
  growing(most: number): string[] {
    return this.#longest().flatMap(([name, , samples]) => {
      const warm = warmOf(samples)
      if (durationOf(warm) < LONG_MS) return []
      return [
        ...(trendOf(warm, bytesOf) > most ? [`the memory of ${name} grows`] : []),
        ...(trendOf(warm, descriptorsOf) > most ? [`the descriptors of ${name} grow`] : []),
      ]
    })
  }

  /** Of each process its name, how many lives it had, and the samples of the longest. */
  #longest(): [string, number, readonly Sample[]][] {
    return Array.from(
      Map.groupBy(this.#lives, ({ name }) => name),
      ([name, lives]) => [
        name,
        lives.length,
        lives
          .map(({ samples }) => samples)
          .reduce((long, each) => (durationOf(each) > durationOf(long) ? each : long)),
      ],
    )
  }
}

const bytesOf = ({ bytes }: Sample): number => bytes
const descriptorsOf = ({ descriptors }: Sample): number => descriptors
const mebibytes = ({ bytes }: Sample): number => bytes / 2 ** 20
const durationOf = (samples: readonly Sample[]): number =>
  (samples.at(-1)?.time ?? 0) - (samples[0]?.time ?? 0)

/** The samples after the warm-up. */
const warmOf = (samples: readonly Sample[]): readonly Sample[] =>
  samples.filter(({ time }) => time >= (samples[0]?.time ?? 0) + WARM_UP_MS)

/** The part of its mean by which something grows in an hour: the line of least squares through the lowest of each window. */
function trendOf(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const lowest = Array.from({ length: Math.floor(samples.length / WINDOW) }, (_, i) =>
    samples
      .slice(i * WINDOW, (i + 1) * WINDOW)
      .reduce((low, sample) => (of(sample) < of(low) ? sample : low)),
  )
  const mean = (each: (sample: Sample) => number) =>
    lowest.reduce((sum, sample) => sum + each(sample), 0) / lowest.length
  const [time, value] = [mean((sample) => sample.time), mean(of)]
  const covariance = mean((sample) => (sample.time - time) * (of(sample) - value))
  const variance = mean((sample) => (sample.time - time) ** 2)
  return ((covariance / variance) * HOUR_MS) / value
}

/** Undefined where the process has ended. */
function sampleOf(pid: number): Sample | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const [, kibibytes = '0'] = /VmRSS:\s+(\d+) kB/.exec(status) ?? []
    const descriptors = readdirSync(`/proc/${pid}/fd`).length
    return { time: Date.now(), bytes: Number(kibibytes) * 1024, descriptors }
  } catch {
    return
  }
}
