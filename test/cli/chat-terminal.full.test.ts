import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lastJson } from './flyball.js';
import { definition, gate, MODEL, type ModelDesk, modelDesk, proposes } from './model-desk.js';
import { CTRL_C, CTRL_D, noTerminal, openTerminal, shown, type Terminal } from './terminal.js';

const why = noTerminal();
if (why !== undefined) console.warn(`The terminal tests are skipped: ${why}.`);

const WRITER = definition('tools: [write_file]\naccess: { write: [.] }\nautonomy: supervised\n');

function sit(desk: ModelDesk, words: readonly string[], more: Readonly<Record<string, string>> = {}): Terminal {
  const env = { OPENAI_COMPATIBLE_BASE_URL: desk.server.baseUrl('openai-chat'), FLYBALL_MODEL: MODEL, ...more };
  return openTerminal({ folder: desk.folder, env }, ...words);
}

/** The conversation itself: what stands below the line that explains the keys. */
function talkOn(terminal: Terminal): readonly string[] {
  const lines = terminal.screen();
  return lines.slice(lines.findIndex((line) => line.startsWith('Type a message.')) + 1);
}

describe.skipIf(why !== undefined)('flyball chat at a terminal', () => {
  it('shows a prompt, colors, what it is doing, and leaves a clean screen [R3-CLI-CHAT]', async () => {
    const held = gate();
    const desk = await modelDesk([{ text: 'Twice a day.', gate: held.promise }, 'Because of the moon.']);
    desk.file('agent.yaml', definition());
    const terminal = sit(desk, ['chat', 'agent.yaml']);
    await terminal.sees('> ');
    terminal.type('How often do tides turn?\r');
    await terminal.sees('thinking · ');
    await terminal.sees('thinking · ');
    expect(talkOn(terminal).at(-1)).toMatch(/^\S thinking · \d/);
    held.open();
    await terminal.sees('Twice a day.');
    await terminal.sees('> ');
    terminal.type('Whi\u007fy?\r'); // a typo, and a backspace
    await terminal.sees('moon.');
    await terminal.sees('> ');
    terminal.type('/bye\r');
    expect(await terminal.ended).toBe(0);
    expect(talkOn(terminal)).toEqual([
      '> How often do tides turn?',
      '● Twice a day.',
      '> Why?',
      '● Because of the moon.',
      '> /bye',
      'The conversation has ended.',
      '',
    ]);
    expect(terminal.raw()).toContain('\u001b[32m●\u001b[39m');
    expect(desk.heard(2).at(-1)).toBe('user: Why?');
  });

  it('pauses on Ctrl-C and goes on where it was; Ctrl-D leaves it open [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['Hello Ada.', 'You are Ada.']);
    desk.file('agent.yaml', definition());
    const first = sit(desk, ['chat', 'agent.yaml']);
    await first.sees('> ');
    first.type('I am Ada.\r');
    await first.sees('Hello Ada.');
    await first.sees('> ');
    first.type(`half a thought${CTRL_C}`);
    expect(await first.ended).toBe(130);
    const id = /chat_[0-9a-f]+/.exec(first.raw())?.[0] ?? '';
    expect(talkOn(first)).toEqual([
      '> I am Ada.',
      '● Hello Ada.',
      'Pausing at a safe point. Press Ctrl-C again to exit immediately; nothing is lost either way.',
      `${id} is paused. Continue with:`,
      `    flyball chat --resume ${id}`,
      '',
    ]);
    expect(lastJson((await desk.flyball('show', id, '--json')).out)).toMatchObject({ record: { status: 'paused' } });
    const second = sit(desk, ['chat', '--resume', id]);
    await second.sees('> I am Ada.');
    await second.sees('> ');
    second.type('Who am I?\r');
    await second.sees('You are Ada.');
    await second.sees('> ');
    second.type(CTRL_D);
    expect(await second.ended).toBe(0);
    expect(talkOn(second)).toEqual([
      '> Who am I?',
      '● You are Ada.',
      '>',
      `${id} is left open. Continue with:`,
      `    flyball chat --resume ${id}`,
      '',
    ]);
  });

  it('leaves at once when Ctrl-C is pressed twice [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk([{ misbehave: 'hang' }]);
    desk.file('agent.yaml', definition());
    const terminal = sit(desk, ['chat', 'agent.yaml', '--message', 'hi']);
    await desk.server.reached(1);
    terminal.type(CTRL_C);
    await terminal.sees('Press Ctrl-C again');
    terminal.type(CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(terminal.screen().join('\n')).toMatch(/is left open\. Continue with:\n {4}flyball chat --resume chat_/);
  });

  it('keeps what is typed ahead out of the reply, and offers it at the next prompt [R3-CLI-CHAT]', async () => {
    const [middle, other] = [gate(), gate()];
    const slow = { misbehave: 'slow' as const };
    const desk = await modelDesk([
      { ...slow, text: 'A reply of several words that takes its time to come.', gate: middle.promise },
      { ...slow, text: 'Another reply of several words that takes its time.', gate: other.promise },
      'Third.',
    ]);
    desk.file('agent.yaml', definition());
    const terminal = sit(desk, ['chat', 'agent.yaml', '--message', 'hi']);
    await terminal.sees('A reply of');
    terminal.type('and then');
    middle.open();
    await terminal.sees('and then');
    terminal.type(' what?\r');
    await terminal.sees('Another reply');
    terminal.type('a whole line\rand half of');
    other.open();
    await terminal.sees('Third.');
    await terminal.sees('and half of');
    terminal.type(`\u0015${CTRL_D}`); // takes the line back, then leaves
    expect(await terminal.ended).toBe(0);
    expect(talkOn(terminal).slice(0, 5)).toEqual([
      '● A reply of several words that takes its time to come.',
      '> and then what?',
      '● Another reply of several words that takes its time.',
      '> a whole line',
      '● Third.',
    ]);
    expect(desk.heard(3).slice(-1)).toEqual(['user: a whole line']);
  });

  it('takes no answer to a question that was typed before it was asked [R3-CLI-CHAT]', async () => {
    const middle = gate();
    const call = proposes('write_file', { path: 'a.txt', content: 'x' }, 'I will write that file for you at once.');
    const desk = await modelDesk([{ ...call, misbehave: 'slow', gate: middle.promise }, 'Then not.', 'You said y.']);
    desk.file('agent.yaml', WRITER);
    const terminal = sit(desk, ['chat', 'agent.yaml', '--message', 'write']);
    await terminal.sees('I will');
    terminal.type('y\rye');
    await desk.flyball('runs'); // takes longer than keys take to be read
    middle.open();
    await terminal.sees('[y/N, or a reason] ');
    expect(existsSync(join(desk.folder, 'a.txt'))).toBe(false);
    terminal.type('rather not\r');
    await terminal.sees('Then not.');
    await terminal.sees('You said y.'); // what was typed ahead was a message
    await terminal.sees('ye');
    terminal.type(`\u0015${CTRL_D}`);
    expect(await terminal.ended).toBe(0);
    expect(existsSync(join(desk.folder, 'a.txt'))).toBe(false);
    expect(talkOn(terminal)).toContain('  Allow it? [y/N, or a reason] rather not');
  });

  it('takes a paste of several lines as one message [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['Seen.', 'Seen again.']);
    desk.file('agent.yaml', definition());
    const terminal = sit(desk, ['chat', 'agent.yaml']);
    await terminal.sees('> ');
    terminal.type('one\rtwo\rthree\r');
    await terminal.sees('Seen.');
    await terminal.sees('> ');
    terminal.type('four\rfive');
    await terminal.sees('five');
    await desk.flyball('runs'); // takes longer than anything that is pasted
    terminal.type('\r');
    await terminal.sees('Seen again.');
    await terminal.sees('> ');
    terminal.type(CTRL_D);
    expect(await terminal.ended).toBe(0);
    expect(desk.heard(1).at(-1)).toBe('user: one\ntwo\nthree');
    expect(desk.heard(2).at(-1)).toBe('user: four\nfive');
  });

  it('does not write into a line that somebody types: what happens meanwhile is told afterwards [R3-CLI-CHAT]', async () => {
    const held = gate();
    const desk = await modelDesk([{ text: 'The other branch is done.', gate: held.promise }]);
    desk.file(
      'agent.mjs',
      `import { createModels, done } from ${JSON.stringify(new URL('../../packages/flyball/dist/index.js', import.meta.url).href)};
const models = await createModels({ env: process.env });
const session = { name: 'other', model: models.model('default'), setup: 'You talk.' };
export const runtime = { prices: { '${MODEL}': { input: 1, output: 1 } } };
export default async (run) => {
  await Promise.all([
    run.scope('pay').step('pay', 3, () => 'paid', { class: 'irreversible' }),
    run.scope('talk').ask(session, 'Talk.'),
  ]);
  return done('both');
};`,
    );
    const terminal = sit(desk, ['chat', 'agent.mjs', '--message', 'go']);
    await terminal.sees('[y/N, or a reason] ');
    terminal.type('it is ');
    await terminal.sees('it is ');
    held.open();
    const id = /chat_[0-9a-f]+/.exec(terminal.raw())?.[0] ?? '';
    await until(async () => (await desk.flyball('show', id)).out.includes('asked other')); // it is over by now
    expect(talkOn(terminal).at(-1)).toBe('  Allow it? [y/N, or a reason] it is');
    terminal.type('too dear\r');
    await terminal.sees('The other branch is done.');
    await terminal.sees('> ');
    terminal.type('/bye\r');
    expect(await terminal.ended).toBe(0);
    const lines = talkOn(terminal);
    expect(lines).toContain('  Allow it? [y/N, or a reason] it is too dear');
    expect(lines).toContain('● The other branch is done.');
  });

  it('keeps a line that is being typed when somebody else answers first [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['Hello Bob.', 'Hello Ada.']);
    desk.file('agent.yaml', definition());
    const terminal = sit(desk, ['chat', 'agent.yaml']);
    await terminal.sees('> ');
    terminal.type('I am A');
    await terminal.sees('I am A');
    const id = /chat_[0-9a-f]+/.exec(terminal.raw())?.[0] ?? '';
    await desk.flyball('signal', id, 'message', '{"text":"I am Bob."}', '--from', 'bob', '--no-wake');
    await terminal.sees('Hello Bob.');
    await terminal.sees('I am A');
    terminal.type('da.\r');
    await terminal.sees('Hello Ada.');
    await terminal.sees('> ');
    terminal.type('/bye\r');
    expect(await terminal.ended).toBe(0);
    expect(talkOn(terminal).slice(0, 4)).toEqual([
      '> I am Bob. (from bob)',
      '● Hello Bob.',
      '> I am Ada.',
      '● Hello Ada.',
    ]);
  });

  it('does without colors and without a status line where NO_COLOR is set [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['Hello.']);
    desk.file('agent.yaml', definition());
    const terminal = sit(desk, ['chat', 'agent.yaml'], { NO_COLOR: '1' });
    await terminal.sees('> ');
    terminal.type('hi\r');
    await terminal.sees('Hello.');
    await terminal.sees('> ');
    terminal.type(CTRL_D);
    expect(await terminal.ended).toBe(0);
    expect(terminal.raw()).not.toContain('thinking');
    expect(terminal.raw()).not.toMatch(new RegExp(`${'\u001b'}\\[\\d+m`));
    expect(talkOn(terminal).slice(0, 2)).toEqual(['> hi', '● Hello.']);
  });
});

describe.skipIf(why !== undefined)('flyball doctor and run at a terminal', () => {
  it('say what they are waiting for, and leave nothing of it behind [R3-CLI-DOCTOR] [R3-CLI-RUN-YAML]', async () => {
    const held = gate();
    const desk = await modelDesk([{ text: 'yes', gate: held.promise }, () => 'Done.', () => 'Done.']);
    desk.file('agent.yaml', definition());
    const doctor = sit(desk, ['doctor']);
    await doctor.sees('asking openai-compatible/test …');
    held.open();
    expect(await doctor.ended).toBe(0);
    expect(doctor.screen().join('\n')).not.toContain('asking');
    const run = sit(desk, ['run', 'agent.yaml', '--input', '"Go."']);
    await run.sees('loading agent.yaml …');
    expect(await run.ended).toBe(0);
    expect(run.screen().join('\n')).not.toContain('loading');
    const broken = sit(desk, ['run', 'gone.yaml']);
    expect(await broken.ended).toBe(2);
    expect(shown(broken.raw()).at(0)).toMatch(/^flyball: There is no file/);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let look = 0; !(await holds()); look++) if (look > 50) throw new Error('It did not happen.');
}
