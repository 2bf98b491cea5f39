// A preload of Node that kills its process at its nth change of a file or folder, counted from 0 by KILL_AT.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

let left = Number(process.env.KILL_AT)
const isLast = () => left-- === 0
const kill = () => process.kill(process.pid, 'SIGKILL')

const { copyFileSync, fsyncSync, mkdirSync, renameSync, rmdirSync, rmSync } = fs
const { statSync, truncateSync, writeFileSync } = fs

/** Half of a copy is what a kill in its midst leaves. */
const tear = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2))

fs.copyFileSync = (from, to) => {
  copyFileSync(from, to)
  if (!isLast()) return
  tear(`${to}`)
  kill()
}
fs.mkdirSync = Object.assign((...call: Parameters<typeof mkdirSync>) => {
  if (isLast()) kill()
  return mkdirSync(...call)
})
fs.renameSync = (...call) => {
  if (isLast()) kill()
  renameSync(...call)
}
fs.rmSync = (...call) => {
  if (isLast()) kill()
  rmSync(...call)
}
fs.rmdirSync = (...call) => {
  if (isLast()) kill()
  rmdirSync(...call)
}
// A backup writes each file to the disk after SQLite has copied it.
fs.fsyncSync = (fd) => {
  if (isLast()) kill()
  fsyncSync(fd)
}
fs.writeFileSync = (...call) => {
  writeFileSync(...call)
  if (!isLast()) return
  tear(`${call[0]}`)
  kill()
}
syncBuiltinESMExports()
