import { canonicalJson } from '../../core/canonical.js';
import type { ToolCall } from '../../core/model.js';
import { linksOf, type Prompt } from '../../core/prompt.js';
import { type RequestProvenance, type SourceText, tracedTo } from '../../core/request-provenance.js';
import type { MadeCall } from '../../core/run.js';
import type { Attempt } from '../attempt.js';
import type { Answered } from '../call-log.js';
import type { Pending } from '../pending.js';
import type { Act } from './act.js';

/**
 * What the arguments of an act rest on: the reply that proposed it with all that was in its prompt, or, where code made
 * them, the input of the run and what models said around it.
 */
export function provenanceOf(attempt: Attempt, { scope }: Pending, act: Act): RequestProvenance {
  const around = attempt.calls.repliesAround(scope.ledger, scope.path);
  const proposer = around.find(({ toolCalls, text }) => proposes(act.name, toolCalls, text));
  if (proposer === undefined) {
    const replies = around.map(({ text }): SourceText => ({ what: 'reply', trust: 'model', text }));
    return tracedTo({ kind: 'code' }, act.input, [inputOf(attempt), ...replies]);
  }
  const { effect, session, model, prompt } = proposer;
  const by = { kind: 'model', effect, session, model, prompt: prompt.id } as const;
  return tracedTo(by, act.input, sourcesIn(proposer, attempt.calls.under(scope.ledger, '')));
}

/** Where calls are read from text, the text names the tool. */
function proposes(tool: string, calls: readonly ToolCall[], text: string): boolean {
  return calls.some(({ name }) => name === tool) || (calls.length === 0 && text.includes(`"${tool}"`));
}

function inputOf({ recorded: { input } }: Attempt): SourceText {
  return { what: 'input', trust: 'user', text: typeof input === 'string' ? input : (JSON.stringify(input) ?? '') };
}

const WHAT = { system: 'setup', user: 'message', assistant: 'reply', tool: 'result' } as const;

function sourcesIn({ prompt }: Answered, made: readonly MadeCall[]): readonly SourceText[] {
  const links = linksOf(prompt);
  const asked = new Map(
    links.flatMap(({ segment }) => (segment.toolCalls ?? []).map((call) => [call.id, call] as const)),
  );
  return links.map((link): SourceText => {
    const { role, trust, content, toolCallId } = link.segment;
    const source = { what: WHAT[role], trust, text: content };
    return role === 'tool' ? { ...source, ...callOf(link, asked.get(toolCallId ?? ''), made) } : source;
  });
}

function callOf({ segment }: Prompt, asked: ToolCall | undefined, made: readonly MadeCall[]): Partial<SourceText> {
  const tool = segment.name ?? asked?.name;
  if (tool === undefined) return {};
  const args = asked === undefined ? undefined : parsed(asked.arguments);
  const call = made.findLast((one) => one.tool === tool && args !== undefined && canonicalJson(one.args) === args);
  return call === undefined ? { tool } : { tool, effect: call.effect };
}

function parsed(text: string): string | undefined {
  try {
    return canonicalJson(JSON.parse(text === '' ? '{}' : text) as unknown);
  } catch {
    return undefined; // a proposal that was no JSON was never made
  }
}
