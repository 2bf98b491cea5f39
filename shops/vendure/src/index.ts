// What the package exports.
export { FpsQrCode, FpsQrSecrets } from './entities'
export { fpsQrHandler } from './handler'
export { FpsQrPlugin } from './plugin'
