// A name by which a person recognises a passkey: the device and the browser that made it.

const DEVICES: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** In this order: each browser also names those that it descends from. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/YaBrowser\//, 'Yandex'],
  [/OPR\//, 'Opera'],
  [/Edg[A-Z]*\//, 'Edge'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

/** @param userAgent the header; any text */
export function deviceName(userAgent = ''): string {
  const nameIn = (names: typeof DEVICES) => names.find(([pattern]) => pattern.test(userAgent))?.[1]
  return [nameIn(DEVICES), nameIn(BROWSERS)].filter(Boolean).join(', ') || 'Passkey'
}
