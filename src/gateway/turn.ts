// Between the steps of a long work other requests have their turn.
import type { Platform } from './context.ts'

/** workerd reads no socket while calls of an object follow one another: it reads when it waits for a timer. */
export const turn = ({ sleep }: Pick<Platform, 'sleep'>): Promise<void> => sleep(0)
