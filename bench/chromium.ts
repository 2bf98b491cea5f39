// The browser of the bench: CHROMIUM, or Debian's without a window.

export const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium-headless-shell'
