// Shows the OpenAPI document in the page at /docs.
globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  persistAuthorization: false,
})
