import { takesPart } from '../../core/media-fit.js';
import type { ToolCall } from '../../core/model.js';
import { type Content, describePart, type MediaPart, mediaIn, wordsOf } from '../../core/parts.js';
import { append, type Prompt } from '../../core/prompt.js';
import type { Run } from '../../core/run.js';
import type { Reply } from '../../core/session.js';
import { ACTIVATE_SKILL } from '../../skills/skill.js';
import type { CallReport } from './execute-calls.js';
import type { LoopParts } from './loop-parts.js';
import type { LoopState } from './loop-state.js';
import { parseTextCalls, renderTextResults, TEXT_RESULTS } from './text-calls.js';

/** What a reply asks for. */
export type Proposals =
  | { readonly kind: 'answer' }
  | { readonly kind: 'calls'; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Calls take priority over content, which stays in the message; an empty list of calls is an answer. */
export function proposalsIn(parts: LoopParts<unknown>, state: LoopState, reply: Reply<string>): Proposals {
  if (reply.toolCalls.length > 0) return { kind: 'calls', calls: reply.toolCalls };
  return parts.textForm === undefined
    ? { kind: 'answer' }
    : parseTextCalls(parts.textForm, reply.text, state.iterations);
}

const INVENTED = /^[ \t]*Observation[ \t]*:/im;

/**
 * A model that goes on after its call and writes the result itself has made it up: what begins there is cut, before it is
 * read as anything or stands in the next prompt.
 */
export function withoutInvented(run: Run, parts: LoopParts<unknown>, reply: Reply<string>): Reply<string> {
  const at = reply.text.search(INVENTED);
  if (at === -1) return reply;
  const text = reply.text.slice(0, at).trimEnd();
  const calls =
    reply.toolCalls.length > 0 ||
    (parts.textForm !== undefined && parseTextCalls(parts.textForm, text, 0).kind === 'calls');
  if (!calls) return reply;
  run.note({ kind: 'invented-observation', loop: run.path, characters: reply.text.length - text.length });
  const prompt = append(reply.prompt.parent, { ...reply.prompt.segment, content: text });
  return { ...reply, text, prompt };
}

/** The conversation with one result for every call, in call order. */
export function withReports(parts: LoopParts<unknown>, state: LoopState, reports: readonly CallReport[]): Prompt {
  const results = reports.map((report) => {
    const { call } = report;
    const { media, leftOut } = mediaOf(state, report);
    return {
      call,
      content: [contentOf(parts, state, report), ...leftOut].filter((text) => text !== '').join('\n'),
      media,
    };
  });
  // calls of its own get results of its own, also from a model that was told to write them as text
  if (state.prompt.segment.toolCalls === undefined) {
    const text = renderTextResults(results);
    const keeps = reports.some(isActivation) ? { protect: true } : {};
    return append(state.prompt, {
      role: 'user',
      content: withMedia(
        text,
        results.flatMap(({ media }) => media),
      ),
      owner: 'loop',
      trust: 'outside',
      name: TEXT_RESULTS,
      ...keeps,
    });
  }
  let tip = state.prompt;
  for (const [index, { call, content: text, media }] of results.entries()) {
    const keeps = isActivation(reports[index]) ? { protect: true } : {};
    const content = withMedia(text, media);
    tip = append(tip, { role: 'tool', content, toolCallId: call.id, name: call.name, owner: call.name, ...keeps });
  }
  return tip;
}

/** Images and files of a result stand after its text, in which they are named. */
function withMedia(text: string, media: readonly MediaPart[]): Content {
  return media.length === 0 ? text : [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...media];
}

/** A result with something that the model cannot take is still a result: it is told what was left out. */
function mediaOf(
  { session: { model } }: LoopState,
  { end, parts }: CallReport,
): { readonly media: readonly MediaPart[]; readonly leftOut: readonly string[] } {
  const given = end === 'ok' ? mediaIn(parts) : [];
  const media = given.filter((part) => takesPart(model.capabilities, part));
  const leftOut = given.filter((part) => !media.includes(part));
  return { media, leftOut: leftOut.map((part) => `[${describePart(part)}: left out, you cannot take it]`) };
}

/** The instructions of a skill hold until the end: nothing may clear or summarise them. */
function isActivation(report: CallReport | undefined): boolean {
  return report?.end === 'ok' && report.call.name === ACTIVATE_SKILL;
}

function contentOf(parts: LoopParts<unknown>, state: LoopState, report: CallReport): string {
  const { call, end, failure } = report;
  // what is not text follows, and says itself what it is
  const content = report.parts === undefined ? report.content : wordsOf(report.parts);
  switch (end) {
    case 'ok':
      return clip(content, parts.resultChars) + (state.calls.notices.get(call) ?? '');
    case 'failed':
      return failure === undefined
        ? content
        : state.errors.read(call.name, failure) + (state.calls.notices.get(call) ?? '');
    case 'denied':
      return `Denied, not executed: ${clip(content, parts.resultChars)}${state.calls.notices.get(call) ?? ''}`;
    case 'not-executed':
      return content;
  }
}

/** The middle of a long result says least; what was left out is counted, so that nobody takes it for all. */
function clip(content: string, most: number): string {
  if (content.length <= most) return content;
  const head = Math.ceil(most * 0.7);
  const tail = most - head;
  return `${content.slice(0, head)}\n[… ${content.length - most} characters left out …]\n${content.slice(-tail)}`;
}

/** A chain whose last calls got no result, because the loop ended in their middle, is closed: providers refuse it else. */
export function withoutOpenCalls(prompt: Prompt): Prompt {
  const { role, toolCalls = [] } = prompt.segment;
  if (role !== 'assistant') return prompt;
  let tip = prompt;
  for (const { id, name } of toolCalls) {
    const content = 'No result: the loop ended here, and it is not known whether this was executed.';
    tip = append(tip, { role: 'tool', content, toolCallId: id, name, owner: 'loop' });
  }
  return tip;
}
