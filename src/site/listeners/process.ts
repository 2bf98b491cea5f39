// The long polls of all objects of this process, for its stop: on bare workerd the objects are in the Worker's isolate. In a
// cluster they also come through other instances, and an object is handed over only after they have ended.

export const processListeners = {
  /** The sites whose objects have listeners. */
  sites: new Set<string>(),
  /** Until then nothing waits, in Unix milliseconds. */
  drainsUntil: 0,
}
