// In place of zod's JSON Schema in the Worker's script, by an alias in wrangler.toml: the document is made at build time.

const nothing = () => () => {
  throw new Error('the Worker makes no JSON Schema: bin/docs.ts does')
}

export const createToJSONSchemaMethod = nothing
export const createStandardJSONSchemaMethod = nothing
