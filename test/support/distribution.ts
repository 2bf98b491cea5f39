// Builds dist/fps-qr once for the tests that run it: vitest's global setup.
import { execFileSync } from 'node:child_process'

export default function setup(): void {
  execFileSync('npm', ['run', '-s', 'build'], { stdio: 'inherit' })
}
