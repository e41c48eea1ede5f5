import type { Principal } from './access/principal.js';

/** What stands between the network and a handler. Each part is in `access/`; here is how the pipeline sees them. */
export interface Gate {
  /** Refuses a foreign host or origin; answers a preflight; otherwise says which headers every answer gets. */
  enter(request: Request): { readonly headers: Readonly<Record<string, string>>; readonly answer?: Response };
  /** Who asks; rejects with 401, or 429 for an address that guesses. */
  who(headers: Headers, remote: string): Promise<Principal>;
  /** Counts the request, or as many; rejects with 429. Headers that tell what is left. */
  within(principal: Principal, count?: number): Readonly<Record<string, string>>;
  /** Reads a body within its bounds. `json` is undefined for a raw one. */
  body(request: Request, as: 'json' | 'raw'): Promise<{ readonly raw: Uint8Array; readonly json: unknown }>;
  /** Refuses a body where none is taken. */
  noBody(headers: Headers): void;
  /** Acts once for a key and answers the same again. */
  once(repeatable: Repeatable, act: () => Promise<KeptAnswer>): Promise<KeptAnswer & { readonly replayed?: boolean }>;
  /** Names what a request with this key makes: the same for the same principal, route and key. */
  nameOf(repeatable: Omit<Repeatable, 'raw'>): string;
}

export interface Repeatable {
  readonly principal: Principal;
  readonly route: string;
  /** Method and path as they came: one key for two things is two requests. */
  readonly target: string;
  readonly key: string;
  readonly raw: Uint8Array;
}

export interface KeptAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The run that it is about. */
  readonly run?: string;
}
