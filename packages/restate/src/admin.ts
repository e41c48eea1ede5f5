import { askRestate } from './ask-restate.js';
import type { Settings } from './options.js';

/** The admin API of Restate, at whichever of its nodes answers. */
export class Admin {
  private readonly settings: Settings;
  private readonly closing: AbortSignal;

  constructor(settings: Settings, closing: AbortSignal) {
    this.settings = settings;
    this.closing = closing;
  }

  /** Rejects with an `AdminRefusal` where the last node that was asked has refused. */
  async ask(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    given: { readonly body?: object; readonly withinMs: number },
  ): Promise<unknown> {
    const { admin, token } = this.settings;
    let failure: unknown;
    for (const url of admin) {
      try {
        const answer = await askRestate(`${url}${path}`, {
          method,
          headers: {
            'content-type': 'application/json',
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          },
          ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
          signal: AbortSignal.any([this.closing, AbortSignal.timeout(given.withinMs)]),
        });
        const text = await answer.text();
        if (answer.ok) return JSON.parse(text);
        failure = new AdminRefusal(answer.status, text);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}

export class AdminRefusal extends Error {
  readonly status: number;
  /** `META0003`, for example. */
  readonly code: string | undefined;

  constructor(status: number, text: string) {
    super(`${status} ${text.slice(0, 300)}`);
    this.name = 'AdminRefusal';
    this.status = status;
    this.code = /"restate_code"\s*:\s*"([^"]*)"/.exec(text)?.[1];
  }
}
