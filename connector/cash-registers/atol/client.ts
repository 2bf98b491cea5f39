// Calls of ATOL with the token of one login: it ends, and then a new one is asked for.
import type { Answers } from '../../banks/answers.ts'
import { notInDoubt, Refused, Unavailable } from '../../banks/bank-errors.ts'
import type { BankRequest } from '../../banks/http.ts'
import type { RegisterContext } from '../register-kind.ts'
import { TOKEN } from './answers.ts'

export interface Login {
  login: string
  password: string
}

export class AtolClient {
  readonly #login: Login
  readonly #context: RegisterContext
  /** That of now, or the call for it: calls at the same time share it. */
  #token: Promise<string> | undefined

  constructor(login: Login, context: RegisterContext) {
    this.#login = login
    this.#context = context
  }

  /** @throws Unavailable: nothing was sent that counts */
  async token(): Promise<string> {
    this.#token ??= notInDoubt(this.#newToken())
    const asked = this.#token
    try {
      return await asked
    } catch (error) {
      this.#forget(asked)
      throw error
    }
  }

  /**
   * A call with the token. One that is answered with 401 is made once more, with a new token.
   * @throws as Call; after a 401 nothing but a success decides
   */
  async call<T>(request: BankRequest, answers: Answers<T>): Promise<T> {
    await this.token()
    const used = this.#token
    try {
      return await this.#send(request, answers)
    } catch (error) {
      if (!(error instanceof Unavailable) || error.status !== 401) throw error
      if (used) this.#forget(used)
    }
    try {
      return await this.#send(request, answers)
    } catch (error) {
      // Something between may have answered 401 to a request that counted.
      if (error instanceof Unavailable && error.isInDoubt) throw error
      if (!(error instanceof Unavailable || error instanceof Refused)) throw error
      throw new Unavailable(`${request.operation}: ${error.message}, after an answer of 401`, {
        isInDoubt: true,
        cause: error.cause,
      })
    }
  }

  async #send<T>(request: BankRequest, answers: Answers<T>): Promise<T> {
    const { baseUrl, call } = this.#context
    const token = await this.token()
    return call({ ...request, url: baseUrl + request.url, headers: { Token: token } }, answers)
  }

  #newToken(): Promise<string> {
    const { baseUrl, call } = this.#context
    const { login, password } = this.#login
    return call(
      {
        operation: 'getToken',
        method: 'POST',
        url: `${baseUrl}/getToken`,
        body: { login, pass: password },
        secrets: [password],
      },
      TOKEN,
    )
  }

  /** Not where another call has a new one already. */
  #forget(token: Promise<string>): void {
    if (this.#token === token) this.#token = undefined
  }
}
