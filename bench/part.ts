// The program that runs one part of the bench, for bench/run.ts.
import { answerAsPart } from './part-process.ts'
import { PARTS } from './parts.ts'

await answerAsPart(PARTS)
