import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Desk, jsonLines, newDesk } from './flyball.js';

let desk: Desk;
beforeEach(() => {
  desk = newDesk();
  writeFileSync(
    join(desk.folder, 'agent.mjs'),
    `export default async (run) => {
  run.note({ kind: 'observation', type: 'decision', content: 'hush-note', metadata: {}, tags: ['private'] });
  const vault = run.scope('vault');
  await vault.step('look', 'hush-early', () => 'hush-before-the-mark', 'idempotent');
  vault.note({ kind: 'private' });
  const code = await vault.step('open', 'hush-input', () => 'hush-result', 'idempotent');
  await run.wait({ name: 'go' });
  return { stop: 'done', value: code === 'hush-result' ? 'it was kept' : 'it was lost' };
};`,
  );
});
afterEach(() => desk.clear());

it('what a run marks as private is not shown by run, show or chat, and the journal keeps it [R3-OBS-PRIVATE]', async () => {
  const ran = await desk.flyball('run', 'agent.mjs', '--id', 'r1', '--json');
  const kinds = jsonLines(ran.out).map(({ event }) => (event as { type: string } | undefined)?.type);
  expect(kinds).toContain('complete'); // that it happened is told
  const shown = await desk.flyball('show', 'r1');
  const told = await desk.flyball('show', 'r1', '--json');
  const past = await desk.flyball('show', 'r1', '--at', '6', '--json');
  const talked = await desk.piped('hello\n', 'chat', 'agent.mjs', '--json');
  const lines = await desk.piped('hello\n', 'chat', 'agent.mjs');
  for (const { code, out, error } of [shown, told, past, talked, lines]) {
    expect(code, error).toBe(0);
    expect(out).not.toMatch(/hush-(note|input|result)/);
  }
  expect(ran.out).not.toMatch(/hush-(note|input|result)/);
  expect(told.out).not.toContain('hush-early'); // a mark holds for what came before it
  const ended = await desk.flyball('signal', 'r1', 'go', 'null');
  expect(ended.out).toContain('it was kept'); // the replay found it
  expect(ended.out).toContain('open took place ([private])');
  expect(ended.out).not.toContain('hush');
});

it('what a private run asks for is not printed while it waits [F-W7]', async () => {
  writeFileSync(
    join(desk.folder, 'asks.mjs'),
    `export default async (run) => {
  run.note({ kind: 'private' });
  await run.wait({ name: 'go', request: { pin: 'hush-request' } });
  return { stop: 'done', value: 'fine' };
};`,
  );
  for (const more of [[], ['--json']]) {
    const { out, error } = await desk.flyball('run', 'asks.mjs', '--id', `r${more.length}`, ...more);
    expect(out).toContain('go'); // what is waited for is told
    expect(out + error).not.toContain('hush');
  }
  expect((await desk.flyball('signal', 'r1', 'go', 'null')).out).toContain('fine');
});
