import type { Amounts } from '../core/budget.js';
import type { EndEvent, EventOf } from '../core/events.js';
import type { Effect } from './effects.js';
import { baseOf } from './paths.js';

/**
 * What a span says about its effect: the GenAI conventions of OpenTelemetry (`gen_ai.*`, in development; `gen_ai.system`
 * is the name before v1.37 of `gen_ai.provider.name` and is still what many backends group by) and our own `flyball.*`.
 * Names, counts, codes and keys only. Prompts, arguments, results, error texts, subjects and wait tokens stay out:
 * traces go to places where they must not.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export function rootAttributes(runId: string, start: EventOf<'run-start'>): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': start.agent,
    'gen_ai.conversation.id': runId,
    'flyball.agent.version': start.version,
    'flyball.tenant': start.tenant,
    ...(start.starter?.key === undefined ? {} : { 'flyball.started_by.key': start.starter.key }),
    ...(start.starter?.root === undefined ? {} : { 'flyball.started_by.root': start.starter.root }),
    ...(start.fork === undefined ? {} : { 'flyball.fork.run': start.fork.run, 'flyball.fork.seq': start.fork.seq }),
  };
}

/** How many model calls were made inside a pattern. */
export const MODEL_CALLS = 'flyball.pattern.model_calls';

export function patternAttributes({ pattern, path, params, predicted }: EventOf<'scope-start'>): Attributes {
  return {
    'flyball.pattern': pattern,
    'flyball.scope': path,
    [MODEL_CALLS]: 0,
    ...(predicted === undefined
      ? {}
      : {
          'flyball.pattern.predicted.min': predicted.min,
          // a part that says nothing may make any number of calls: a journal has the largest number there for it
          ...(predicted.max < Number.MAX_SAFE_INTEGER ? { 'flyball.pattern.predicted.max': predicted.max } : {}),
        }),
    ...figuresIn('flyball.params', params),
  };
}

/** What is a count or a yes or no: words may be anybody's. */
export function figuresIn(prefix: string, given: Readonly<Record<string, unknown>> = {}): Attributes {
  const figures = Object.entries(given).filter(([, value]) => typeof value === 'number' || typeof value === 'boolean');
  return Object.fromEntries(figures.map(([name, value]) => [`${prefix}.${name}`, value])) as Attributes;
}

export function effectTitle(effect: Effect): string {
  const { verb, name, start } = effect;
  switch (verb) {
    case 'ask':
      return `chat ${start?.type === 'ask-start' ? modelOf(start.model).model : name}`;
    case 'call':
      return `execute_tool ${name}`;
    case 'spawn':
      return `invoke_agent ${name}`;
    case 'sleep':
      return 'sleep';
    case 'step':
    case 'undo':
    case 'wait':
    case 'post':
      return `${verb} ${name}`;
  }
}

export function effectAttributes(effect: Effect): Attributes {
  const base = baseOf(effect.id);
  return {
    'flyball.effect.id': effect.id,
    'flyball.effect.verb': effect.verb,
    'flyball.generation': effect.generation,
    ...(base === effect.id ? {} : { 'flyball.effect.of': base }),
    ...(effect.starts > 1 ? { 'flyball.effect.starts': effect.starts } : {}),
    ...(effect.inferredStart ? { 'flyball.start.inferred': true } : {}),
    ...(effect.doubt === undefined ? {} : { 'flyball.effect.doubted': true }),
    ...startAttributes(effect),
    ...(effect.dropped === true ? { 'flyball.effect.dropped': true, 'error.type': 'CANCELLED' } : {}),
    ...endAttributes(effect.end),
  };
}

function startAttributes({ verb, name, id, start }: Effect): Attributes {
  const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name, 'gen_ai.tool.call.id': id };
  switch (start?.type) {
    case 'ask-start': {
      const { provider, model } = modelOf(start.model);
      return {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.system': provider,
        'gen_ai.request.model': model,
        'flyball.session': start.session,
        'flyball.prompt.tip': start.tip,
      };
    }
    case 'intent':
      return { ...(verb === 'call' ? tool : {}), 'flyball.effect.class': start.class, 'flyball.effect.key': start.key };
    case 'spawn-start':
      return { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name, 'flyball.scope': start.path };
    case 'wait-start':
      return { 'flyball.wait.kind': start.kind };
    case 'sleep-start':
      return { 'flyball.sleep.due': start.due };
    case undefined:
      return { ...(verb === 'call' ? tool : {}), 'flyball.effect.class': 'pure' };
  }
}

function endAttributes(end: EndEvent | undefined): Attributes {
  switch (end?.type) {
    case 'ask-end':
      return { ...spentAttributes(end.spent), ...replyAttributes(end), ...errorAttributes(end.failure) };
    case 'complete':
      return {
        ...spentAttributes(end.spent ?? {}),
        ...(end.how === undefined ? {} : { 'flyball.effect.how': end.how }),
      };
    case 'abort':
      return { ...spentAttributes(end.spent ?? {}), ...errorAttributes(end.failure) };
    case 'spawn-end': {
      const { outcome } = end;
      const failure = outcome.stop === 'failed' ? errorAttributes(outcome.failure) : {};
      return { 'flyball.outcome': outcome.stop, ...failure };
    }
    case 'wait-end':
      return end.timedOut === true ? { 'flyball.wait.timed_out': true } : {};
    case 'post':
      return { 'flyball.board': end.board };
    case 'sleep-end':
    case undefined:
      return {};
  }
}

/** The tokens are those of failed attempts too; the cache figures are those of the one that answered. */
function replyAttributes({ reply, spent }: EventOf<'ask-end'>): Attributes {
  if (reply === undefined) return {};
  const { usage } = reply;
  return {
    'gen_ai.response.finish_reasons': [reply.finish],
    'gen_ai.usage.input_tokens': spent.tokensIn ?? usage.input,
    'gen_ai.usage.output_tokens': spent.tokensOut ?? usage.output,
    ...(usage.cacheRead === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': usage.cacheRead }),
    ...(usage.cacheWrite === undefined ? {} : { 'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite }),
  };
}

function spentAttributes({ costUsd, filesChanged, linesChanged }: Partial<Amounts>): Attributes {
  return {
    ...(costUsd === undefined ? {} : { 'flyball.cost_usd': costUsd }),
    ...(filesChanged === undefined ? {} : { 'flyball.files_changed': filesChanged }),
    ...(linesChanged === undefined ? {} : { 'flyball.lines_changed': linesChanged }),
  };
}

/** The code only: a message can quote what the tool or the model said. */
function errorAttributes(failure: { readonly code: string } | undefined): Attributes {
  return failure === undefined ? {} : { 'error.type': failure.code };
}

/** `provider/model`: the provider ends at the first slash, because model names hold slashes too. */
export function modelOf(id: string): { readonly provider: string; readonly model: string } {
  const slash = id.indexOf('/');
  return slash < 0 ? { provider: '_OTHER', model: id } : { provider: id.slice(0, slash), model: id.slice(slash + 1) };
}
