// The operations that most requests ask for: every instance of the Worker loads them with its start.
import type { Config } from '../config.ts'
import { events } from './events.ts'
import { images } from './images.ts'
import { network } from './network.ts'
import { qrCodes } from './qr-codes.ts'

/** Some of `operationsOf`. */
export const frequentOperations = (config: Pick<Config, 'currencies'>) => [
  ...qrCodes(config),
  ...images(),
  ...events(),
  ...network(),
]
