import { context, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { effectsOf } from '../../views/effects.js';
import {
  abort,
  askStart,
  attemptStart,
  gate,
  JournalBuilder,
  phase,
  purchase,
  runEnd,
  runStart,
} from '../../views/fixtures.test-data.js';
import { otelTelemetry } from './otel.js';

function collector() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { tracer: provider.getTracer('test'), spans: () => exporter.getFinishedSpans() };
}

function milliseconds([seconds, nanos]: readonly [number, number]): number {
  return seconds * 1000 + nanos / 1e6;
}

function parentIdOf(span: ReadableSpan): string | undefined {
  return span.parentSpanContext?.spanId;
}

afterEach(() => {
  vi.doUnmock('@opentelemetry/api');
  vi.resetModules();
});

describe('OpenTelemetry', () => {
  it('gets one connected tree with one span for each effect [R2-VIEW-TRACE] [V14.3]', async () => {
    const { tracer, spans } = collector();
    const entries = purchase({ crash: true });
    (await otelTelemetry({ tracer }))('r1', entries);
    const written = spans();
    const ids = new Set(written.map((span) => span.spanContext().spanId));
    expect(written.filter((span) => parentIdOf(span) === undefined).map(({ name }) => name)).toEqual([
      'invoke_agent buyer',
    ]);
    expect(written.every((span) => parentIdOf(span) === undefined || ids.has(parentIdOf(span) ?? ''))).toBe(true);
    expect(new Set(written.map((span) => span.spanContext().traceId)).size).toBe(1);
    const effects = written.filter(({ attributes }) => attributes['flyball.effect.id'] !== undefined);
    expect(effects).toHaveLength(effectsOf(entries).length);
    expect(written).toHaveLength(effects.length + 1 + 4 + 2); // the run, four attempts, two phases
  });

  it('gets the times of the journal, the kind of a client call and the attributes of the conventions [R2-VIEW-TRACE]', async () => {
    const { tracer, spans } = collector();
    const entries = purchase();
    (await otelTelemetry({ tracer }))('r1', entries);
    const root = spans().find((span) => parentIdOf(span) === undefined);
    expect(milliseconds(root?.startTime ?? [0, 0])).toBe(entries[0]?.at);
    expect(milliseconds(root?.endTime ?? [0, 0])).toBe(entries.at(-1)?.at);
    const chat = spans().find(({ name }) => name === 'chat claude-sonnet-4-5');
    expect(chat?.kind).toBe(SpanKind.CLIENT);
    expect(milliseconds(chat?.duration ?? [0, 0])).toBe(1000);
    expect(chat?.attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.response.finish_reasons': ['stop'],
    });
    expect(spans().find(({ name }) => name === 'execute_tool search')?.kind).toBe(SpanKind.INTERNAL);
  });

  it('gets every span closed: failed ones as errors, open ones where the journal ends [V14.2]', async () => {
    const { tracer, spans } = collector();
    const journal = new JournalBuilder().add(
      runStart(),
      attemptStart(1),
      phase('ACT'),
      abort('#0', 'EFFECT_TIMEOUT', { of: 'call', name: 'mail' }),
    );
    journal.add(askStart('#1')).after(10).add(gate('#2', 'charge'));
    (await otelTelemetry({ tracer }))('r1', journal.entries);
    expect(spans()).toHaveLength(6);
    expect(spans().every(({ ended }) => ended)).toBe(true);
    expect(spans().find(({ name }) => name === 'execute_tool mail')?.status).toEqual({
      code: SpanStatusCode.ERROR,
      message: 'EFFECT_TIMEOUT',
    });
    const ask = spans().find(({ name }) => name === 'chat claude-sonnet-4-5');
    expect(ask?.attributes['flyball.open']).toBe(true);
    expect(milliseconds(ask?.endTime ?? [0, 0])).toBe(journal.entries.at(-1)?.at);
    const ended = collector();
    (await otelTelemetry({ tracer: ended.tracer }))(
      'r1',
      journal.add(runEnd({ stop: 'blocked', because: 'secret' })).entries,
    );
    expect(ended.spans().find((span) => parentIdOf(span) === undefined)?.status).toEqual({
      code: SpanStatusCode.ERROR,
      message: 'blocked',
    });
  });

  it('never sees content', async () => {
    const { tracer, spans } = collector();
    (await otelTelemetry({ tracer }))('r1', purchase());
    const seen = JSON.stringify(
      spans().map(({ name, attributes, status, events }) => ({ name, attributes, status, events })),
    );
    for (const content of ['green tea', 'leaf & co', 'receipt', 'token-a', 'ann@example.com', 'amount'])
      expect(seen).not.toContain(content);
  });

  it('hangs the run under the span that is active when the trace is written', async () => {
    const { tracer, spans } = collector();
    const outer = tracer.startSpan('request');
    const active = vi.spyOn(context, 'active').mockReturnValue(trace.setSpan(context.active(), outer));
    (await otelTelemetry({ tracer }))('r1', purchase());
    active.mockRestore();
    const root = spans().find(({ name }) => name === 'invoke_agent buyer');
    expect(parentIdOf(root as ReadableSpan)).toBe(outer.spanContext().spanId);
  });

  it('gets the runs that are kept, which is decided at their end [V14.6]', async () => {
    const { tracer, spans } = collector();
    const whole = purchase();
    const failed = purchase().map((entry) =>
      entry.event.type === 'run-end'
        ? { ...entry, event: { ...entry.event, outcome: { ...entry.event.outcome, stop: 'failed' } } }
        : entry,
    ) as typeof whole;
    const telemetry = await otelTelemetry({
      tracer,
      keep: (_runId, entries) => {
        const end = entries.at(-1)?.event;
        return end?.type === 'run-end' && end.outcome.stop === 'failed';
      },
    });
    telemetry('r1', whole);
    expect(spans()).toEqual([]);
    telemetry('r2', failed);
    expect(spans().length).toBeGreaterThan(1);
  });

  it('does not harm a run when the tracer throws [R2-VIEW-TRACE-SILENT] [V14.1]', async () => {
    const startSpan = vi.fn(() => {
      throw new Error('exporter is on fire');
    });
    const write = await otelTelemetry({ tracer: { startSpan } as unknown as Tracer });
    expect(() => write('r1', purchase())).not.toThrow();
    expect(startSpan).toHaveBeenCalledOnce();
  });

  it('closes what it has opened when a span in the middle cannot be written [R2-VIEW-TRACE-SILENT]', async () => {
    const { tracer, spans } = collector();
    let opened = 0;
    const failing: Pick<Tracer, 'startSpan'> = {
      startSpan(...args): Span {
        if (++opened === 5) throw new Error('full');
        return tracer.startSpan(...args);
      },
    };
    (await otelTelemetry({ tracer: failing as Tracer }))('r1', purchase());
    expect(spans()).toHaveLength(4);
    expect(spans().every(({ ended }) => ended)).toBe(true);
  });

  it('does nothing for an empty journal, nor without a provider', async () => {
    const { tracer, spans } = collector();
    (await otelTelemetry({ tracer }))('r1', []);
    expect(spans()).toEqual([]);
    const write = await otelTelemetry();
    expect(() => write('r1', purchase())).not.toThrow();
  });

  it('does nothing when the package is not installed [R2-VIEW-TRACE-SILENT]', async () => {
    vi.resetModules();
    vi.doMock('@opentelemetry/api', () => {
      throw new Error("Cannot find package '@opentelemetry/api'");
    });
    const { otelTelemetry: fresh } = await import('./otel.js');
    const write = await fresh();
    expect(() => write('r1', purchase())).not.toThrow();
  });
});
