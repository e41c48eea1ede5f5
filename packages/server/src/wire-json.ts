import { inertJson } from 'flyball/internal';

/**
 * How every answer and every stream is written. Answers hold words of models, tools and callers, and are read with curl
 * in terminals: characters that a terminal would obey stand there as `\u` escapes. A client parses the same value.
 */
export function wireJson(value: unknown): string {
  return inertJson(JSON.stringify(value ?? null));
}

/** An answer that others wrote: JSON, or events with one JSON value each. Nothing outside of JSON strings is changed. */
export function inertAnswer(response: Response): Response {
  const { body, status, headers } = response;
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (body === null || !/^(?:text\/event-stream|application\/(?:\w+\+)?json)$/.test(type.trim())) return response;
  const written = new Headers(headers);
  written.delete('content-length');
  const inert = new TransformStream<string, string>({
    transform: (text, controller) => controller.enqueue(inertJson(text)),
  });
  const texts = body.pipeThrough(new TextDecoderStream()).pipeThrough(inert).pipeThrough(new TextEncoderStream());
  return new Response(texts, { status, headers: written });
}
