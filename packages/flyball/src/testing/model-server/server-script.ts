import type { ReplyParts } from '../script.js';
import { shorten } from '../script.js';
import type { ServedRequest, WireRefusal } from './wire.js';

/**
 * What goes wrong on the way. A reply may be given with it: the part of it that gets through does.
 * `429`, `500`, `503`: refused, with `Retry-After` where it is given. `context-length`: refused in the vendor's words.
 * `slow`: sixteen bytes at a time; `gate` holds it at half of them, `latencyMs` passes between each two pieces.
 * `hang`: nothing is answered, and the connection stays open. `drop`: it is closed instead. `cut`: the connection breaks inside a token.
 * `ends-early`: a stream that ends in good order without saying that it is finished.
 * `malformed-json`: JSON that breaks off. `wrong-content-type`: an HTML page with status 200.
 * `unknown-fields`: fields, and comments, that no client knows.
 */
export type Misbehavior =
  | '429'
  | '500'
  | '503'
  | 'context-length'
  | 'slow'
  | 'hang'
  | 'drop'
  | 'cut'
  | 'ends-early'
  | 'malformed-json'
  | 'wrong-content-type'
  | 'unknown-fields';

/** A reply as a scripted model takes it, and what goes wrong with it. */
export interface ServerReplyParts extends ReplyParts {
  readonly misbehave?: Misbehavior;
  /** Seconds, or a time, or the text of the header. */
  readonly retryAfter?: number | Date | string;
  /** Refuses the request with this status and sentence. */
  readonly refuse?: Partial<WireRefusal> & Pick<WireRefusal, 'status'>;
}

/** A reply of `modelServer`. */
export type ServerReply = string | ServerReplyParts;
/** A function that returns the reply of `modelServer` to a request. */
export type ServerReplyFunction = (request: ServedRequest, n: number) => ServerReply | Promise<ServerReply>;
/** An entry in the script of `modelServer`. */
export type ServerScriptEntry = ServerReply | ServerReplyFunction;

/** Replies in the order of the requests. A function that stands alone answers every request. */
export type ServerScript = ServerScriptEntry | readonly ServerScriptEntry[];

/** Hands out the script's replies and knows what is left of it. */
export class ServerScriptReader {
  private readonly entries: ServerReplyFunction | readonly ServerScriptEntry[];
  private taken = 0;

  constructor(script: ServerScript) {
    this.entries = typeof script === 'function' || isList(script) ? script : [script];
  }

  async next(request: ServedRequest): Promise<ServerReplyParts | undefined> {
    this.taken += 1;
    const entry = typeof this.entries === 'function' ? this.entries : this.entries[this.taken - 1];
    const reply = typeof entry === 'function' ? await entry(request, this.taken) : entry;
    return typeof reply === 'string' ? { text: reply } : reply;
  }

  leftOver(): readonly string[] {
    if (typeof this.entries === 'function') return [];
    return this.entries.slice(this.taken).map((entry, index) => `reply ${this.taken + index + 1}: ${describe(entry)}`);
  }
}

function isList(script: ServerScriptEntry | readonly ServerScriptEntry[]): script is readonly ServerScriptEntry[] {
  return Array.isArray(script);
}

function describe(entry: ServerScriptEntry): string {
  if (typeof entry === 'function') return 'a function';
  if (typeof entry === 'string') return JSON.stringify(shorten(entry));
  return entry.misbehave ?? JSON.stringify(shorten(entry.text ?? ''));
}
