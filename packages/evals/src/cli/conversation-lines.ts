import type { Screen } from 'flyball/internal';
import { printable, printableLines } from 'flyball/internal';
import type { SimulationRecord } from '../results/simulation-record.js';
import { dumpJson } from '../tau2/python/json.js';
import type { SimCall, SimMessage } from '../world/message.js';

/** One conversation for people: who said what, what was called, and what came back. */
export function conversationLines(
  messages: readonly SimMessage[],
  { paint }: Pick<Screen, 'paint'>,
): readonly string[] {
  return messages.flatMap((message, index) => {
    const number = String(index).padStart(3);
    if (message.role === 'tool') {
      const mark = message.error ? paint('red', '✗') : '→';
      return [`${number}      ${mark} ${indented(message.content)}`];
    }
    const who = paint(message.role === 'assistant' ? 'cyan' : 'bold', message.role === 'assistant' ? 'agent' : 'user');
    const said =
      message.content === null || message.content === '' ? [] : [`${number} ${who}  ${indented(message.content)}`];
    return [...said, ...message.calls.map((call) => `${number} ${who}  calls ${callText(call)}`)];
  });
}

/** How it ended, and what the grade rests on. */
export function gradeLines(record: SimulationRecord, { paint }: Pick<Screen, 'paint'>): readonly string[] {
  const { reward, termination, seconds, agentCost, info } = record;
  const cost = agentCost === null ? '' : `, $${agentCost.toFixed(4)}`;
  const mark = (is: boolean) => (is ? paint('green', '✓') : paint('red', '✗'));
  const why = info?.['unscored'] ?? info?.['error'];
  return [
    `${reward === null ? 'not scored' : `reward ${reward.reward}`}, ended by ${termination}, ${seconds.toFixed(1)} s${cost}`,
    ...(typeof why === 'string' ? [printable(why)] : []),
    ...(reward?.db == null ? [] : [`${mark(reward.db.match)} database`]),
    ...(reward?.actions ?? []).map(({ action, matched }) => `${mark(matched)} gold call ${callText(action)}`),
    ...(reward?.communicate ?? []).map(({ info: said, met }) => `${mark(met)} said: ${printable(said)}`),
    ...(reward?.nl ?? []).map(({ assertion, met }) => `${mark(met)} ${printable(assertion)}`),
  ];
}

function callText({ name, arguments: args }: Pick<SimCall, 'name' | 'arguments'>): string {
  return printable(`${name} ${dumpJson(args)}`);
}

/** Further lines stand under the first. */
function indented(text: string): string {
  return printableLines(text.trimEnd(), ' '.repeat(11));
}
