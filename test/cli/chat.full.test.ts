import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENTS, jsonLines, lastJson } from './flyball.js';
import { definition, gate, type ModelDesk, modelDesk, proposes } from './model-desk.js';

const WRITER = definition('tools: [read_file, write_file]\naccess: { write: [.] }\nautonomy: supervised\n');

/** The id of the conversation that was begun. */
function idIn(out: string): string {
  return /chat_[0-9a-f]+/.exec(out)?.[0] ?? '';
}

function events(out: string, type: string): readonly Record<string, unknown>[] {
  return jsonLines(out).flatMap((line) => {
    const event = line['event'] as Record<string, unknown> | undefined;
    return event?.['type'] === type ? [event] : [];
  });
}

describe('flyball chat', () => {
  it('shows a reply while it is still coming [R3-CLI-CHAT]', async () => {
    const middle = gate();
    const text = 'The tide turns twice a day, and the moon is why it does so.';
    const desk = await modelDesk([{ text, misbehave: 'slow', gate: middle.promise }]);
    desk.file('agent.yaml', definition());
    const chat = desk.talk('chat', 'agent.yaml');
    await chat.says('> ');
    chat.say('Tell me of tides.');
    await chat.says('● The tide turns');
    expect(chat.out()).not.toContain('why it does so'); // the provider has not sent the rest yet
    middle.open();
    await chat.says('why it does so.');
    chat.say('/bye');
    const { code, out, error } = await chat.ended;
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out.match(/The tide turns/g)).toHaveLength(1); // streamed, and not told again
    expect(out).toContain('> Tell me of tides.\n● The tide');
    expect(out.trimEnd()).toMatch(/> \/bye\nThe conversation has ended\.$/);
  });

  it('shows tool calls as they happen [R3-CLI-CHAT]', async () => {
    const answer = gate();
    const desk = await modelDesk([
      proposes('read_file', { path: 'notes.txt' }, 'I will look.'),
      { text: 'They are about tides.', gate: answer.promise },
    ]);
    desk.file('notes.txt', 'High water at noon.\n');
    desk.file('agent.yaml', WRITER);
    const chat = desk.talk('chat', 'agent.yaml', '--message', 'What do the notes say?');
    await chat.says('✓ read_file');
    expect(chat.out()).toMatch(
      /● I will look\.\n {2}→ read_file {"path":"notes\.txt"}\n {2}✓ read_file.*High water at noon\./,
    );
    expect(chat.out()).not.toContain('They are about tides.');
    answer.open();
    await chat.says('They are about tides.');
    chat.hangUp();
    expect((await chat.ended).code).toBe(0);
  });

  it('asks for approvals inline: yes, no, and why not [R3-CLI-CHAT]', async () => {
    const write = (path: string, content = 'x\n') => proposes('write_file', { path, content });
    const desk = await modelDesk([
      write('yes.txt', 'one\ntwo\n'),
      'Written.',
      write('no.txt'),
      'Very well.',
      write('why.txt'),
      'I see.',
    ]);
    desk.file('agent.yaml', WRITER);
    const answers = ['write', 'yes please', 'ok', 'y', 'write', '', 'write', 'you may not on a Friday', '/bye'];
    const { code, out, error } = await desk.piped(`${answers.join('\n')}\n`, 'chat', 'agent.yaml');
    expect(code).toBe(0);
    expect(out).toMatch(
      /\? The agent wants to use write_file: .*supervised.*\n {4}path {5}yes\.txt\n {4}content {2}one\n {13}two\n/,
    );
    expect(error.match(/Enter y or yes to allow it/g)).toHaveLength(2); // "yes please" and "ok" are neither
    expect(readFileSync(join(desk.folder, 'yes.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(existsSync(join(desk.folder, 'no.txt')) || existsSync(join(desk.folder, 'why.txt'))).toBe(false);
    expect(desk.heard(4).at(-1)).toContain('the person said no');
    expect(desk.heard(6).at(-1)).toContain('you may not on a Friday');
    expect(out).toContain('✗ write_file');
  });

  it('keeps the conversation over its turns [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['First answer.', 'Second answer.', 'Third answer.']);
    desk.file('agent.yaml', definition());
    await desk.piped('one\ntwo\nthree\n', 'chat', 'agent.yaml');
    expect(desk.heard(3).slice(1)).toEqual([
      'user: one',
      'assistant: First answer.',
      'user: two',
      'assistant: Second answer.',
      'user: three',
    ]);
    desk.server.assertFinished(); // one call a turn: nobody is asked whether an answer is the last one
  });

  it('leaves the conversation open at the end of the input, and goes on with all that was said [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['Hello Ada.', 'Your name is Ada.']);
    desk.file('agent.yaml', definition());
    const first = await desk.piped('I am Ada.\n', 'chat', 'agent.yaml');
    expect(first.code).toBe(0);
    const id = idIn(first.out);
    expect(first.out).toContain(`${id} is left open. Continue with:\n    flyball chat --resume ${id}`);
    const resting = await desk.flyball('show', id);
    expect(resting.out).toContain(`Run ${id}  suspended`); // it waits, and no process has it
    expect(resting.out).toContain(`flyball chat --resume ${id}`);
    const second = await desk.piped('Who am I?\n/bye\n', 'chat', '--resume', id);
    expect(second.code, second.error).toBe(0);
    expect(second.out).toContain('> I am Ada.\n● Hello Ada.'); // what was said last
    expect(desk.heard(2).slice(1)).toEqual(['user: I am Ada.', 'assistant: Hello Ada.', 'user: Who am I?']);
    expect(second.out).toContain('The conversation has ended.');
    const third = await desk.piped('Hello?\n', 'chat', '--resume', id);
    expect(third.code).toBe(8);
    expect(third.error).toContain('done');
  });

  it('shows what somebody else says, instead of asking on [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['Hello Bob.', 'Hello Ada.']);
    desk.file('agent.yaml', definition());
    const chat = desk.talk('chat', 'agent.yaml');
    await chat.says('> ');
    await desk.flyball('signal', idIn(chat.out()), 'message', '{"text":"I am Bob."}', '--from', 'bob');
    await chat.says('● Hello Bob.');
    chat.say('I am Ada.');
    await chat.says('● Hello Ada.');
    chat.say('/bye');
    const { out } = await chat.ended;
    expect(out).toContain('> I am Bob. (from bob)\n● Hello Bob.');
    expect(desk.heard(2)).toContain('user: I am Bob.');
  });

  it('shows what another process made of the conversation meanwhile [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['Hello Bob.', 'Hello Ada.']);
    desk.file('agent.yaml', definition());
    const chat = desk.talk('chat', 'agent.yaml');
    await chat.says('> ');
    const id = idIn(chat.out());
    const suspended = async (): Promise<boolean> => (await desk.flyball('show', id)).out.includes('suspended');
    while (!(await suspended()));
    chat.child.kill('SIGSTOP'); // so that the other one is sure to be first
    const sent = await desk.flyball('signal', id, 'message', '{"text":"I am Bob."}', '--from', 'bob');
    chat.child.kill('SIGCONT');
    expect(sent.out).toContain(`Continuing ${id} here`);
    await chat.says('● Hello Bob.');
    chat.say('I am Ada.');
    await chat.says('● Hello Ada.');
    chat.say('/bye');
    expect((await chat.ended).out).toContain('> I am Bob. (from bob)\n● Hello Bob.');
  });

  it('survives a turn in which the model fails [R3-CLI-CHAT]', async () => {
    const refuse = { refuse: { status: 400, message: 'this model is being upgraded' } };
    const desk = await modelDesk((request) =>
      said(request, 'break') ? refuse : `Heard ${request.messages.length} messages.`,
    );
    desk.file('agent.yaml', definition());
    const { code, out } = await desk.piped('hello\nbreak\nhello again\n/bye\n', 'chat', 'agent.yaml');
    expect(code).toBe(0);
    expect(out).toContain('✗ the model did not answer');
    expect(out.match(/this model is being upgraded/g)).toHaveLength(1); // tried three times, told once
    expect(out).toContain('This turn failed. Send the message again, or another one. flyball doctor');
    expect(out).toContain('● Heard 4 messages.'); // as if the broken turn had not been
  });

  it('tells a failure once, however often the model is asked again [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(() => ({ misbehave: '500', retryAfter: 0 }));
    desk.file('agent.yaml', definition());
    const { out } = await desk.piped('hello\n/bye\n', 'chat', 'agent.yaml');
    const told = out.split('\n').filter((line) => line.includes('the model did not answer'));
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told).size).toBe(told.length);
    expect(desk.server.requests.length).toBeGreaterThan(told.length);
  });

  it('ends at a bound with code 4 and says how to go on under a larger one [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['One.', 'Two.', 'Three.']);
    desk.file('agent.yaml', definition('budget: { modelCalls: 9 }\n'));
    const bounded = await desk.piped('a\nb\nc\n', 'chat', 'agent.yaml', '--budget', 'modelCalls=2');
    const id = idIn(bounded.out);
    expect(bounded.code).toBe(4);
    expect(bounded.out).toContain('modelCalls');
    expect(bounded.out).toContain(`flyball chat --resume ${id} --budget modelCalls=4`);
    const resumed = await desk.piped('/bye\n', 'chat', '--resume', id, '--budget', 'modelCalls=4');
    expect(resumed.code, resumed.error).toBe(0);
    expect(resumed.out).toContain('● Three.');
  });

  it('talks with a plain function, which answers each message anew [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk([]);
    desk.file(
      'echo.mjs',
      `export default async (run, text) => {
  if (text === 'fail') throw new Error('the pump is broken');
  if (text === 'block') return { stop: 'blocked', because: 'the archive is closed' };
  return { stop: 'done', value: 'You said: ' + text };
};`,
    );
    const { code, out } = await desk.piped('hello\nblock\nfail\nhello again\n/bye\n', 'chat', 'echo.mjs');
    expect(code).toBe(0);
    expect(out).toContain(
      '> hello\n● You said: hello\n> block\n  Stopped: the archive is closed\n> fail\n  Stopped: the pump is broken\n> hello again\n● You said: hello again\n',
    );
  });

  it('asks what an agent waits for, and again when the answer does not fit [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk([]);
    const answers = ['fill it in', 'forty', '{"age":"forty"}', '{"age":40}', '/bye'];
    const { code, out, error } = await desk.piped(`${answers.join('\n')}\n`, 'chat', AGENTS, '--agent', 'form');
    expect(code, error).toBe(0);
    expect(out).toContain('? The run waits for form.\n    question  How old are you?');
    expect(out).toContain('Answer in JSON, such as {"age":0}: forty');
    expect(error).toContain('That is not JSON');
    expect(error).toContain('integer');
    expect(out).toContain('● {"age":40}');
  });

  it('writes one JSON object a line with --json: pieces of replies, entries, and how it rests [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['Hello there.']);
    desk.file('agent.yaml', definition());
    const { code, out } = await desk.piped('hi\n', 'chat', 'agent.yaml', '--json');
    expect(code).toBe(0);
    const pieces = jsonLines(out).filter(({ kind }) => kind === 'delta');
    expect(pieces.map(({ delta }) => (delta as { text?: string }).text ?? '').join('')).toBe('Hello there.');
    expect(events(out, 'wait-start')).toHaveLength(2); // one for each time it waits for a message
    expect(lastJson(out)).toMatchObject({
      kind: 'left',
      next: [expect.stringContaining('flyball chat --resume chat_')],
    });
  });

  it('does not let a reply steer the terminal [R3-CLI-CHAT]', async () => {
    const evil = 'fine\u001b[2J\u001b[1;1H\u009b31m gone';
    const desk = await modelDesk([proposes('write_file', { path: 'a\u001b[8m.txt', content: evil }, evil), evil]);
    desk.file('agent.yaml', WRITER);
    const { out } = await desk.piped('hi\nno\n/bye\n', 'chat', 'agent.yaml');
    expect(out).toContain('● fine␛[2J␛[1;1H\ufffd31m gone');
    expect([...out].filter((mark) => /\p{Cc}/u.test(mark) && mark !== '\n')).toEqual([]);
  });
});

describe('leaving a conversation', () => {
  async function begun(desk: ModelDesk) {
    desk.file('agent.yaml', definition());
    const chat = desk.talk('chat', 'agent.yaml');
    await chat.says('> ');
    return { chat, id: idIn(chat.out()) };
  }

  it('pauses it on Ctrl-C at the prompt, and says how to go on [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['Hello.', 'Still here.']);
    const { chat, id } = await begun(desk);
    chat.say('hi');
    await chat.says('● Hello.\n> ');
    chat.child.kill('SIGINT');
    const { code, out, error } = await chat.ended;
    expect(code).toBe(130);
    expect(error).toContain('Pausing at a safe point.');
    expect(out).toContain(`${id} is paused. Continue with:\n    flyball chat --resume ${id}`);
    expect(lastJson((await desk.flyball('show', id, '--json')).out)).toMatchObject({ record: { status: 'paused' } });
    expect((await desk.piped('you?\n/bye\n', 'chat', '--resume', id)).out).toContain('● Still here.');
    expect(desk.heard(2)).toContain('assistant: Hello.');
  });

  it('lets a reply that is under way end before it pauses, and does not ask for it again [R3-CLI-CHAT]', async () => {
    const reply = gate();
    const desk = await modelDesk([{ text: 'A long answer.', gate: reply.promise }]);
    const { chat, id } = await begun(desk);
    chat.say('hi');
    await desk.server.reached(1);
    chat.child.kill('SIGINT');
    await chat.says('Pausing at a safe point.');
    reply.open();
    const { code, out } = await chat.ended;
    expect(code).toBe(130);
    expect(out).toContain(`${id} is paused.`);
    expect((await desk.piped('', 'chat', '--resume', id)).out).toContain('A long answer.');
    desk.server.assertFinished();
  });

  it('leaves at once on a second Ctrl-C, and the journal survives it [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk([{ misbehave: 'hang' }, 'Here you are.']);
    const { chat, id } = await begun(desk);
    chat.say('hi');
    await desk.server.reached(1);
    chat.child.kill('SIGINT');
    await chat.says('Press Ctrl-C again');
    chat.child.kill('SIGINT');
    const { code, out } = await chat.ended;
    expect(code).toBe(130);
    expect(out).toContain(`flyball chat --resume ${id}`);
    const resumed = await desk.piped('/bye\n', 'chat', '--resume', id);
    expect(resumed.code, resumed.error).toBe(0);
    expect(resumed.out).toContain('● Here you are.'); // the message was kept, and is answered now
  });

  it('pauses when it is asked to end, with the code of that signal [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk([]);
    const { chat, id } = await begun(desk);
    chat.child.kill('SIGTERM');
    const { code, out } = await chat.ended;
    expect(code).toBe(143);
    expect(out).toContain(`${id} is paused.`);
  });

  it('asks again after a crash what nobody can know: whether something happened [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk([proposes('charge', { amount: 3 }), 'Charged.']);
    desk.file(
      'tools/charge.mjs',
      `import { existsSync, writeFileSync } from 'node:fs';
export default {
  name: 'charge', description: 'Charges a card.', effect: { class: 'undoable', timeoutMs: 300, compensate: async () => undefined },
  input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  execute: async () => {
    if (existsSync('hung')) return 'charged';
    writeFileSync('hung', '');
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => setInterval(() => undefined, 1000));
  },
};`,
    );
    desk.file('agent.yaml', definition('tools: [charge]\nautonomy: autonomous\n'));
    const crashed = await desk.piped('charge it\n', 'chat', 'agent.yaml');
    expect(crashed.code).toBeNull(); // killed in the middle of the call
    const resumed = await desk.piped('perhaps\ny\n/bye\n', 'chat', '--resume', idIn(crashed.out));
    expect(resumed.code, resumed.error).toBe(0);
    expect(resumed.out).toContain('? It is not known whether charge happened.');
    expect(resumed.out).toContain('amount  3');
    expect(resumed.error).toContain('Enter y if it happened');
    expect(resumed.out).toContain('● Charged.');
  });
});

describe('a chat that cannot be', () => {
  it.each([
    ['no file', ['chat'], 2, 'Name an agent file: flyball chat <file>. To create one, run flyball init.'],
    ['a file that is not there', ['chat', 'gone.yaml'], 2, 'There is no file'],
    ['a folder', ['chat', '.'], 2, 'is a folder. Name the agent file in it'],
    ['a file that is no agent', ['chat', 'notes.txt'], 2, 'is not an agent file. Agent files end in .js'],
    [
      'an agent that is not in the file',
      ['chat', 'agent.yaml', '--agent', 'other'],
      7,
      'exports no agent "other". It exports: helper.',
    ],
    ['several agents and no choice', ['chat', AGENTS], 2, 'Choose one with --agent'],
    ['an unknown run', ['chat', '--resume', 'chat_nope'], 7, 'chat_nope'],
    ['a budget that is none', ['chat', 'agent.yaml', '--budget', 'costUsd=lots'], 2, 'must be a number'],
  ] as const)('is refused with a sentence: %s [R3-CLI-CHAT]', async (_what, words, code, says) => {
    const desk = await modelDesk([]);
    desk.file('agent.yaml', definition());
    desk.file('notes.txt', 'no agent');
    const ended = await desk.piped('hello\n', ...words);
    expect(ended.code, ended.error).toBe(code);
    expect(ended.error).toContain(says);
    expect(ended.error).not.toMatch(/\n\s+at /);
    expect(ended.out).toBe('');
  });

  it('is refused for a run that is no conversation, with the command for it [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk([]);
    expect((await desk.flyball('run', AGENTS, '--agent', 'form', '--id', 'r1')).code).toBe(3);
    const { code, error } = await desk.piped('hello\n', 'chat', '--resume', 'r1');
    expect(code).toBe(2);
    expect(error).toContain('Run r1 is not a conversation. To continue it, run: flyball resume r1');
  });

  it('is refused with another file than its own [R3-CLI-CHAT]', async () => {
    const desk = await modelDesk(['Hello.']);
    desk.file('agent.yaml', definition());
    desk.file('other.yaml', definition());
    const id = idIn((await desk.piped('hi\n', 'chat', 'agent.yaml')).out);
    const { code, error } = await desk.piped('hi\n', 'chat', 'other.yaml', '--resume', id);
    expect(code).toBe(2);
    expect(error).toContain('Omit the file and --agent');
    expect((await desk.piped('', 'chat', 'agent.yaml', '--resume', id)).code).toBe(0); // its own may be named
  });

  it('is refused while another process is in the conversation [R3-CLI-CHAT]', async () => {
    const reply = gate();
    const desk = await modelDesk([{ text: 'Here.', gate: reply.promise }]);
    desk.file('agent.yaml', definition());
    const chat = desk.talk('chat', 'agent.yaml', '--message', 'hi');
    await desk.server.reached(1);
    const { code, error } = await desk.piped('hello\n', 'chat', '--resume', idIn(chat.out()));
    expect(code, error).toBe(8);
    expect(error).toContain('Another process is running it');
    reply.open();
    await chat.says('● Here.');
    chat.hangUp();
    expect((await chat.ended).code).toBe(0);
  });
});

function said({ messages }: { readonly messages: readonly { readonly content: string }[] }, word: string): boolean {
  return messages.at(-1)?.content === word;
}
