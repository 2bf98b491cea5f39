// The type of an example in the OpenAPI document.

/** An example of the OpenAPI document: what a client sends, or what it receives. A test compares it with its schema. */
export interface Example {
  summary: string
  value: object
}
