import { inertJson, jsonWithoutSecrets, redactSecrets } from 'flyball/internal';

/**
 * How everything is written that leaves the server: answers, refusals, streams, and what mounts answer. Without what looks
 * like a key or is known to be one, whoever wrote it: models, tools, callers, other servers. And since answers are read
 * with curl in terminals, characters that a terminal would obey stand there as `\u` escapes; a client parses the same value.
 */
export interface Wire {
  json(value: unknown): string;
  /** A value with a secret that was made for whoever asks. */
  secret(value: unknown): string;
  /** Whole server-sent events. */
  events(text: string): string;
  /** An answer that others wrote. Its stream ends, in good order, when `until` is aborted. */
  answer(response: Response, until: AbortSignal): Response;
}

const DATA = 'data:';

/** `known` must never leave, whatever it looks like. */
export function openWire(known: readonly string[]): Wire {
  const clean = jsonWithoutSecrets(known);
  const data = (text: string): string => {
    try {
      return inertJson(clean(text));
    } catch {
      return inertJson(redactSecrets(text, known)); // no JSON
    }
  };
  const line = (text: string): string => (text.startsWith(DATA) ? DATA + data(text.slice(DATA.length)) : data(text));
  return {
    json: (value) => inertJson(clean(JSON.stringify(value ?? null))),
    secret: inert,
    events: (text) => text.split('\n').map(line).join('\n'),
    answer(response, until) {
      const { body, status, headers } = response;
      const [type = ''] = (headers.get('content-type') ?? '').split(';');
      const isStream = type.trim() === 'text/event-stream';
      if (body === null || !(isStream || /^application\/(?:\w+\+)?json$/.test(type.trim()))) return response;
      const written = new Headers(headers);
      written.delete('content-length');
      const pieces = isStream ? rewritten('\n', line, until) : rewritten(undefined, data, until);
      const texts = body.pipeThrough(new TextDecoderStream()).pipeThrough(pieces).pipeThrough(new TextEncoderStream());
      return new Response(texts, { status, headers: written });
    },
  };
}

/** For what holds nothing but our own words. */
export function inert(value: unknown): string {
  return inertJson(JSON.stringify(value ?? null));
}

/** Whole pieces, rewritten: a secret that is cut in two would not be recognized. Without a separator all of it is one. */
function rewritten(
  separator: string | undefined,
  rewrite: (piece: string) => string,
  until: AbortSignal,
): TransformStream<string, string> {
  let held: string[] = [];
  let stop = (): void => undefined;
  return new TransformStream<string, string>({
    start(controller) {
      stop = () => controller.terminate();
      if (until.aborted) stop();
      else until.addEventListener('abort', stop, { once: true });
    },
    transform(text, controller) {
      const cut = separator === undefined ? -1 : text.lastIndexOf(separator);
      if (cut === -1) return void held.push(text);
      const whole = [...held, text.slice(0, cut)].join('').split(separator ?? '');
      held = [text.slice(cut + 1)];
      controller.enqueue(whole.map((piece) => `${rewrite(piece)}${separator}`).join(''));
    },
    flush(controller) {
      until.removeEventListener('abort', stop);
      const rest = held.join('');
      if (rest !== '') controller.enqueue(rewrite(rest));
    },
  });
}
