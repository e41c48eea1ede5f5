import type { ModelRequest } from 'flyball';
import { heardIn, type Rule } from './demonstration-model.js';

/** What the demonstration model says, by the name of the session that asks. */

const PORTS = ['Bergen', 'Cuxhaven', 'Saint-Malo'] as const;

const harborDesk: Rule = (request) => {
  const { asked, results } = heardIn(request);
  const port = PORTS.find((name) => asked.includes(name)) ?? 'Bergen';
  if (confirming(request))
    return answerOf(`High water in ${port} today is at ${tides(request)}. The wind is moderate; you can sail.`);
  if (results.length === 0)
    return { text: `I will look at the tide table of ${port}.`, call: ['tide_table', { port }] };
  if (results.length === 1) return { text: 'Now the wind.', call: ['weather', { port }] };
  return answerOf(`High water in ${port} today is at ${tides(request)}. The wind is moderate; you can sail.`);
};

const refundDesk: Rule = (request) => {
  const { asked, results } = heardIn(request);
  const order = /\b[A-Z]-\d+\b/.exec(asked)?.[0] ?? 'A-17';
  if (results.length === 0) return { text: `First I look at order ${order}.`, call: ['look_up_order', { order }] };
  if (results.length === 1)
    return {
      text: 'It was cancelled in time. I propose to pay all of it back.',
      call: ['refund', { order, amount: 120, reason: 'cancelled in time' }],
    };
  const last = results.at(-1) ?? '';
  return last.includes('refunded')
    ? 'The money is on its way: 120 EUR, back to the account it came from.'
    : `The refund was not made. ${last.slice(0, 300)}`;
};

const nightWatch: Rule = ({ messages }) => {
  const loose = messages.at(-1)?.content.match(/berth \d+: a loose line/g) ?? [];
  return loose.length === 0
    ? 'All berths were quiet tonight.'
    : `The watch found ${loose.length} loose lines (${loose.map((text) => text.slice(0, -14)).join(', ')}). They were made fast; nothing else to report.`;
};

const planner: Rule = () =>
  JSON.stringify({
    goal: 'A berth in Bergen at high water',
    shape: 'partial',
    steps: [
      {
        id: 'tides',
        description: 'Find out when the water is high in Bergen.',
        stepType: 'tool',
        requiredTools: ['tide_table'],
        expectedOutcome: 'the times of high water',
      },
      {
        id: 'wind',
        description: 'Find out how the wind is in Bergen.',
        stepType: 'tool',
        requiredTools: ['weather'],
        expectedOutcome: 'wind and sight',
      },
      {
        id: 'choose',
        description: 'Choose the time.',
        dependsOn: ['tides', 'wind'],
        bindings: { times: { from: 'tides' }, wind: { from: 'wind' } },
        expectedOutcome: 'a time',
      },
      {
        id: 'book',
        description: 'Book berth 7 for that time.',
        stepType: 'tool',
        requiredTools: ['book_berth'],
        dependsOn: ['choose'],
        bindings: { time: { from: 'choose' } },
        reversibility: 'idempotent',
        compensation: { tool: 'cancel_berth', args: { berth: '7' } },
        expectedOutcome: 'a booked berth',
      },
    ],
  });

const worker: Rule = (request) => {
  const { results } = heardIn(request);
  const task = request.messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '';
  if (results.length > 0) return results.at(-1) ?? '';
  // the first attempt at a step only talks about the call: the plan does not take that for one
  if (task.includes('when the water is high') && !everAsked(request, 'not a call'))
    return 'I would look into the tide table; the water is surely high at seven.';
  if (task.includes('tide') || task.includes('water is high')) return { call: ['tide_table', { port: 'Bergen' }] };
  if (task.includes('wind is')) return { call: ['weather', { port: 'Bergen' }] };
  if (task.includes('Book berth')) return { call: ['book_berth', { berth: '7', time: '19:05' }] };
  return '19:05, with the evening tide.';
};

const FIRST_NOTICE = 'Notice to mariners\n\nThe north basin is closed.\n\nThe harbor office';
const MENDED_NOTICE =
  'Notice to mariners\n\nThe north basin is closed from 06:00 to 18:00 on Monday.\nUse the south basin; ask for a berth on channel 12.\n\nThe harbor office';

const noticeWriter: Rule = () => FIRST_NOTICE;
const judge: Rule = (request) => {
  const shown = request.messages.map(({ content }) => content).join('\n');
  const good = shown.includes('from 06:00 to 18:00');
  const form = request.output as
    | { readonly properties?: { readonly dimensions?: { readonly properties?: object } } }
    | undefined;
  const names = Object.keys(form?.properties?.dimensions?.properties ?? {});
  if (names.length === 0 && shown.includes('"yes"')) return JSON.stringify({ reasoning: 'Looked again.', yes: good });
  const of = names.length > 0 ? names : ['correctness', 'completeness', 'coherence', 'safety'];
  const dimensions = of.map((name) => [
    name,
    { reasoning: `Looked at ${name}.`, score: good || name !== 'completeness' ? 1 : 0.55 },
  ]);
  return JSON.stringify({
    dimensions: Object.fromEntries(dimensions),
    missing: [],
    gaps: [],
  });
};
const critic: Rule = (request) => {
  const shown = request.messages.map(({ content }) => content).join('\n');
  if (shown.includes('from 06:00 to 18:00')) return JSON.stringify({ defects: [] });
  return JSON.stringify({
    defects: [
      {
        description: 'It does not say from when to when, nor where to go instead.',
        dimension: 'completeness',
        severity: 0.6,
        artefact: 'answer',
        line: null,
        endLine: null,
        section: null,
        scope: 'global',
        cause: 'incompleteness',
        needsExpert: false,
        hint: 'add the times and the south basin',
      },
    ],
  });
};

export const RULES: Readonly<Record<string, Rule>> = {
  'harbor-desk': harborDesk,
  'refund-desk': refundDesk,
  'night-watch': nightWatch,
  planner,
  worker,
  replanner: planner,
  'notice-planner': () =>
    JSON.stringify({
      goal: 'A notice to mariners',
      steps: [{ id: 'write', description: 'Write the notice.', expectedOutcome: 'a notice' }],
    }),
  'notice-writer': noticeWriter,
  'notice-judge': judge,
  'notice-critic': critic,
  'notice-editor': () => MENDED_NOTICE,
};

function tides({ messages }: ModelRequest): string {
  const found = messages
    .filter(({ role, content }) => role === 'tool' && /\d\d:\d\d and \d\d:\d\d/.test(content))
    .at(-1);
  return /\d\d:\d\d and \d\d:\d\d/.exec(found?.content ?? '')?.[0] ?? 'times that I do not know';
}

/** The loop asks once whether the answer is the last one. */
function confirming({ messages }: ModelRequest): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && messages.at(-2)?.role === 'assistant' && messages.length > 4;
}

function everAsked({ messages }: ModelRequest, words: string): boolean {
  return messages.some(({ role, content }) => role === 'user' && content.includes(words));
}

function answerOf(text: string): string {
  return text;
}
