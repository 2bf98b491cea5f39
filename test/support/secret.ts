/** The secret that signs the access tokens of the services that tests and the bench start. */
export const SECRET = 'a secret for tests and the bench, of 32 characters and more'
