import { readFileSync } from 'node:fs';
import { type Agent, type Clock, type Seams, systemClock } from 'flyball';
import type { DefinedAgent } from 'flyball/agents';
import { modelServer, type ServerScript } from 'flyball/testing';
import { provenanceOf } from 'flyball/views';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadYamlAgent } from '../../packages/flyball/src/cli/yaml-agent.js';
import { RUN, Stage } from '../runtime/stage.js';
import { type SkillDesk, skillDesk } from './skill-desk.js';

/** An agent file with skills beside it, loaded as the command line loads it; the model is a server on loopback. */
async function loaded(desk: SkillDesk, more: string, replies: ServerScript = []) {
  const server = await modelServer({ replies, models: ['test'] });
  onTestFinished(() => server.close());
  const file = desk.write(
    'agent.yaml',
    `name: helper\ndescription: You help.\nprice: { input: 1, output: 2 }\n${more}`,
  );
  const env = { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl('openai-chat'), FLYBALL_MODEL: 'openai-compatible/test' };
  return { server, load: () => loadYamlAgent(file, env) };
}

describe('an agent file with skills', () => {
  it('tells the model of them, lets it activate one and holds it to what that one allows [R5-SKILL-DISCLOSURE] [R5-SKILL-NARROW] [R5-SKILL-PROVENANCE]', async () => {
    const desk = skillDesk();
    desk.write(
      'skills/notes/SKILL.md',
      '---\nname: notes\ndescription: Reads notes.\nmetadata:\n  version: "3"\nallowed-tools: Read\n---\nRead notes.txt and nothing else.',
    );
    desk.write('notes.txt', 'Tides turn at noon.');
    const calls = (name: string, args: object, id: string) => ({
      toolCalls: [{ id, name, arguments: JSON.stringify(args) }],
    });
    const { server, load } = await loaded(
      desk,
      'tools: [read_file, list_files]\nskills: [./skills]\nloop: { doubleConfirmation: false }\n',
      [
        calls('activate_skill', { name: 'notes' }, 'a'),
        calls('list_files', {}, 'l'),
        calls('read_file', { path: 'notes.txt' }, 'r'),
        'At noon.',
      ],
    );
    const made = (await load()) as {
      readonly default: DefinedAgent;
      readonly runtime: { readonly seams: Seams };
    };
    const stage = new Stage<Clock>(systemClock());
    const { seams } = made.runtime;
    const life = stage.open(made.default.agent as Agent<unknown, unknown>, {
      seams,
      prices: () => ({ input: 1, output: 2 }),
    });
    expect(await life.start('When?')).toMatchObject({ stop: 'done', value: { rawText: 'At noon.' } });
    const heard = (n: number) => server.requestAt(n).messages.map(({ content }) => content);
    expect(heard(1)[0]).toContain('<name>notes</name>');
    expect(heard(2).at(-1)).toContain('Read notes.txt and nothing else.');
    expect(heard(2).at(-1)).toMatch(/^<skill name="notes" version="3"/); // its text is ours: no marks of text from outside
    expect(heard(3).at(-1)).toContain('list_files is not allowed now. The skill notes allows only Read.');
    expect(heard(4).at(-1)).toContain('Tides turn at noon.');
    expect(provenanceOf(RUN, await stage.entries()).skills).toMatchObject([{ name: 'notes', version: '3' }]);
  });

  it('is refused with the line of the file and every mistake in the skills [R5-SKILL-VALIDATE]', async () => {
    const desk = skillDesk();
    desk.write('skills/notes/SKILL.md', '---\nname: Notes\n---\nRead.');
    const { load } = await loaded(desk, 'skills:\n  - ./skills\n');
    await expect(load()).rejects.toThrow(
      /agent\.yaml:5: .*SKILL\.md:2:1: description is missing.*\n.*SKILL\.md:2:7: name "Notes" has capital/,
    );
    const { load: missing } = await loaded(desk, 'skills: [./nowhere]\n');
    await expect(missing()).rejects.toThrow(/nowhere:1:1: There is no such folder/);
  });

  it('does not let the agent write where its skills are [R5-SKILL-SANDBOX]', async () => {
    const desk = skillDesk();
    desk.write('skills/notes/SKILL.md', '---\nname: notes\ndescription: Reads notes.\n---\nRead.');
    const { load, server } = await loaded(
      desk,
      'tools: [write_file]\naccess: { write: [.] }\nautonomy: autonomous\nskills: [./skills]\nloop: { doubleConfirmation: false }\n',
      [
        {
          toolCalls: [
            {
              id: 'w',
              name: 'write_file',
              arguments: JSON.stringify({ path: 'skills/notes/SKILL.md', content: 'mine' }),
            },
          ],
        },
        'Done.',
      ],
    );
    const made = (await load()) as {
      readonly default: DefinedAgent;
      readonly runtime: { readonly seams: Seams };
    };
    const { seams } = made.runtime;
    await new Stage<Clock>(systemClock())
      .open(made.default.agent as Agent<unknown, unknown>, { seams, prices: () => ({ input: 1, output: 2 }) })
      .start('Write.');
    expect(server.requestAt(2).messages.at(-1)?.content).toMatch(/skills/);
    expect(readFileSync(desk.path('skills/notes/SKILL.md'), 'utf8')).toContain('Reads notes.');
  });
});
