// The commits of the objects of this process, for its metrics: on bare workerd the objects are in the Worker's isolate.

export const commits = { count: 0 }
