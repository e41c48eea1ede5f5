import type { Model, Seams, ToolRef } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { canaryGuard, guardrails } from 'flyball/tools';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ServerStage, serverStage, tide } from './stage-server.js';

const ANSWER = 'High water is at 06:40.';

/** A model that writes half of its answer, and the rest once it is let go on. */
function held() {
  let isReleased = false;
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const scripted = scriptedModel({
    clerk: ({ messages, tools }) =>
      tools.length === 0 || messages.some(({ role }) => role === 'tool')
        ? ANSWER
        : { text: 'Let me look.', toolCalls: [{ id: 'c1', name: 'tide', arguments: '{"port":"Bergen"}' }] },
  });
  const model: Model = {
    ...scripted,
    generate: async (request, { onDelta, ...how }) => {
      const reply = await scripted.generate(request, how);
      if (reply.text !== ANSWER) return reply; // a reply of one piece, of which no delta is told
      onDelta?.({ type: 'text', text: 'High water ' });
      begin();
      await gate;
      onDelta?.({ type: 'text', text: 'is at 06:40.' });
      return reply;
    },
  };
  const release = (): void => {
    isReleased = true;
    go();
  };
  return { model, release, begun, isReleased: () => isReleased };
}

async function staged(seams?: Seams, tools: readonly ToolRef[] = [tide as ToolRef]) {
  const writing = held();
  const clerk = defineAgent({
    name: 'clerk',
    description: 'Looks up tides.',
    model: writing.model,
    tools,
    inputs: { question: { type: 'string', description: 'what to find out' } },
    loop: { doubleConfirmation: false },
  });
  const stage = await serverStage({ groups: [{ agents: { clerk }, ...(seams === undefined ? {} : { seams }) }] });
  onTestFinished(async () => {
    writing.release();
    await stage.close();
  });
  return { stage, ...writing };
}

/** Everything that comes, with a look at it after each piece. */
async function readAll(
  { url }: ServerStage,
  { path, body, key }: { readonly path: string; readonly body: object; readonly key?: string },
  look: (text: string) => void,
): Promise<string> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
  });
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    look(text);
  }
  return text;
}

function contentOf(text: string): string {
  const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, line = '']) => JSON.parse(line));
  return chunks.map((chunk) => chunk.choices?.[0]?.delta.content ?? '').join('');
}

const CHAT = {
  path: '/v1/chat/completions',
  body: { model: 'clerk', messages: [{ role: 'user', content: 'Tides?' }], stream: true },
};
const INVOKE = { path: '/v1/agents/clerk/invoke-iterative/stream', body: { inputs: { question: 'Tides?' } } };

/** A guard of answers that finds nothing wrong, or that blocks what is said. */
const guarding = (canary: string): Seams =>
  guardrails({
    preCall: [canaryGuard('preCall', { canaries: [canary] })],
    output: [canaryGuard('output', { canaries: [canary] })],
  });

describe('text in a stream', () => {
  it('of /v1/chat/completions is there before the model has written the rest, each reply whole and once [F-E5]', async () => {
    const { stage, release, isReleased } = await staged();
    const text = await readAll(stage, CHAT, (soFar) => {
      if (!contentOf(soFar.slice(0, soFar.lastIndexOf('\n\n'))).includes('High water')) return;
      if (!isReleased()) expect(soFar).not.toContain('06:40');
      release(); // only a stream that is live gets here
    });
    expect(contentOf(text)).toBe(`Let me look.\n\n${ANSWER}`);
  });

  it('is not lost where the model writes before the reader is there [F-E5]', async () => {
    for (const asked of [CHAT, INVOKE]) {
      const { stage, release, begun } = await staged(undefined, []);
      const { fleet } = stage.server.parts;
      const start = fleet.start.bind(fleet);
      vi.spyOn(fleet, 'start').mockImplementation(async (...given) => {
        const handle = await start(...given);
        await begun; // nobody can read before this
        return handle;
      });
      let first = '';
      await readAll(stage, asked, (soFar) => {
        if (first !== '' || !soFar.includes('High water')) return;
        first = soFar;
        release();
      });
      expect(first).not.toContain('06:40'); // it came while the model was held
    }
  });

  it('of invoke-iterative/stream likewise; calls and entries only for those who may read runs [F-E5]', async () => {
    const { stage, release } = await staged();
    const key = await stage.keyFor('acme', ['agents:invoke']);
    const text = await readAll(stage, { ...INVOKE, key }, (soFar) => {
      if (soFar.includes('High water')) release();
    });
    const events = [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => ({ name, data }));
    const names = events.map(({ name }) => name);
    expect([names[0], ...new Set(names.slice(1, -1)), names.at(-1)]).toEqual(['run', 'delta', 'result']);
    expect(text).not.toContain('Bergen');
    expect(events.at(-1)?.data).toContain(ANSWER);
  });

  it('is held back until the answer has passed the guards, where there are any for it [F-E5]', async () => {
    const passed = await staged(guarding('heron-7719-canary'));
    passed.release();
    const text = await readAll(passed.stage, CHAT, () => undefined);
    expect(contentOf(text)).toBe(ANSWER); // and nothing of the reply before it

    const { stage, release } = await staged(guarding(ANSWER));
    release();
    const key = await stage.keyFor('acme', ['agents:invoke']);
    const blocked = await readAll(stage, { ...CHAT, key }, () => undefined);
    expect(blocked).toContain('RUN_ENDED');
    const invoked = await readAll(stage, { ...INVOKE, key }, () => undefined);
    expect(invoked).toContain('"stop":"blocked"');
    for (const said of [blocked, invoked]) expect(said).not.toMatch(/High water|06:40|Let me look/);
  });
});
