import { foundAnti } from './anti-pattern-finding.js';
import { choosesTools, presentFor, type Rule } from './rules-agents.js';
import { sessionsBy } from './subject.js';
import type { AntiPatternId } from './types.js';

const SERVER_LIMIT = 55_000;
const SERVER_WARNS = 20_000;
const TOTAL_LIMIT = 60_000;
const FLAT_WARNS = 16;
const FLAT_LIMIT = 20;

const uncountedServers: Rule = ({ system: { servers = [] } }) => {
  const total = servers.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
  const each = servers.flatMap(({ name: at, tokens, filtered }) => {
    if (tokens === undefined)
      return [
        foundAnti('IA1', { at, why: 'nobody counted its schemas.', change: 'Count the tokens of its `tools/list`.' }),
      ];
    const filter = 'Take only the tools that are needed';
    if (tokens > SERVER_LIMIT) {
      const change = `${filter}, at most ${SERVER_LIMIT} tokens, or use a program in its place: {I4}.`;
      return [foundAnti('IA1', { at, why: `its schemas take ${tokens} tokens.`, change })];
    }
    if (tokens < SERVER_WARNS || filtered === true) return [];
    const why = `its schemas take ${tokens} tokens, and nothing filters them.`;
    return [foundAnti('IA1', { at, why, change: `${filter}.`, level: 'warning' })];
  });
  if (total <= TOTAL_LIMIT) return each;
  const change = `Take fewer tools of them, at most ${TOTAL_LIMIT} tokens together.`;
  return [...each, foundAnti('IA1', { at: 'servers', why: `all schemas take ${total} tokens.`, change })];
};

const shellString: Rule = ({ system: { tools = [] } }) =>
  tools.flatMap(({ name: at, runs, sandboxed, lists }) => {
    if (runs === undefined) return [];
    if (runs === 'shell-string') {
      const change = 'Use {I4}: arguments as a list, programs that are allowed, and a sandbox.';
      return [foundAnti('IA2', { at, why: 'it runs a string in a shell.', change })];
    }
    if (sandboxed !== true)
      return [
        foundAnti('IA2', { at, why: 'it runs programs without a sandbox.', change: 'Run it in a sandbox: {V8}.' }),
      ];
    const why = 'it lists what is denied, so everything else is allowed.';
    return lists === 'denied' ? [foundAnti('IA2', { at, why, change: 'List what is allowed.' })] : [];
  });

const flatList: Rule = (context) =>
  context.placed.flatMap(({ use, at, agent }) => {
    const tools = Math.max(0, ...sessionsBy(use).map(({ session }) => session.tools));
    if (tools < FLAT_WARNS || choosesTools(context, agent) || presentFor(context, agent).has('I3')) return [];
    const why = `${tools} tools stand in one fixed list.`;
    const change = `Show fewer than ${FLAT_WARNS}, or let them be discovered: {I3}.`;
    return [foundAnti('IA3', { at, why, change, level: tools >= FLAT_LIMIT ? 'error' : 'warning' })];
  });

const undiscovered: Rule = ({ system: { delegates = [] } }) =>
  delegates.flatMap(({ name, url, card, cardTtlMs }) => {
    if (url === undefined || (card === 'verified' && cardTtlMs !== undefined)) return [];
    const why = 'it is reached by its address, without a verified card that expires.';
    return [foundAnti('IA4', { at: name, why, change: 'Read and verify its card, and let that expire: {I5}.' })];
  });

const forgotten: Rule = ({ host, system: { delegates = [] } }) =>
  delegates.flatMap(({ name, wallMs, idleMs, cancels, handlesEnd, maxDepth, traced }) => {
    const missing = [
      ...(wallMs === undefined ? ['a time limit'] : []),
      ...(idleMs === undefined ? ['an idle limit'] : []),
      ...(cancels === true ? [] : ['a way to cancel']),
      ...(handlesEnd === true ? [] : ['a handler for its end']),
      ...(maxDepth === undefined ? ['a cap on depth'] : []),
      ...(traced === true || host.has('V14') ? [] : ['a trace ({V14})']),
    ].join(', ');
    const why = `it lacks ${missing.replace(' ({V14})', '')}.`;
    return missing === '' ? [] : [foundAnti('IA5', { at: name, why, change: `Give it ${missing}.` })];
  });

/** The 5 of integration. */
export const integrationRules: Readonly<Partial<Record<AntiPatternId, Rule>>> = {
  IA1: uncountedServers,
  IA2: shellString,
  IA3: flatList,
  IA4: undiscovered,
  IA5: forgotten,
};
