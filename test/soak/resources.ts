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

const HOUR_MS = 3_600_000
/** What a process needs to warm up. */
const WARM_UP_MS = 600_000

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

  /** Of the longest life of each process: memory and descriptors at its ends, and the trend of its memory. */
  table(): string[][] {
    return Array.from(Map.groupBy(this.#lives, ({ name }) => name)).flatMap(([name, lives]) => {
      const { samples } = lives.reduce((long, life) => (durationOf(life) > durationOf(long) ? life : long))
      const [first, last] = [samples[0], samples.at(-1)]
      if (!first || !last) return []
      const warm = samples.filter(({ time }) => time >= first.time + WARM_UP_MS)
      return [
        [
          `${name}, for ${((last.time - first.time) / 60_000).toFixed(1)} min`,
          `${lives.length}`,
          `${mebibytes(first.bytes)} → ${mebibytes(last.bytes)} MiB`,
          `${first.descriptors} → ${last.descriptors}`,
          warm.length < 60 ? 'too short' : `${(trendOf(warm) * 100).toFixed(1)} % an hour`,
        ],
      ]
    })
  }
}

const durationOf = ({ samples }: Life): number => (samples.at(-1)?.time ?? 0) - (samples[0]?.time ?? 0)
const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)

/** The part of its mean by which the memory grows in an hour: the line of least squares. */
function trendOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const [time, bytes] = [mean((sample) => sample.time), mean((sample) => sample.bytes)]
  const covariance = mean((sample) => (sample.time - time) * (sample.bytes - bytes))
  const variance = mean((sample) => (sample.time - time) ** 2)
  return ((covariance / variance) * HOUR_MS) / bytes
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
