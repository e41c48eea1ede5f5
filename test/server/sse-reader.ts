/** Reads server-sent events as a browser does, with nothing added. */
export interface SeenEvent {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  readonly data: any;
}

export interface SseReader {
  readonly status: number;
  readonly headers: Headers;
  /** Comment lines seen so far. */
  readonly comments: readonly string[];
  /** The next event; undefined when the stream has ended. */
  next(): Promise<SeenEvent | undefined>;
  /** Reads on until an event is the one, or the stream ends; answers everything read. */
  until(isIt: (event: SeenEvent) => boolean): Promise<readonly SeenEvent[]>;
  /** Reads to the end. */
  rest(): Promise<readonly SeenEvent[]>;
  close(): void;
}

export async function readEvents(
  url: string,
  how: { readonly key?: string; readonly lastEventId?: string } = {},
): Promise<SseReader> {
  const control = new AbortController();
  const answer = await fetch(url, {
    signal: control.signal,
    headers: {
      accept: 'text/event-stream',
      ...(how.key === undefined ? {} : { authorization: `Bearer ${how.key}` }),
      ...(how.lastEventId === undefined ? {} : { 'last-event-id': how.lastEventId }),
    },
  });
  const comments: string[] = [];
  const events = parse(answer.body ?? new ReadableStream(), comments);
  const next = async (): Promise<SeenEvent | undefined> => {
    const got = await events.next();
    return got.done === true ? undefined : got.value;
  };
  const until = async (isIt: (event: SeenEvent) => boolean): Promise<readonly SeenEvent[]> => {
    const seen: SeenEvent[] = [];
    for (let event = await next(); event !== undefined; event = await next()) {
      seen.push(event);
      if (isIt(event)) break;
    }
    return seen;
  };
  return {
    status: answer.status,
    headers: answer.headers,
    comments,
    next,
    until,
    rest: () => until(() => false),
    close: () => control.abort(),
  };
}

async function* parse(body: ReadableStream<Uint8Array>, comments: string[]): AsyncGenerator<SeenEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = eventIn(text.slice(0, end), comments);
      text = text.slice(end + 2);
      if (event !== undefined) yield event;
    }
  }
}

function eventIn(block: string, comments: string[]): SeenEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === 0) comments.push(line.slice(1).trim());
    else fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
  }
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { id: fields.get('id'), event: fields.get('event') ?? 'message', data: JSON.parse(data) };
}
