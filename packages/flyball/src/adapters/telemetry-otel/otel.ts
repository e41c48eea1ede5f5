import type { Context, Tracer } from '@opentelemetry/api';
import { ConfigError } from '../../core/errors.js';
import type { Entry } from '../../core/events.js';
import { parsedUrl } from '../../core/parsed-url.js';
import type { Telemetry } from '../../ports/telemetry.js';
import { type Span, traceOf } from '../../views/trace.js';
import { OtlpSender, type SendOptions } from './otlp-sender.js';

type Api = typeof import('@opentelemetry/api');

/** Options of the OpenTelemetry exporter. */
export interface OtelOptions {
  /** The tracer to write to; the global provider's where it is absent. */
  readonly tracer?: Tracer;
  /**
   * Decides, when a run has ended, whether its trace is written: every failed run and one in ten of the others, say. All
   * are where it is absent. The journal keeps everything either way.
   */
  readonly keep?: (runId: string, entries: readonly Entry[]) => boolean;
  /**
   * A collector that traces are sent to over HTTP, for example `http://localhost:4318/v1/traces`. Then no OpenTelemetry
   * package is needed, and runs that start one another are one trace, in whichever processes they ran.
   */
  readonly url?: string;
  /** With `url`: sent with every request, for example a key of the collector. */
  readonly headers?: Readonly<Record<string, string>>;
  /** With `url`: the attribute `service.name`. Default: `flyball`. */
  readonly service?: string;
  /** With `url`: traces that wait to be sent. Beyond it some are dropped, those of runs that ended well first: 256. */
  readonly queue?: number;
  /** With `url`: how long one request may take. Default: ten seconds. */
  readonly timeoutMs?: number;
  /** With `url`: told of every trace that could not be sent. */
  readonly onProblem?: (error: unknown, runId: string) => void;
}

/**
 * Telemetry over `@opentelemetry/api`, which is loaded here and only here. Whatever goes wrong in it stays in it: a
 * package that is missing or a tracer that throws costs the trace and nothing else, and is told to OpenTelemetry's own
 * diagnostics. Spans get the times of the journal, and hang under the span that is active when the trace is written.
 */
export async function otelTelemetry(options: OtelOptions & { readonly url: string }): Promise<
  Telemetry & {
    /** Resolves when everything that waits was sent or given up: for the end of a process. */
    flush(): Promise<void>;
    state(): { readonly sent: number; readonly dropped: number; readonly waiting: number };
  }
>;
export async function otelTelemetry(options?: OtelOptions): Promise<Telemetry>;
export async function otelTelemetry(options: OtelOptions = {}): Promise<Telemetry> {
  if (options.url !== undefined) return sending({ ...options, url: options.url });
  const api = await load();
  if (api === undefined) return () => {};
  return (runId, entries) => {
    try {
      const last = entries.at(-1);
      if (last === undefined || options.keep?.(runId, entries) === false) return;
      const tracer = options.tracer ?? api.trace.getTracer('flyball');
      emit({ api, tracer, lastAt: last.at }, traceOf(runId, entries), api.context.active());
    } catch (error) {
      report(api, runId, error);
    }
  };
}

function sending(options: SendOptions & Pick<OtelOptions, 'keep'>): Telemetry & Pick<OtlpSender, 'flush' | 'state'> {
  if (parsedUrl(options.url) === undefined) throw new ConfigError(`otelTelemetry: "${options.url}" is not a URL.`);
  const sender = new OtlpSender(options);
  const telemetry: Telemetry = (runId, entries) => {
    if (entries.length > 0 && options.keep?.(runId, entries) !== false) sender.take(runId, entries);
  };
  return Object.assign(telemetry, { flush: () => sender.flush(), state: () => sender.state() });
}

async function load(): Promise<Api | undefined> {
  try {
    return await import('@opentelemetry/api');
  } catch {
    return undefined; // an optional peer that is not installed: then nobody listens
  }
}

interface Sink {
  readonly api: Api;
  readonly tracer: Tracer;
  readonly lastAt: number;
}

function emit(sink: Sink, span: Span, parent: Context): void {
  const { api, tracer, lastAt } = sink;
  const emitted = tracer.startSpan(
    span.name,
    {
      kind: span.kind === 'ask' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL,
      startTime: span.startMs,
      attributes: attributesOf(span),
    },
    parent,
  );
  try {
    if (span.status === 'error') {
      emitted.setStatus({ code: api.SpanStatusCode.ERROR, message: String(span.attributes['error.type'] ?? 'error') });
    }
    const around = api.trace.setSpan(parent, emitted);
    for (const child of span.children) emit(sink, child, around);
  } finally {
    // closed even when a child could not be written; what is still open ends where the journal ends
    emitted.end(span.endMs ?? lastAt);
  }
}

function attributesOf(span: Span): Record<string, string | number | boolean | string[]> {
  const attributes: Record<string, string | number | boolean | string[]> = { 'flyball.kind': span.kind };
  for (const [key, value] of Object.entries(span.attributes))
    attributes[key] = typeof value === 'object' ? [...value] : value;
  if (span.status === 'open') attributes['flyball.open'] = true;
  return attributes;
}

function report(api: Api, runId: string, error: unknown): void {
  try {
    api.diag.warn(`flyball: the trace of run ${runId} was not written`, error);
  } catch {
    // a diagnostics logger that throws has no one left to tell
  }
}
