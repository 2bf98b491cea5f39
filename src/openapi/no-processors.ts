// In place of zod's JSON Schema processors in the Worker's script, by an alias in wrangler.toml: nothing calls them there.
export const toJSONSchema = undefined
