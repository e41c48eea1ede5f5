import { matchesAny, matchesText } from '../../tools/governance/text-glob.js';
import type { GateCall } from './gate-call.js';
import type { Belongings, GateRules } from './gate-rules.js';
import { recordsIn, recordsOf } from './records.js';
import { type Deed, deedsDone, type Evidence } from './witness.js';

/**
 * The things that a call names and that nothing shows to be these people's. A thing is theirs where a read that was asked
 * about one of them, or about a thing of theirs, listed it; so one that a model has from anywhere else opens nothing.
 */
export function notShownAsOwn(
  rules: GateRules,
  call: GateCall,
  { happened }: Evidence,
  subjects: readonly string[],
): readonly string[] {
  const { belongings, identity } = rules;
  if (belongings === undefined || identity === undefined || matchesAny(belongings.free ?? [], call.target)) return [];
  const wanted = valuesOf(call, belongings.arguments);
  if (wanted.length === 0) return [];
  const own = new Set<string>();
  for (const deed of deedsDone(happened)) {
    const about = [...valuesOf(deed.call, belongings.arguments), ...valuesOf(deed.call, identity.named)];
    const isOurs = about.length > 0 && about.every((one) => subjects.includes(one) || own.has(one));
    if (isOurs) for (const id of shownIn(belongings, deed)) own.add(id);
  }
  return wanted.filter((one) => !own.has(one));
}

/** A list or an object is compared as the text that it is, which no record holds. */
function valuesOf({ args, inner }: GateCall, names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => [args[name], inner[name]]))].flatMap((value) => {
    if (value === undefined || value === null) return [];
    return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
  });
}

function shownIn({ shownBy, madeBy = {} }: Belongings, { call, content }: Deed): readonly string[] {
  if (call.does !== 'call') return [];
  const listed = of(shownBy, call.target).flatMap((column) => columnIn(content, column));
  const made = of(madeBy, call.target).flatMap((words) => following(content, words));
  return [...listed, ...made];
}

/** `table.field` of a listing, or a field of JSON. */
function columnIn(content: string, column: string): readonly string[] {
  const [table = '', field] = column.split('.');
  const records = field === undefined ? jsonRecords(content) : recordsOf(content, table);
  return records.flatMap((record) => record[field ?? table] ?? []);
}

function jsonRecords(content: string): ReturnType<typeof recordsIn> {
  return /^\s*[[{]/.test(content) ? recordsIn(content) : [];
}

function of(byTool: Readonly<Record<string, readonly string[]>>, tool: string): readonly string[] {
  return Object.entries(byTool).flatMap(([pattern, fields]) => (matchesText(pattern, tool) ? fields : []));
}

/** The name that follows. An answer that holds the words twice quotes somebody, and is believed in neither place. */
function following(content: string, words: string): readonly string[] {
  const [, rest, ...more] = content.split(words);
  const name = /^[\w-]+/.exec(rest ?? '')?.[0];
  return name === undefined || more.length > 0 ? [] : [name];
}
