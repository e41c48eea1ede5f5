import { append, done, type Model, type Outcome, type Prompt, type Run, type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { moving, RUN } from './stage.js';

const talker = (model: Model, more: Partial<Session> = {}): Session => ({
  name: 'talker',
  model,
  setup: 'Be brief.',
  ...more,
});

describe('a conversation', () => {
  it('stores only new links: each ask adds what it says, nothing twice [R2-PROMPT-CHAIN]', async () => {
    const stage = moving();
    const links: number[] = [];
    const inner = stage.engine.append;
    stage.engine.append = (claim, batch) => {
      if (batch.links !== undefined) links.push(batch.links.length);
      return inner(claim, batch);
    };
    const model = scriptedModel({ talker: (_request, n) => `answer ${n}` });
    await stage
      .open(async (run: Run) => {
        let prompt: Prompt | string = 'question 1';
        for (let turn = 1; turn <= 4; turn++) {
          const reply: { readonly prompt: Prompt } = await run.ask(talker(model), prompt);
          prompt = append(reply.prompt, { role: 'user', content: `question ${turn + 1}` });
        }
        return done(null);
      })
      .start();
    expect(links).toEqual([2, 2, 2, 2]); // setup and question; then answer and question each time
    expect(model.requests[3]?.messages.map(({ content }) => content)).toEqual([
      'Be brief.',
      'question 1',
      'answer 1',
      'question 2',
      'answer 2',
      'question 3',
      'answer 3',
      'question 4',
    ]);
  });

  it('can be read back from the engine by its tip, with every label [R2-PROMPT-LABELS] [R2-PROMPT-CHAIN]', async () => {
    const stage = moving();
    const model = scriptedModel({ talker: 'ok' });
    const long = 'evidence '.repeat(40);
    await stage
      .open(async (run: Run) => {
        const prompt = append(undefined, {
          role: 'user',
          content: long,
          trust: 'outside',
          owner: 'web',
          band: 'stable',
          protect: true,
        });
        return done((await run.ask(talker(model), prompt)).text);
      })
      .start();
    const [start] = await stage.events('ask-start');
    const links = await stage.engine.links('default', start?.tip ?? '');
    expect(links.map(({ header }) => header.split('\u001f').slice(0, 5))).toEqual([
      ['setup', 'system', 'talker', 'system', 'protect'],
      ['stable', 'user', 'web', 'outside', 'protect'],
    ]);
    expect(links[0]).toMatchObject({ parent: undefined, content: 'Be brief.' });
    expect(links[1]?.parent).toBe(links[0]?.id);
    const blob = links[1]?.blob ?? '';
    expect((await stage.engine.blobs('default', [blob])).get(blob)).toBe(long); // long text is stored once, by content
  });

  it('is put under the setup of whoever is asked, and shares its prefix there [R2-PROMPT-CHAIN]', async () => {
    const model = scriptedModel({ drafter: () => 'a draft', judge: () => 'good' });
    const drafter = talker(model, { name: 'drafter', setup: 'You draft.' });
    const judge = talker(model, { name: 'judge', setup: 'You judge.' });
    const outcome = await moving()
      .open(async (run: Run) => {
        const draft = await run.ask(drafter, 'write');
        await run.ask(judge, draft.prompt);
        const more = append(draft.prompt, { role: 'user', content: 'more' });
        const again = await run.ask(drafter, more);
        return done([again.prompt.parent?.id === more.id, again.prompt.parent?.parent === draft.prompt]);
      })
      .start();
    expect(outcome).toMatchObject({ value: [true, true] }); // what stands on its own setup is used as it is, nothing copied
    expect(model.requestsOf('judge')[0]?.messages.map(({ content }) => content)).toEqual([
      'You judge.',
      'write',
      'a draft',
    ]);
    expect(model.promptAt('judge')).not.toContain('You draft.');
  });

  it('continues over a crash without storing its links again', async () => {
    const stage = moving();
    const model = scriptedModel({ talker: (_request, n) => `answer ${n}` });
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const first = await run.ask(talker(model), 'one');
      await run.wait({ name: 'go' });
      const second = await run.ask(talker(model), append(first.prompt, { role: 'user', content: 'two' }));
      return done(second.prompt.length);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const stored: string[] = [];
    const inner = stage.engine.append;
    stage.engine.append = (claim, batch) => {
      for (const link of batch.links ?? []) stored.push(link.content ?? link.blob ?? '');
      return inner(claim, batch);
    };
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ value: 5 });
    expect(stored).toEqual(['answer 1', 'two']);
  });
});
