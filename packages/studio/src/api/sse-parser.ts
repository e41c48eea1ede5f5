/** One message of a stream of server-sent events. */
export interface StreamEvent {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
}

/** More than any entry can be: a stream that sends a longer line is not ours, and must not fill the memory. */
const LINE_LIMIT = 16 * 1024 * 1024;

export class StreamTooLongError extends Error {
  constructor() {
    super(`A line of the event stream is longer than ${LINE_LIMIT} characters.`);
    this.name = 'StreamTooLongError';
  }
}

/** Reads `text/event-stream` as it arrives, cut anywhere. Comments (heartbeats) are dropped. */
export class SseParser {
  /** What the server asked to wait before the next connection. */
  retryMs: number | undefined;
  private rest = '';
  private event = '';
  private id: string | undefined;
  private data: string[] = [];
  private size = 0;

  feed(chunk: string): readonly StreamEvent[] {
    const found: StreamEvent[] = [];
    const text = this.rest + chunk;
    let from = 0;
    // what is left over was looked through already, but for a CR at its end
    for (let look = Math.max(0, this.rest.length - 1); ; look = from) {
      const end = lineEnd(text, look);
      if (end === undefined) break;
      this.line(text.slice(from, end.at), found);
      from = end.next;
    }
    this.rest = text.slice(from);
    if (this.rest.length + this.size > LINE_LIMIT) throw new StreamTooLongError();
    return found;
  }

  private line(line: string, found: StreamEvent[]): void {
    if (line === '') return this.dispatch(found);
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.event = value;
    else if (field === 'id') this.id = value;
    else if (field === 'retry' && /^\d{1,6}$/.test(value)) this.retryMs = Number(value);
    else if (field === 'data') {
      this.data.push(value);
      this.size += value.length;
    }
  }

  private dispatch(found: StreamEvent[]): void {
    const { event, id, data } = this;
    this.event = '';
    this.id = undefined;
    this.data = [];
    this.size = 0;
    if (data.length === 0) return;
    found.push({ event: event === '' ? 'message' : event, data: data.join('\n'), ...(id === undefined ? {} : { id }) });
  }
}

/** Lines end in LF, CR or CRLF. A CR at the very end may be half of a CRLF: wait for what follows. */
function lineEnd(text: string, from: number): { readonly at: number; readonly next: number } | undefined {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) return { at, next: at + 1 };
    if (code !== 13) continue;
    if (at + 1 === text.length) return undefined;
    return { at, next: text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1 };
  }
  return undefined;
}
