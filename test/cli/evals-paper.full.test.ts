import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openDomain } from '../../packages/evals/src/cli/open-domain.js';
import { EXIT } from '../../packages/flyball/src/cli/exit-codes.js';
import { tau2, withTau2 } from '../evals/tau2-data.js';
import { patient } from '../patience.js';
import { evals, place } from './evals-stage.js';
import { paperServer } from './paper-stand-in.js';

const TASKS = ['task_036', 'task_046', 'task_075'];
const MODELS = [
  'anthropic/claude-haiku-4-5',
  'alibaba/qwen3.5-flash',
  'google/gemini-3.1-flash-lite',
  'deepseek/deepseek-v4-flash',
  'deepseek/deepseek-v4-pro',
];
const AGENTS = ['Baseline', 'Declarative', 'Imperative'];

/** Rows of the Markdown table under a title, as lists of cells. */
function tableIn(text: string, title: string): readonly (readonly string[])[] {
  const lines = text.replaceAll('\\', '').split('\n');
  const at = lines.findIndex((line) => line.startsWith(`## ${title}`));
  const from = lines.findIndex((line, index) => index > at && line.startsWith('|'));
  const to = lines.findIndex((line, index) => index > from && !line.startsWith('|'));
  return at < 0 ? [] : lines.slice(from, to < 0 ? undefined : to).map((line) => line.slice(2, -2).split(' | '));
}

withTau2("the paper's experiment", () => {
  it('runs as a preset over stand-ins for its five models, and prints its tables in its order [F-E3] [R8-EVAL-PAPER]', {
    timeout: patient(120_000),
  }, async () => {
    const here = place();
    const domain = await openDomain('banking_knowledge', { data: tau2().data }, {});
    // two models with a flaw each; every other one is right
    const server = await paperServer(domain, (model, task) => {
      if (model === 'claude-haiku-4-5' && task === 'task_046') return 'gives-up';
      return model === 'deepseek-v4-pro' && task === 'task_036' ? 'unverified' : undefined;
    });
    const less = ['--tasks', ...TASKS, '--embedder', 'hash', '--max-steps', '24', '--concurrency', '8'];
    const words = ['run', '--preset', 'paper', ...less, '--data', tau2().data, '--out', here.at('paper')];
    const ran = await evals(words, { env: server.env });
    expect(ran).toMatchObject({ code: EXIT.ok, error: '' });
    expect(ran.out).toContain('3 tasks of banking_knowledge × 30 conditions × 1 trial = 90 simulations');
    expect(ran.out).toContain('deepseek-v4-pro: $1.32 in, $3.96 out, $0.044 from the cache, $1.32 into it');
    expect(ran.out).not.toMatch(/infrastructure errors? apart|failed because of infrastructure/);

    const report = await evals(['report', here.at('paper')]); // as the run says, without --data
    expect(report).toMatchObject({ code: EXIT.ok, error: '' });
    for (const text of [ran.out, report.out]) checkTables(text);
    expect(new Set(server.requests.map(({ format }) => format))).toEqual(
      new Set(['openai-chat', 'anthropic', 'gemini']),
    );
    const figure = await evals(['report', here.at('paper'), '--format', 'svg', '--out', here.at('f.svg')]);
    expect(figure.code).toBe(EXIT.ok);
    const svg = readFileSync(here.at('f.svg'), 'utf8');
    MODELS.forEach((name, index) => {
      expect(svg).toContain(`>${index + 1}</tspan> ${name}</text>`); // which number beside a mark is which model
    });
    expect(svg.match(/<title>/g)).toHaveLength(30);
    const full = await evals(['report', here.at('paper'), '--tables', 'full']);
    expect(full.out).toContain('## Duration and calls');
  });
});

function checkTables(text: string): void {
  for (const title of ['Table 3: Aggregate metrics under golden', 'Table 4: Aggregate metrics under dense']) {
    const [head, , ...rows] = tableIn(text, title);
    expect(head).toEqual(['Model', 'Agent', 'N', 'Pass^1', 'Δ Baseline', 'DB Match', 'Cost/Task']);
    expect(rows.map(([model, agent]) => `${model} ${agent}`)).toEqual(
      MODELS.flatMap((model) => AGENTS.map((agent) => `${model} ${agent}`)),
    );
    expect(rows.every(([, , n]) => n === '3')).toBe(true);
  }
  const golden = new Map(
    tableIn(text, 'Table 3').map(([model, agent, ...cells]) => [`${model} ${agent}`, cells] as const),
  );
  // Haiku gives up on one of three tasks, at its first reply: 4 + 1 + 4 model calls over 3 tasks.
  //   one reply: (720 · 1 + 1,280 · 0.1 + 50 · 5) / 1,000,000 = $0.001098; 9 · 0.001098 / 3 = $0.0033
  expect(golden.get(`${MODELS[0]} Baseline`)).toEqual(['3', '0.667', '–', '2 / 3 = 66.7 %', '$0.0033']);
  expect(golden.get(`${MODELS[0]} Declarative`)).toEqual(['3', '0.667', '0.000', '2 / 3 = 66.7 %', '$0.0033']);
  // Qwen is right: 4 calls a task. (720 · 0.1 + 1,280 · 0.01 + 50 · 0.4) / 1,000,000 · 4 = $0.0004
  expect(golden.get(`${MODELS[1]} Baseline`)).toEqual(['3', '1.000', '–', '3 / 3 = 100.0 %', '$0.0004']);
  const [writes, , ...writeRows] = tableIn(text, 'Table 5: Write accuracy on deepseek/deepseek-v4-pro');
  expect(writes).toEqual(['Agent', 'Retrieval', 'Write Acc.', 'Avg Cost/Task']);
  const [compliance, , ...complianceRows] = tableIn(text, 'Table 6: Compliance and efficiency on deepseek/');
  expect(compliance).toEqual([
    ...['Agent', 'Retrieval', 'N', 'Unauth.', 'Over-retry', 'Write pre-verify', 'Traj. len.'],
  ]);
  const order = AGENTS.flatMap((agent) => [`${agent} golden`, `${agent} dense`]);
  for (const rows of [writeRows, complianceRows])
    expect(rows.map(([agent, retrieval]) => `${agent} ${retrieval}`)).toEqual(order);
  // DeepSeek Pro skips the verification on one of three tasks: it wrote unauthorized there, with its one call of the wrapper
  expect(complianceRows[0]?.slice(2, 6)).toEqual(['3', '1 / 3 = 33.3 %', '0 / 3 = 0.0 %', '1 / 3 = 33.3 %']);
  const [marks, , ...points] = tableIn(text, 'Figure: pass^1 over cost per task');
  expect(marks).toEqual(['Cost/task', 'pass^1', 'Model', 'Agent', 'Retrieval', 'Mark']);
  expect(points).toHaveLength(30);
}
