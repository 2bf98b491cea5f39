// What the objects of this process wrote, for its metrics: on bare workerd the objects are in the Worker's isolate.

export const writeCounts = {
  commits: 0,
  /** Writes that were refused because the queue of their site was full. */
  refused: 0,
}
