import type { ApprovalRequest } from '../../core/approval.js';
import { canonicalJson } from '../../core/canonical.js';
import type { Ledger } from '../../core/ledger.js';
import type { ToolCall } from '../../core/model.js';
import { starterIn } from '../../core/other-runs.js';
import { describePart, isMediaPart } from '../../core/parts.js';
import { linksOf, type Prompt, type Trust } from '../../core/prompt.js';
import { argumentsIn } from '../../core/read-json.js';
import { type RequestProvenance, type SourceText, tracedTo, writtenIn } from '../../core/request-provenance.js';
import type { MadeCall } from '../../core/run.js';
import type { Attempt } from '../attempt.js';
import type { Pending, Scope } from '../open-effects.js';
import type { Answered } from '../seen-by-code.js';
import type { Act } from './act.js';

/**
 * What the arguments of an act rest on: the reply that proposed it with all that was in its prompt, or, where code made
 * them, the input of the run, what tools answered and what models said around it.
 */
export function provenanceOf(attempt: Attempt, { scope }: Pending, act: Act): RequestProvenance {
  const around = attempt.delivery.calls.repliesAround(scope.ledger, scope.path);
  const proposer = around.find(({ toolCalls, text }) => proposes(act.name, toolCalls, text));
  return proposer === undefined
    ? madeByCode(attempt, scope, act.input, around)
    : proposedBy(attempt, scope, act.input, proposer);
}

/**
 * What an output or a step rests on that the agent asks people about. It names no tool, so the reply that proposed it is
 * known by its words: phases of a loop stand side by side, and any of them may have written it.
 */
export function provenanceOfRequest(attempt: Attempt, { scope }: Pending, request: object): RequestProvenance {
  const { input, output = input } = request as Pick<ApprovalRequest, 'input' | 'output'>;
  const replies = attempt.delivery.calls.replies(scope.ledger);
  const texts = replies.map(({ text }) => text);
  const writer = replies[writtenIn(output, texts, inputOf(attempt).text)];
  return writer === undefined
    ? madeByCode(attempt, scope, output, replies)
    : proposedBy(attempt, scope, output, writer);
}

function proposedBy(attempt: Attempt, { ledger }: Scope, value: unknown, proposer: Answered): RequestProvenance {
  const { effect, session, model, prompt } = proposer;
  const by = { kind: 'model', effect, session, model, prompt: prompt.id } as const;
  return tracedTo(by, value, sourcesIn(proposer, attempt.delivery.calls.under(ledger, ''), givenBy(attempt, ledger)));
}

/**
 * Whose words an agent is given as its task. A prompt calls them the user's, and for the agent they are; but a child is
 * given what a model or code wrote, and a run that another one started what that passed on, which may be anybody's words.
 */
function givenBy(attempt: Attempt, { level }: Ledger): (task: string) => Trust {
  const { text: input, trust } = inputOf(attempt);
  return (task) => (level.path === '' || input.includes(task) ? trust : 'outside');
}

/** A long run has thousands, and each is looked through for each value. */
const MOST_RESULTS = 200;

function madeByCode(
  attempt: Attempt,
  { ledger }: Scope,
  value: unknown,
  replies: readonly Answered[],
): RequestProvenance {
  const results = attempt.delivery.calls
    .under(ledger, '')
    .slice(-MOST_RESULTS)
    .map(({ tool, effect, result }): SourceText => ({ what: 'result', trust: 'outside', tool, effect, text: result }));
  const said = replies.map(({ text, session, model, effect }): SourceText => {
    return { what: 'reply', trust: 'model', session, model, effect, text };
  });
  return tracedTo({ kind: 'code' }, value, [inputOf(attempt), ...results, ...said.reverse()]);
}

/** Where calls are read from text, the text names the tool. */
function proposes(tool: string, calls: readonly ToolCall[], text: string): boolean {
  return calls.some(({ name }) => name === tool) || (calls.length === 0 && text.includes(`"${tool}"`));
}

function inputOf({ recorded: { input }, claim: { record } }: Attempt): SourceText {
  return {
    what: 'input',
    trust: starterIn(record.source) === undefined ? 'user' : 'outside',
    text: typeof input === 'string' ? input : (JSON.stringify(input, named) ?? ''),
  };
}

/** The bytes of an image say nothing about where a value comes from. */
function named(_key: string, value: unknown): unknown {
  return isMediaPart(value) ? describePart(value) : value;
}

/** Who owns the segments with instructions of people. */
const PERSON = 'person';

const WHAT = { system: 'setup', user: 'message', assistant: 'reply', tool: 'result' } as const;

function sourcesIn(
  { prompt }: Answered,
  made: readonly MadeCall[],
  whose: (task: string) => Trust,
): readonly SourceText[] {
  const links = linksOf(prompt);
  const asked = new Map(
    links.flatMap(({ segment }) => (segment.toolCalls ?? []).map((call) => [call.id, call] as const)),
  );
  return links.map((link): SourceText => {
    const { role, owner, trust: labelled, content, toolCallId } = link.segment;
    // what a person tells a run while it goes on reaches its children too
    const trust = labelled === 'user' && owner !== PERSON ? whose(content) : labelled;
    const source = { what: WHAT[role], trust, text: content };
    return role === 'tool' ? { ...source, ...callOf(link, asked.get(toolCallId ?? ''), made) } : source;
  });
}

function callOf({ segment }: Prompt, asked: ToolCall | undefined, made: readonly MadeCall[]): Partial<SourceText> {
  const tool = segment.name ?? asked?.name;
  if (tool === undefined) return {};
  const args = asked === undefined ? undefined : storable(asked.arguments);
  const call = made.findLast((one) => one.tool === tool && args !== undefined && canonicalJson(one.args) === args);
  return call === undefined ? { tool } : { tool, effect: call.effect };
}

/** Arguments as a journal holds them; a proposal that it cannot hold was never made. */
function storable(text: string): string | undefined {
  const read = argumentsIn(text);
  try {
    return read === undefined ? undefined : canonicalJson(read.value);
  } catch {
    return undefined;
  }
}
