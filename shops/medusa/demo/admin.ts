// Who signs in to the admin of the demo.
export const ADMIN = { email: 'admin@shop.example', password: 'tea-for-two' }
