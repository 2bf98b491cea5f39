// Medusa looks for this name; Node reads TypeScript where the name says so.
export { default } from './config.ts'
